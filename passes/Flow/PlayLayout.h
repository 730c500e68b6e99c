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

/// Every buffer must have an offset.
double playLayout(mlir::ModuleOp module, InstructionCost &cost, int64_t microBatches);

} // namespace windlass::flow
