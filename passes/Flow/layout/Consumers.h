// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Consumers.h - what fills a tier =======================================//
//
// Duty: counts the bytes that each buffer class takes of a tier, for messages; bounds of bytes and numbers of
// layers, for searches.
// Units: bytes of one rank. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include <string>

namespace windlass::flow {

/// The classes that fill a tier at the moment when it holds most bytes, homes among them; the largest first.
std::vector<plan::Consumer> largestConsumers(mlir::ModuleOp module, plan::Tier tier);

/// An upper bound of the bytes on any tier: all homes, and all buffers of a section side by side.
int64_t bytesOfEverything(mlir::ModuleOp module);

/// Layers that have a backward pass in this module.
int64_t countTrainedLayers(mlir::ModuleOp module);

} // namespace windlass::flow
