// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatheredAgain.h - parameters that a section gathers twice ===========//
//
// Duty: names the buckets that a section gathers in its forward pass and again in its backward pass. Each of
// them could stay gathered in between, and what some of them then take of the device, every plan takes.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <string>
#include <vector>

namespace windlass::flow {

/// A bucket that the last section of a step, as `lower-to-flow` leaves it, gathers several times.
struct RepeatedGather {
  std::string bucket;
  int64_t first = 0, last = 0; ///< which operations of the section do so
  int64_t bytes = 0;           ///< of what is gathered, on the device
};

/// Those first between whose gathers the fewest operations stand.
std::vector<RepeatedGather> gatheredAgain(mlir::ModuleOp module);
/// Bytes that the device holds at least, at one time, where these stay gathered from the first to the last.
int64_t mostKeptBytes(llvm::ArrayRef<RepeatedGather> kept);

} // namespace windlass::flow
