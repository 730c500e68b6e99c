// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RepeatedGathers.h - parameters that a section gathers twice ===========//
//
// Duty: lists the buckets whose parameters a section gathers in its forward pass and again in its backward
// pass, and counts the bytes that the device holds at least if some of them stay gathered in between.
// Units: bytes of one rank. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <string>
#include <vector>

namespace windlass::flow {

/// A bucket that the last section of a training step gathers several times. The section is as `lower-to-flow`
/// leaves it.
struct RepeatedGather {
  std::string bucket;
  int64_t first = 0, last = 0; ///< the first and the last gather: their positions in the section
  int64_t bytes = 0;           ///< of the gathered parameters, on the device
};

/// The buckets that the training step of a module gathers several times, in ascending order of the number of
/// operations from the first gather to the last. Empty if the module has no training step.
std::vector<RepeatedGather> repeatedGathers(mlir::ModuleOp module);
/// The peak of the gathered bytes if each of these buckets stays gathered from its first gather to its last:
/// a lower bound of the bytes that a plan takes on the device.
int64_t mostKeptBytes(llvm::ArrayRef<RepeatedGather> kept);

} // namespace windlass::flow
