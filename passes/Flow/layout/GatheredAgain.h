// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatheredAgain.h - parameters that a section gathers twice ===========//
//
// Duty: names the buckets that might stay gathered between a section's passes.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <string>
#include <vector>

namespace windlass::flow {

/// Of the last section of a step as `lower-to-flow` leaves it; first those with the fewest instructions
/// between.
std::vector<std::string> gatheredAgain(mlir::ModuleOp module);

} // namespace windlass::flow
