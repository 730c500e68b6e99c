//===- RunningStatistics.h - what batch norms keep =========================//
//
// Duty: what holds of running statistics in a step and in the layer functions it
// calls: they are states of the group "statistics", each is read by one batch norm
// and by nothing else, and batch norms have no others. So a change that a batch
// asks for is the only one that its micro-batch makes. And there is something to
// take statistics of: two elements of each channel in a micro-batch.
// Threads, ownership: as MLIR's. Errors: a diagnostic that names the state.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

bool isStatistic(StateOp state);

/// Checks the rules above in a step that is not differentiated yet.
mlir::LogicalResult verifyStatistics(StepOp step);

} // namespace windlass::graph
