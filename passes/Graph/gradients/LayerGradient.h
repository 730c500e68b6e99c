// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerGradient.h - a layer function, forward and backward ==============//
//
// Duty: splits one pure layer function `@f` into `@f.fwd`, which also returns residuals, and `@f.bwd`, and
// builds the operands of calls of `@f.bwd`. Attributes of the arguments of `@f.bwd` say what they stand for
// (Attributes.h). Errors: a diagnostic at the op that has no adjoint. Threads, ownership: as MLIR's; the
// functions belong to the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::graph {

struct LayerGradient {
  mlir::func::FuncOp forward, backward;
};

/// The gradients that calls of a layer function need.
struct LayerUse {
  llvm::SmallVector<bool> argumentNeeded; ///< The argument's gradient is needed.
  llvm::SmallVector<bool> resultReaches;  ///< The result reaches the loss.

  /// Adds the needs of another call.
  void add(const LayerUse &other) {
    for (auto [needed, more] : llvm::zip_equal(argumentNeeded, other.argumentNeeded))
      needed |= more;
    for (auto [reaches, more] : llvm::zip_equal(resultReaches, other.resultReaches))
      reaches |= more;
  }
  bool operator==(const LayerUse &) const = default;
};

/// With `repeatCore` the residuals inside attention's core (AttentionCore.h) are repeated, not kept.
mlir::FailureOr<LayerGradient> differentiateLayer(mlir::func::FuncOp function, const LayerUse &use,
                                                  bool repeatCore);

/// The operands of the call of `layer.backward` that belongs to `call` of `layer.forward`.
/// `resultGradients`: one per result of `@f`; null stands for zero.
llvm::SmallVector<mlir::Value> backwardOperands(mlir::OpBuilder &builder, const LayerGradient &layer,
                                                mlir::func::CallOp call,
                                                mlir::ArrayRef<mlir::Value> resultGradients);

/// The form of a function: the layer function that it was made of, and what it computes. Null for a layer
/// function itself.
LayerFormAttr formOf(mlir::func::FuncOp function);
void setForm(mlir::func::FuncOp form, LayerPass pass, llvm::StringRef function);

/// Index attribute `name` of an argument or a result of a layer function; nothing if it has none.
std::optional<unsigned> argumentIndex(mlir::func::FuncOp function, unsigned argument, llvm::StringRef name);
std::optional<unsigned> resultIndex(mlir::func::FuncOp function, unsigned result, llvm::StringRef name);

} // namespace windlass::graph
