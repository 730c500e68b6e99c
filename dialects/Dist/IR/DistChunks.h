// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DistChunks.h - stages that have several chunks of layers ==============//
//
// Duty: the stage of a part. With several chunks of layers per pipeline stage, sender and receiver of a
// message are named by part: parts are the chunks of the model, numbered along its layers. A message to a
// higher part carries activations, a message to a lower part gradients. Part p is of stage p modulo the
// number of stages. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::dist {

/// On the module of a stage with several chunks, i64: the number of stages.
inline constexpr llvm::StringLiteral kStages = "windlass.stages";

/// The stage of `part`; without kStages in `module`, parts are stages.
inline int64_t stageOfPart(mlir::ModuleOp module, int64_t part) {
  auto stages = module->getAttrOfType<mlir::IntegerAttr>(kStages);
  return stages ? part % stages.getInt() : part;
}

} // namespace windlass::dist
