// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerCalls.h - the layers of a training step ==========================//
//
// Duty: finds the layers of a training step after differentiate: the forward call, the backward call and the
// functions of each. Names the activations of layer functions; strategies use these names. Threads,
// ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/base/Status.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <string>
#include <vector>

namespace windlass::graph {

/// A layer's two calls in @train, and its three functions: @f, @f.fwd and @f.bwd.
struct LayerCalls {
  mlir::func::CallOp forwardCall, backwardCall;
  mlir::func::FuncOp plain, forward, backward;
};

/// The layers of `train`, in program order of the forward calls, without layers that have nothing to repeat.
llvm::SmallVector<LayerCalls> findLayers(StepOp train);

/// The results of the ops of `forward` and their names, in program order: "matmul.0" is the result of the
/// first matmul, "attention.0#1" the second result of the first attention.
llvm::MapVector<mlir::Value, std::string> nameActivations(mlir::func::FuncOp forward);

/// By @f.fwd: the results of its ops that are kept for the backward pass.
using KeptActivations = llvm::MapVector<mlir::Operation *, llvm::SetVector<mlir::Value>>;

/// The same as in a strategy: by the name of the layer function, the names of the activations that are kept.
using KeptNames = std::map<std::string, std::vector<std::string>>;

/// The activations of these names. Errors: BadInput for a function or an activation that does not exist.
Result<KeptActivations> findKept(llvm::ArrayRef<LayerCalls> layers, const KeptNames &names);

/// The results of `forward` that `backward` reads, as values inside `forward`.
llvm::SmallVector<mlir::Value> findResiduals(mlir::func::FuncOp forward, mlir::func::FuncOp backward);

} // namespace windlass::graph
