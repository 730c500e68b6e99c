// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlayLayout.h - how long a step takes as it is laid out ==============//
//
// Duty: plays the sections of a training step one after the other: lanes in order, every
// instruction after those whose bytes it reads or takes over. What a packing costs in waits
// shows here, so layouts can be compared before one is written down.
// Units: seconds. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/InstructionCost.h"

namespace windlass::flow {

/// How often a step runs a section.
int64_t runsOf(SectionOp section, int64_t microBatches);

/// What a step computes on the device, wherever states rest: before transfers are there, no plan takes less.
double computeSeconds(mlir::ModuleOp module, InstructionCost &cost, int64_t microBatches);

/// What a step takes of the cores that lanes share, in whatever order.
double coreSeconds(mlir::ModuleOp module, InstructionCost &cost, int64_t microBatches);

/// A step as it is laid out.
struct PlayedStep {
  double seconds = 0; ///< on the machine's cores, which its lanes may share
  double alone = 0;   ///< if each lane had its own: what order and waits make of it
  double disk = 0;    ///< both ways to the disk are busy

  /// Of two that take nearly the same time, that which spares the disk is better, for that wears; of two that
  /// move the same over it, that whose lanes wait less for each other: cores may be shared less than
  /// declared.
  bool isBetter(const PlayedStep &other) const;
};

/// The share of its time by which a step is nearly as fast as another: rates have three digits.
inline constexpr double kNearly = 0.005;

/// Every buffer must have an offset.
PlayedStep playLayout(mlir::ModuleOp module, InstructionCost &cost, int64_t microBatches);

} // namespace windlass::flow
