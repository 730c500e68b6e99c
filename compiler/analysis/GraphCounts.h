// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphCounts.h - counts of a training step's IR ========================//
//
// Duty: counts parameters, bytes kept for the backward pass, bytes of states and floating-point operations of
// matmuls in modules of the graph level. These are the exact values of quantities that the papers' formulas
// estimate. Units: elements, bytes, FLOP; per rank and micro-batch, nothing partitioned. Threads, ownership:
// as MLIR's; modules are only read. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Formulas/Transformer.h"
#include <optional>

namespace windlass::analysis {

/// Elements of parameters.
struct ParameterCounts {
  int64_t matrices = 0; ///< of layers: the weights of linear layers
  int64_t vectors = 0;  ///< of layers: biases and norms
  int64_t outside = 0;  ///< of no layer: embeddings, the last norm, the head
  int64_t all() const { return matrices + vectors + outside; }
};
ParameterCounts countParameters(mlir::ModuleOp module);

/// A module whose every layer has one attention, all of equal sizes, and its micro-batch in sequences.
struct TransformerSizes {
  model::Transformer model;   ///< its hidden size is that of what a layer hands to the next
  int64_t attentionWidth = 1; ///< of all heads together
  int64_t batch = 1;

  /// Whether the heads together are as wide as the hidden size, which formulas with the products of a layer
  /// assume.
  bool hasPapersWidths() const { return attentionWidth == model.hidden; }
  friend bool operator==(const TransformerSizes &, const TransformerSizes &) = default;
};
/// The sizes of an imported module; nothing if its layers are of another kind.
std::optional<TransformerSizes> findTransformer(mlir::ModuleOp imported);

/// Bytes of activations that @train's forward pass makes and its backward pass reads.
struct KeptBytes {
  int64_t largestLayer = 0;
  int64_t layers = 0;  ///< all of them together
  int64_t outside = 0; ///< read by ops of no layer
};
/// The kept bytes of a module with gradients, before or after the update is built.
KeptBytes countKept(mlir::ModuleOp module);

/// FLOP of one micro-batch.
struct MatmulFlops {
  double forward = 0, recompute = 0, backward = 0;
  double all() const { return forward + recompute + backward; }
  MatmulFlops operator-(const MatmulFlops &other) const {
    return {forward - other.forward, recompute - other.recompute, backward - other.backward};
  }
};
struct FlopCounts {
  MatmulFlops layers, outside;
};
/// The matmuls that stand in a module with gradients; those of a composite only when it is decomposed.
FlopCounts countMatmuls(mlir::ModuleOp module);

/// The elements that tensor-parallel ranks exchange in a micro-batch, for the layer with the most: a
/// collective counts its whole tensor once, an all-reduce twice.
struct ExchangedElements {
  int64_t activations = 0; ///< and their gradients
  int64_t parameters = 0;  ///< gradients of parameters that every rank has whole: vectors
};
/// The exchanged elements of a module with gradients.
ExchangedElements countExchanges(mlir::ModuleOp module);

/// Bytes of model states, and of the largest parameter of a layer with its gradient.
struct StateCounts {
  int64_t parameters = 0, gradients = 0, optimizer = 0; ///< masters are the optimizer's
  int64_t largestOperator = 0;
  int64_t all() const { return parameters + gradients + optimizer; }
};
/// The states of a module with gradients and update.
StateCounts countStates(mlir::ModuleOp module);

} // namespace windlass::analysis
