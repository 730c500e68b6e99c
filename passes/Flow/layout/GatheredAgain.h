// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatheredAgain.h - parameters that a section gathers twice ===========//
//
// Duty: names the buckets that a section gathers in its forward pass and again in its backward pass. Each of
// them could stay gathered in between.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <string>
#include <vector>

namespace windlass::flow {

/// The buckets of the last section of a step, as `lower-to-flow` leaves it, in the order of the number of
/// instructions between the two gathers; the fewest first.
std::vector<std::string> gatheredAgain(mlir::ModuleOp module);

} // namespace windlass::flow
