// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Evaluators.h - evaluators of the graph and dist dialects ==============//
//
// Duty: adds the evaluators of the graph and dist dialects, in groups, and makes evaluators of ops that each
// rank evaluates alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::interpreter {

/// States, feeds, reports, calls, micro-batches.
void addStepEvaluators(Interpreter &interpreter);
/// Maps, reductions, reshape, stack, pad.
void addLoopEvaluators(Interpreter &interpreter);
/// Normalisations, softmax, cross-entropy and their gradients.
void addRowEvaluators(Interpreter &interpreter);
/// Matmul, embedding and its gradient; the gradient norm.
void addMatrixEvaluators(Interpreter &interpreter);
/// Attention and its gradient.
void addAttentionEvaluators(Interpreter &interpreter);
/// Exchanges between ranks that share out operations.
void addExchangeEvaluators(Interpreter &interpreter);
/// Buckets, collectives, packs and launches of the dist level.
void addDistEvaluators(Interpreter &interpreter);

/// The first value of a state: random numbers of the stream of its original name, rounded to its type; for a
/// slice, that part of the whole tensor.
Tensor initialValue(graph::InitAttr init, llvm::StringRef original, mlir::RankedTensorType type,
                    graph::SliceAttr slice, uint64_t seed);
/// The error for a state whose first value is in a file.
Status startsFromFile(llvm::StringRef original);
/// Evaluates `op` by a call of `function` on its operands.
Status evaluateCallTo(llvm::StringRef function, mlir::Operation *op, Execution &execution);

using Inputs = llvm::ArrayRef<const Tensor *>;

/// Adds a pure op that each rank evaluates from its own inputs.
template <typename OpT>
void addLocal(Interpreter &interpreter, Result<Tensors> (*evaluate)(OpT, Inputs, const Options &)) {
  interpreter.setEvaluator(OpT::getOperationName(), [evaluate](mlir::Operation *op, Execution &execution) {
    for (int rank = 0; rank < execution.ranks(); ++rank) {
      llvm::SmallVector<const Tensor *> inputs;
      for (mlir::Value operand : op->getOperands())
        inputs.push_back(&execution.get(rank, operand));
      Result<Tensors> results = evaluate(llvm::cast<OpT>(op), inputs, execution.options());
      if (!results)
        return results.status();
      for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results))
        execution.set(rank, result, std::move(tensor));
    }
    return Status::ok();
  });
}

/// The shape of a tensor value.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// A number, such as a scale or an epsilon, rounded to f32, as bodies have it.
inline double asF32(double value) { return static_cast<double>(static_cast<float>(value)); }

} // namespace windlass::interpreter
