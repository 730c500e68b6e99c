// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputingLayer.h - a layer that repeats what it did not keep ======//
//
// Duty: the two functions of a layer of which only certain activations are kept: @f.recompute_fwd returns
// them beside the results of @f (it is @f itself where none are kept), @f.recompute_bwd takes them, repeats
// what else the adjoint reads, and goes on as @f.bwd.
// Threads, ownership: as MLIR's; the functions belong to the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/gradients/LayerCalls.h"
#include "llvm/ADT/SetVector.h"

namespace windlass::graph {

struct RecomputingLayer {
  /// Arguments of `backward` say what they are: of @f, of the results of `forward`, or a gradient.
  mlir::func::FuncOp forward, backward;
};

/// `kept`: what operations of `layer.forward` make.
RecomputingLayer buildRecomputingLayer(const LayerCalls &layer,
                                       const llvm::SetVector<mlir::Value> &kept = {});

} // namespace windlass::graph
