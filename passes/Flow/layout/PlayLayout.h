// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlayLayout.h - how long a step takes as it is laid out ==============//
//
// Duty: the training step of a module on the clock of model/Player.h: every instruction waits for
// those whose bytes it reads or takes over. What a packing costs in waits shows here, so layouts can be
// compared before one is written down; the seconds of a layout are those that the simulator says of its plan.
// Units: seconds. Errors: those of the player. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/waits/ArenaHistory.h"

namespace windlass::flow {

/// What a step computes on the device, wherever states rest: before transfers are there, no plan takes less.
double computeSeconds(mlir::ModuleOp module, InstructionCost &cost);

/// A step as it plays.
struct PlayedStep {
  double seconds = 0; ///< on the machine's cores, which its lanes may share
  double alone = 0;   ///< if each lane had its own: what order and waits make of it
  double disk = 0;    ///< both ways to the disk are busy

  /// Of two that take nearly the same time, that which spares the disk is better, for that wears; of two that
  /// move nearly the same over it, that whose lanes wait less for each other: cores may be shared less than
  /// declared. Of two that are nearly alike in all of these neither is better.
  bool isBetter(const PlayedStep &other) const;
};

/// The share of its time by which a step is nearly as fast as another: rates have three digits.
inline constexpr double kNearly = 0.005;

/// As its instructions stand. Laid out, every buffer must have an offset; apart, the step takes what its
/// order costs, before instructions also wait for bytes that other buffers had before.
Result<PlayedStep> playStep(mlir::ModuleOp module, InstructionCost &cost, Buffers buffers);

} // namespace windlass::flow
