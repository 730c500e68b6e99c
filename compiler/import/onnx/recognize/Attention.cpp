// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises attention: softmax(q k' * scale + mask) v, perhaps with dropout before v, over batch x heads x
// sequence x size; and ONNX's operator of rank 4.
#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/operators/Dropout.h"
#include "compiler/import/onnx/recognize/Heads.h"
#include "compiler/import/onnx/recognize/Mask.h"
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/recognize/Terms.h"

#include <cmath>
#include <ranges>

namespace windlass::onnx {
namespace {

/// Operands of batch x heads x sequence x size; keys and values may have fewer heads.
struct Heads {
  ValueId queries = kAbsent, keys = kAbsent, values = kAbsent;
  double scale = 1, dropout = 0;
};

/// If `id` is a value of the same shape times a number, that value, with `scale` multiplied by the number;
/// else `id`.
ValueId unscaled(const Graph &graph, ValueId id, double &scale) {
  const Product product = productOf(graph, id);
  if (product.factors.size() != 1 || product.coefficient == 1 ||
      graph.at(product.factors[0]).shape != graph.at(id).shape)
    return id;
  scale *= product.coefficient;
  return product.factors[0];
}

bool isRank4(const Graph &graph, ValueId id) { return graph.at(id).shape.size() == 4; }

/// The keys of a product, whose factor is the transposed keys (size x sequence), with the transpose undone.
ValueId keysOf(NodeMaker &maker, ValueId factor, double &scale) {
  const Graph &graph = maker.graph;
  const ValueId plain = unscaled(graph, factor, scale);
  if (const Node *transpose = graph.producer(plain, "Transpose"))
    if (const auto *perm = transpose->attribute<std::vector<int64_t>>("perm");
        perm && *perm == std::vector<int64_t>{0, 1, 3, 2})
      return unscaled(graph, transpose->inputs[0], scale);
  const Shape shape = graph.at(plain).shape;
  if (const Node *view = graph.at(plain).producer;
      view && isView(*view)) // batch and heads were one dimension
    if (const Node *transpose = graph.producer(view->inputs[0], "Transpose"))
      if (const auto *perm = transpose->attribute<std::vector<int64_t>>("perm");
          perm && *perm == std::vector<int64_t>{0, 2, 1} &&
          std::ranges::equal(graph.at(view->inputs[0]).shape | std::views::drop(1),
                             shape | std::views::drop(2)))
        return maker.reshape(transpose->inputs[0], {shape[0], shape[1], shape[3], shape[2]});
  return maker.transpose(plain, {0, 1, 3, 2});
}

/// If heads are copies of fewer heads, as in grouped attention, those fewer heads; else `id`.
ValueId fewerHeads(NodeMaker &maker, ValueId id) {
  const Graph &graph = maker.graph;
  const Shape &shape = graph.at(id).shape;
  const Node *expand = graph.producer(viewed(graph, id), "Expand");
  if (!expand)
    return id;
  Shape few = graph.at(expand->inputs[0]).shape;
  const Shape &many = graph.at(expand->outputs[0]).shape;
  if (few.size() != 5 || many.size() != 5 || few[2] != 1 || many[3] != shape[2] || many[4] != shape[3])
    return id;
  few[2] = many[2];
  if (few != many)
    return id;
  return maker.reshape(expand->inputs[0], {many[0], many[1], many[3], many[4]});
}

/// Whether all heads have one size, each example has queries, keys and values of its own, and each key and
/// value head serves equally many query heads.
bool areAlike(const Graph &graph, const Heads &heads) {
  const Shape &keys = graph.at(heads.keys).shape, &queries = graph.at(heads.queries).shape;
  return keys == graph.at(heads.values).shape && queries[0] == keys[0] && queries[3] == keys[3] &&
         queries[1] % keys[1] == 0;
}

/// The result of a query from which the mask hides all keys.
enum class FullyMasked {
  AsScored, ///< attention by its scores; the mask adds the same number to each
  Mean,     ///< the mean of all values, since the mask makes all scores equal
  Zero      ///< 0
};

/// Rows of batch x sequence x (heads * size), with 0 for queries whose keys are all hidden.
ValueId zeroFullyMasked(NodeMaker &maker, ValueId rows, int64_t heads, int64_t keys, const Mask &mask) {
  const Shape shape = maker.graph.at(rows).shape;
  const ValueId split = maker.reshape(rows, {shape[0], shape[1], heads, shape[2] / heads});
  const ValueId zero = maker.literal(Literal::filled(DataType::Float, {1}, 0));
  const ValueId sees = seeingRows(maker, mask, shape[1], keys, /*headsLast=*/true);
  return maker.reshape(maker.make("Where", {sees, split, zero}), shape);
}

ValueId build(NodeMaker &maker, const Heads &heads, const Mask &mask, FullyMasked fullyMasked) {
  const Shape queries = maker.graph.at(heads.queries).shape, keys = maker.graph.at(heads.keys).shape;
  if (!mayHideAll(maker.graph, mask))
    fullyMasked = FullyMasked::AsScored;
  std::vector<ValueId> inputs = {packHeads(maker, heads.queries), packHeads(maker, heads.keys),
                                 packHeads(maker, heads.values)};
  if (mask.added != kAbsent)
    inputs.push_back(mask.added);
  if (fullyMasked == FullyMasked::Mean) { // by scores of 0, without gradients
    const ValueId zero = maker.literal(Literal::filled(DataType::Float, {1}, 0));
    inputs[0] = zeroFullyMasked(maker, inputs[0], queries[1], keys[2], mask);
    const ValueId sees = seeingRows(maker, mask, queries[2], keys[2], /*headsLast=*/false);
    inputs[3] = maker.make("Where", {sees, mask.added, zero});
  }
  ValueId result = maker.make("Attention", std::move(inputs),
                              {{"q_num_heads", queries[1]},
                               {"kv_num_heads", keys[1]},
                               {"is_causal", int64_t(mask.isCausal)},
                               {"scale", heads.scale},
                               {"dropout", heads.dropout}});
  if (fullyMasked == FullyMasked::Zero)
    result = zeroFullyMasked(maker, result, queries[1], keys[2], mask);
  return unpackHeads(maker, result, queries[1]);
}

/// The softmax p of Where(IsNaN(p), 0, p), which guards against rows in which all is masked; kAbsent if `id`
/// is none.
ValueId guarded(const Graph &graph, ValueId id) {
  const std::vector<ValueId> guard = operandsOf(graph, id, "Where");
  return guard.size() == 3 && operandOf(graph, guard[0], "IsNaN") == guard[2] &&
                 numberOf(graph, guard[1]) == 0 && graph.producer(guard[2], "Softmax")
             ? guard[2]
             : kAbsent;
}

/// The operand of a softmax over the last dimension, which may be guarded.
ValueId softmaxOperand(const Graph &graph, ValueId id, bool &isGuarded) {
  isGuarded = guarded(graph, id) != kAbsent;
  const Node *softmax = graph.producer(isGuarded ? guarded(graph, id) : id, "Softmax");
  const int64_t axis = softmax ? softmax->integer("axis", -1) : 0;
  return softmax && (axis == -1 || axis == 3) ? softmax->inputs[0] : kAbsent;
}

/// Whether a value depends on a literal with an infinity, at most `depth` nodes before it.
bool hasInfinity(const Graph &graph, ValueId id, int depth) {
  if (const Literal *known = graph.at(id).literal.get(); known && isFloat(graph.at(id).type)) {
    for (int64_t i = 0; i < known->size(); ++i)
      if (std::isinf(known->real(i)))
        return true;
    return false;
  }
  const Node *made = graph.at(id).producer;
  return made && depth > 0 && std::ranges::any_of(made->inputs, [&](ValueId input) {
           return input != kAbsent && hasInfinity(graph, input, depth - 1);
         });
}

/// The result of a fully masked query as PyTorch's scaled_dot_product_attention has it, from which ONNX's
/// operator is exported: 0 if truth values or infinities hide the keys, and by its scores if large numbers
/// are added.
FullyMasked fullyMaskedOf(const Graph &graph, ValueId mask) {
  constexpr int kFar = 6;
  return !isFloat(graph.at(mask).type) || hasInfinity(graph, mask, kFar) ? FullyMasked::Zero
                                                                         : FullyMasked::AsScored;
}

/// ONNX's attention. Its operands of rank 3 have the form that Windlass computes in; only a mask, in which
/// truth values may stand, makes a difference.
ValueId ownOperator(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  const bool hasHeads = isRank4(graph, node.inputs[0]);
  if (!hasHeads && !node.has(3))
    return kAbsent;
  const auto headsOf = [&](size_t input, const char *count) {
    return hasHeads ? fewerHeads(maker, node.inputs[input])
                    : unpackHeads(maker, node.inputs[input], node.integer(count, 0));
  };
  Heads heads;
  heads.queries = hasHeads ? node.inputs[0] : headsOf(0, "q_num_heads");
  heads.keys = headsOf(1, "kv_num_heads");
  heads.values = headsOf(2, "kv_num_heads");
  if (!areAlike(graph, heads)) { // only one of keys and values was expanded
    heads.keys = node.inputs[1];
    heads.values = node.inputs[2];
  }
  const double *scale = node.attribute<double>("scale");
  heads.scale = scale ? *scale : 1 / std::sqrt(static_cast<double>(graph.at(heads.queries).shape[3]));
  Mask mask{kAbsent, node.integer("is_causal", 0) != 0};
  if (node.has(3) && !addMask(maker, node.inputs[3], mask))
    return kAbsent;
  const ValueId mixed =
      build(maker, heads, mask, node.has(3) ? fullyMaskedOf(graph, node.inputs[3]) : FullyMasked::AsScored);
  return hasHeads ? mixed : packHeads(maker, mixed);
}

} // namespace

ValueId recognizeAttention(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  if (node.is("Attention"))
    return ownOperator(node, maker);
  if (!node.is("MatMul") || !isRank4(graph, node.inputs[0]) || !isRank4(graph, node.inputs[1]))
    return kAbsent;
  Heads heads;
  ValueId probabilities = node.inputs[0];
  if (const Node *dropout = graph.producer(probabilities, "Dropout")) {
    if (!maker.isReadOnce(probabilities)) // another reader would have another mask
      return kAbsent;
    heads.dropout = droppedShare(graph, *dropout);
    probabilities = dropout->inputs[0];
  }
  bool isGuarded = false;
  ValueId scores = softmaxOperand(graph, probabilities, isGuarded);
  Mask mask;
  if (scores == kAbsent || !takeMask(maker, scores, mask))
    return kAbsent;
  const std::vector<ValueId> factors = operandsOf(graph, unscaled(graph, scores, heads.scale), "MatMul");
  if (factors.size() != 2 || !isRank4(graph, factors[0]) || !isRank4(graph, factors[1]))
    return kAbsent;
  heads.queries = unscaled(graph, factors[0], heads.scale);
  heads.keys = fewerHeads(maker, keysOf(maker, factors[1], heads.scale));
  heads.values = fewerHeads(maker, node.inputs[1]);
  if (!areAlike(graph, heads))
    return kAbsent;
  const bool isChosen = mask.hidden && std::isfinite(*mask.hidden);
  return build(maker, heads, mask,
               isGuarded  ? FullyMasked::Zero
               : isChosen ? FullyMasked::Mean
                          : FullyMasked::AsScored);
}

ValueId recognizeGuard(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  const ValueId softmax = node.is("Where") ? guarded(graph, node.outputs[0]) : kAbsent;
  if (softmax == kAbsent)
    return kAbsent;
  const Node &made = *graph.producer(softmax, "Softmax");
  const ValueId zero = maker.literal(Literal::filled(DataType::Float, {1}, 0));
  return maker.make("Where", {seesAny(maker, made.inputs[0], made.integer("axis", -1)), softmax, zero});
}

} // namespace windlass::onnx
