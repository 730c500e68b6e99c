// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputingLayer.h - a layer that keeps some of its activations =======//
//
// Duty: builds the two functions of a layer that keeps given activations and repeats the others.
// @f.recompute_fwd returns the results of @f and the kept activations; if none are kept, @f takes its place.
// @f.recompute_bwd takes the kept activations, repeats the other values that the adjoint reads, and then does
// the work of @f.bwd. Threads, ownership: as MLIR's; the functions belong to the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/gradients/LayerCalls.h"
#include "llvm/ADT/SetVector.h"

namespace windlass::graph {

struct RecomputingLayer {
  /// Attributes of the arguments of `backward` say what they are: an argument of @f, a result of `forward`,
  /// or a gradient.
  mlir::func::FuncOp forward, backward;
};

/// `kept`: results of ops of `layer.forward`.
RecomputingLayer buildRecomputingLayer(const LayerCalls &layer,
                                       const llvm::SetVector<mlir::Value> &kept = {});

} // namespace windlass::graph
