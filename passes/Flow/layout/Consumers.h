// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Consumers.h - what fills a tier =====================================//
//
// Duty: how many bytes each buffer class takes of a tier, and of how many layers, for messages and searches.
// Units: bytes of one rank.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include <string>

namespace windlass::flow {

/// The classes that fill a tier at its fullest moment, homes among them, largest first.
std::vector<plan::Consumer> largestConsumers(mlir::ModuleOp module, plan::Tier tier);

/// No tier ever needs more: all homes, and all buffers of a section side by side.
int64_t bytesOfEverything(mlir::ModuleOp module);

/// Layers that have a backward pass in this module.
int64_t countTrainedLayers(mlir::ModuleOp module);

} // namespace windlass::flow
