// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DistChunks.h - stages that have several chunks of layers ===========//
//
// Duty: where stages of a pipeline have several chunks of layers each, the ends of messages are parts of the
// model, counted along its layers, so that a message to a higher part carries activations, one to a lower
// part gradients. Which stage a part is of: parts go round the stages. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::dist {

/// On the module of a stage that has several chunks: how many stages there are.
inline constexpr llvm::StringLiteral kStages = "windlass.stages";

/// The stage of the end of a message in a module.
inline int64_t stageOfPart(mlir::ModuleOp module, int64_t part) {
  auto stages = module->getAttrOfType<mlir::IntegerAttr>(kStages);
  return stages ? part % stages.getInt() : part;
}

} // namespace windlass::dist
