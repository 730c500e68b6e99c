// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises rotary embeddings: x * cos + rotated(x) * sin, where rotated(x) swaps the halves of each head
// and negates one; and ONNX's operator.
#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/recognize/Heads.h"
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/recognize/Terms.h"

namespace windlass::onnx {
namespace {

/// The operand x of Concat(-x[half:], x[:half]) over the last dimension.
ValueId rotatedOperand(const Graph &graph, ValueId id) {
  const Node *concat = graph.producer(id, "Concat");
  if (!concat || concat->inputs.size() != 2)
    return kAbsent;
  const Shape &shape = graph.at(id).shape;
  const int64_t axis = concat->integer("axis", 0), half = shape.empty() ? 0 : shape.back() / 2;
  if (axis != -1 && axis + 1 != std::ssize(shape))
    return kAbsent;
  const Columns upper = columnsOf(graph, operandOf(graph, concat->inputs[0], "Neg")),
                lower = columnsOf(graph, concat->inputs[1]);
  const bool isRotation = upper.whole == lower.whole && upper.begin == half && lower.begin == 0 &&
                          upper.width == half && lower.width == half;
  return isRotation && lower.whole != kAbsent && graph.at(lower.whole).shape == shape ? lower.whole : kAbsent;
}

/// One half of a known table of sequence x size with equal halves, which is the same for every batch and
/// head.
std::optional<Literal> halfTable(const Graph &graph, ValueId id, int64_t sequence, int64_t size) {
  const Literal *table = graph.at(id).literal.get();
  if (!table || !table->isFloat() || size % 2 != 0 || table->size() == 0)
    return std::nullopt;
  const size_t rank =
      table->shape.size(); // the sequence may be at the place of the heads, before a transpose
  if (rank < 2 || table->shape[rank - 2] != sequence || table->shape[rank - 1] != size)
    return std::nullopt;
  for (int64_t i = 0; i < table->size(); ++i) {
    const int64_t column = i % size, other = column < size / 2 ? i : i - size / 2;
    if (table->real(i) != table->real(other % (sequence * size)))
      return std::nullopt;
  }
  std::vector<int64_t> from;
  for (int64_t row = 0; row < sequence; ++row)
    for (int64_t column = 0; column < size / 2; ++column)
      from.push_back(row * size + column);
  return table->picked({sequence, size / 2}, from);
}

/// x of batch x heads x sequence x size.
ValueId build(NodeMaker &maker, ValueId x, Literal cosine, Literal sine, bool interleaved) {
  const Shape shape = maker.graph.at(x).shape;
  const ValueId turned = maker.makeOwn(
      "Rotary", {packHeads(maker, x), maker.literal(std::move(cosine)), maker.literal(std::move(sine))},
      {{"heads", shape[1]}, {"interleaved", int64_t(interleaved)}});
  return unpackHeads(maker, turned, shape[1]);
}

ValueId ownOperator(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  const Shape &shape = graph.at(node.inputs[0]).shape;
  const bool isPlain =
      node.inputs.size() == 3 && shape.size() == 4 && node.integer("rotary_embedding_dim", 0) == 0;
  if (!isPlain || !graph.at(node.inputs[1]).literal || !graph.at(node.inputs[2]).literal)
    return kAbsent;
  std::vector<Literal> tables;
  for (size_t i : {1, 2}) {
    const Literal &table = *graph.at(node.inputs[i]).literal;
    const int64_t each = shape[2] * shape[3] / 2;
    if (!table.isFloat() || table.size() < each || table.size() % each != 0)
      return kAbsent;
    std::vector<int64_t> from;
    for (int64_t at = 0; at < table.size(); ++at)
      if (table.real(at) != table.real(at % each))
        return kAbsent;
      else if (at < each)
        from.push_back(at);
    tables.push_back(table.picked({shape[2], shape[3] / 2}, from));
  }
  return build(maker, node.inputs[0], tables[0], tables[1], node.integer("interleaved", 0) != 0);
}

} // namespace

ValueId recognizeRotary(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  if (node.is("RotaryEmbedding"))
    return ownOperator(node, maker);
  const Shape &shape = graph.at(node.outputs[0]).shape;
  if (!node.is("Add") || shape.size() != 4)
    return kAbsent;
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<ValueId> plain = operandsOf(graph, node.inputs[i], "Mul"),
                               turned = operandsOf(graph, node.inputs[1 - i], "Mul");
    for (size_t p = 0; p < plain.size(); ++p)
      for (size_t t = 0; t < turned.size(); ++t) {
        const ValueId x = rotatedOperand(graph, turned[t]);
        if (x == kAbsent || x != plain[p] || graph.at(x).shape != shape)
          continue;
        std::optional<Literal> cosine = halfTable(graph, plain[1 - p], shape[2], shape[3]),
                               sine = halfTable(graph, turned[1 - t], shape[2], shape[3]);
        if (cosine && sine)
          return build(maker, x, std::move(*cosine), std::move(*sine), false);
      }
  }
  return kAbsent;
}

} // namespace windlass::onnx
