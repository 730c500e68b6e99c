// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimulateLayout.h - how long a step takes as it is laid out ============//
//
// Duty: simulates the training step of a module on the clock of model/Player.h. Every instruction waits for
// the instructions whose bytes it reads or takes over, so that a layout costs the waits that its packing
// causes, and layouts can be compared before one is written down. The simulator of plans uses the same clock:
// the seconds of a layout are those of its plan.
// Units: seconds. Errors: those of the player. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/waits/ArenaHistory.h"

namespace windlass::flow {

/// The seconds that the device computes in a step. Asked before transfers are materialised, they are a lower
/// bound of every layout.
double computeSeconds(mlir::ModuleOp module, InstructionCost &cost);

/// The seconds of a simulated step.
struct SimulatedStep {
  double seconds = 0; ///< on the machine's cores, which lanes may share
  double alone = 0;   ///< if each lane had cores of its own: the critical path of order and waits
  double disk = 0;    ///< in which the disk is busy, both directions together

  /// The step with fewer seconds is better; of nearly equal ones (planning::kNearly) that with fewer seconds
  /// of the disk, which writing wears; of nearly equal ones that with fewer seconds alone, for cores may be
  /// shared less than declared. Of two steps that are nearly equal in all three, neither is better.
  bool isBetter(const SimulatedStep &other) const;
};

/// Simulates the instructions in the order in which they stand. `buffers`: laid out, each has an offset, and
/// instructions wait for bytes that another buffer had before; apart, they do not.
Result<SimulatedStep> simulateLayout(mlir::ModuleOp module, InstructionCost &cost, Buffers buffers);

/// Simulates the laid out stages of a pipeline side by side: a message takes place when both ends are there.
/// simulateLayout() of one of them takes its messages for transfers that nobody else holds up.
Result<SimulatedStep> simulateStages(llvm::ArrayRef<mlir::ModuleOp> stages, const model::Machine &machine);

} // namespace windlass::flow
