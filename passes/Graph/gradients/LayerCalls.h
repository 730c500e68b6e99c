// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerCalls.h - the layers of a training step ========================//
//
// Duty: finds what belongs together after differentiate: a layer's call forward, its call backward, and
// their functions; and gives names to the activations of a layer function, which strategies say.
// Threads, ownership: as MLIR's.
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

/// In program order of the forward calls. A layer without anything to repeat is none.
llvm::SmallVector<LayerCalls> findLayers(StepOp train);

/// What operations of `forward` make, in program order: "matmul.0" is the result of the first matmul,
/// "attention.0#1" the second result of the first attention.
llvm::MapVector<mlir::Value, std::string> nameActivations(mlir::func::FuncOp forward);

/// What is kept in layer functions, by @f.fwd: what operations make.
using KeptActivations = llvm::MapVector<mlir::Operation *, llvm::SetVector<mlir::Value>>;

/// The same as a strategy says it: by layer function the names of what is kept.
using KeptNames = std::map<std::string, std::vector<std::string>>;

/// Errors: BadInput for what is not there.
Result<KeptActivations> findKept(llvm::ArrayRef<LayerCalls> layers, const KeptNames &names);

/// What `backward` reads of the results of `forward`, as values of the latter.
llvm::SmallVector<mlir::Value> findResiduals(mlir::func::FuncOp forward, mlir::func::FuncOp backward);

} // namespace windlass::graph
