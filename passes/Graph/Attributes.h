// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.h - discardable attributes of the graph passes =============//
//
// Duty: the names of the discardable attributes by which graph passes inform later graph passes and the
// levels below.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/GraphPhases.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace windlass::graph {

/// On a function made of a layer function: a LayerFormAttr.
inline constexpr llvm::StringLiteral kForm = "graph.form";

/// On a result of `@f.fwd`: `@f` does not return it, `@f.bwd` needs it.
inline constexpr llvm::StringLiteral kResidual = "windlass.residual";

/// On an argument of `@f.bwd`: which argument or result of `@f.fwd` it is, or which
/// result of `@f` it is the gradient of.
inline constexpr llvm::StringLiteral kArgument = "windlass.argument";
inline constexpr llvm::StringLiteral kResult = "windlass.result";
inline constexpr llvm::StringLiteral kResultGradient = "windlass.result_gradient";

/// On a result of `@f.bwd`: which argument of `@f` it is the gradient of.
inline constexpr llvm::StringLiteral kArgumentGradient = "windlass.argument_gradient";

/// On a map that adds a term to the running sum of a sequence. Fusion must not move the map, so that the term
/// need not be kept until the sequence ends. Written by block-attention, read by fuse-maps.
inline constexpr llvm::StringLiteral kAccumulates = "windlass.accumulates";
/// On a product with a tile of a parameter. The products of all tiles are one linear layer, so that the
/// gradients of their first operand are added to one sum.
inline constexpr llvm::StringLiteral kTile = "windlass.tile";
/// On an op whose results are not kept for the backward pass: differentiate repeats the op where the backward
/// pass reads the results.
inline constexpr llvm::StringLiteral kRepeat = "windlass.repeat";

/// Replaces an op and its results by the ops and values that `build` builds; new ops to which `build` gives
/// no phase get that of the old one.
inline void replaceOp(mlir::Operation *op,
                      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> build) {
  mlir::Operation *before = op->getPrevNode();
  mlir::OpBuilder builder(op);
  llvm::SmallVector<mlir::Value> replacements = build(builder);
  mlir::Operation *built = before ? before->getNextNode() : &op->getBlock()->front();
  for (; built != op; built = built->getNextNode())
    if (!phaseOf(built))
      setPhase(built, phaseOf(op));
  op->replaceAllUsesWith(replacements);
  op->erase();
}

} // namespace windlass::graph
