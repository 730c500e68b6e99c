// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over heads, and the rotation of its queries and keys.
#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

#include <cmath>

namespace windlass::onnx {
namespace {

/// Sizes of an attention node whose operands are batch x sequence x (heads * size).
struct Sizes {
  int64_t batch, queries, keys, heads, kvHeads, width;
};

Sizes sizesOf(OpView &op) {
  const int64_t heads = op.integer("q_num_heads", 0), kvHeads = op.integer("kv_num_heads", 0);
  return {op.shape(0)[0], op.shape(0)[1], op.shape(1)[1],
          heads,          kvHeads,        heads > 0 ? op.shape(0)[2] / heads : 0};
}

/// Checks that the mask, if there is one, broadcasts to batch x heads x queries x keys.
bool checkMask(OpView &op, const Shape &scores) {
  if (!op.has(3))
    return true;
  const Shape &mask = op.shape(3);
  bool fits = mask.size() <= scores.size();
  for (size_t d = 0; fits && d < mask.size(); ++d)
    fits = mask[d] == 1 || mask[d] == scores[scores.size() - mask.size() + d];
  return op.need(fits, "the mask must broadcast to " + describe(scores) + ", is " + describe(mask));
}

std::vector<Type> inferAttention(OpView &op) {
  if (!op.need(op.rank(0) == op.rank(1) && op.rank(1) == op.rank(2), "ranks must agree") ||
      !op.need(op.rank(0) == 3 || op.rank(0) == 4, "must have rank 3 or 4") ||
      !op.need(op.real("softcap", 0) == 0, "softcap is not supported"))
    return {};
  if (op.rank(0) == 4) {
    const Shape &queries = op.shape(0), &keys = op.shape(1), &values = op.shape(2);
    if (!op.need(values[3] == keys[3],
                 "values must have the size of keys (exported with opset_version=20 they need not)") ||
        !op.need(values == keys && queries[0] == keys[0] && queries[3] == keys[3] && keys[1] > 0 &&
                     queries[1] % keys[1] == 0,
                 "queries, keys and values must have the heads' sizes") ||
        !checkMask(op, {queries[0], queries[1], queries[2], keys[2]}))
      return {};
    Shape shape = op.shape(0);
    shape[3] = op.shape(2)[3];
    return std::vector<Type>(op.node.outputs.size(), {op.type(0), shape});
  }
  const Sizes sizes = sizesOf(op);
  if (!op.need(sizes.heads > 0 && sizes.kvHeads > 0 && sizes.heads % sizes.kvHeads == 0,
               "q_num_heads must be a multiple of kv_num_heads") ||
      !op.need(op.shape(0)[2] == sizes.heads * sizes.width && op.shape(1)[2] == sizes.kvHeads * sizes.width &&
                   op.shape(2) == op.shape(1) && op.shape(1)[0] == sizes.batch,
               "queries, keys and values must have the heads' sizes") ||
      !checkMask(op, {sizes.batch, sizes.heads, sizes.queries, sizes.keys}))
    return {};
  return std::vector<Type>(op.node.outputs.size(), op.typeOf(0));
}

/// Queries, keys and values that are the thirds of one matrix, in this order.
std::optional<ValueId> packedOperand(OpView &op) {
  const int64_t width = op.shape(0)[2];
  const ValueId whole = columnsOf(op.graph, op.in(0)).whole;
  if (whole == kAbsent || op.graph.at(whole).shape.back() != 3 * width || op.shape(1) != op.shape(0))
    return std::nullopt;
  for (size_t i = 0; i < 3; ++i)
    if (const Columns part = columnsOf(op.graph, op.in(i));
        part.whole != whole || part.begin != static_cast<int64_t>(i) * width)
      return std::nullopt;
  return whole;
}

void writeAttention(OpView &op, Writer &writer) {
  if (!op.need(op.node.outputs.size() == 1, "only its first result is supported") || !op.needElements(0) ||
      !op.needElements(1) || !op.needElements(2))
    return;
  const Sizes sizes = sizesOf(op);
  const int64_t columns = sizes.heads * sizes.width;
  const bool causal = op.integer("is_causal", 0) != 0;
  const double usual = 1 / std::sqrt(static_cast<double>(sizes.width)), scale = op.real("scale", usual);
  const bool isUsual = std::fabs(scale - usual) <= 1e-6 * usual;
  const Shape form = {sizes.batch * sizes.queries, columns};
  nlohmann::json json = {
      {"op", "attention"}, {"batch", sizes.batch}, {"heads", sizes.heads}, {"causal", causal}};
  if (const double dropout = op.real("dropout", 0); dropout > 0) // set by recognition alone
    json["dropout"] = dropout;
  std::optional<ValueId> packed = packedOperand(op);
  if (packed && !op.has(3) && isUsual) {
    json["in"] = {writer.matrix(*packed, 3 * columns)};
    return writer.define(op.out(), json, form);
  }
  json["in"] = {writer.matrix(op.in(0), columns), writer.matrix(op.in(1), sizes.kvHeads * sizes.width),
                writer.matrix(op.in(2), sizes.kvHeads * sizes.width)};
  json["kv_heads"] = sizes.kvHeads;
  if (!isUsual)
    json["scale"] = scale;
  if (op.has(3))
    json["in"].push_back(writer.as(op.in(3)));
  writer.define(op.out(), json, form);
}

/// The sizes of a RotaryEmbedding, which turns `width` of the `size` columns of each head. The angles have
/// `rows`, for each sequence or for all of them.
struct Turn {
  int64_t batch, heads, sequence, size, width, rows;
};

Turn turnOf(OpView &op) {
  const Shape &x = op.shape(0);
  const bool hasHeads = x.size() == 4;
  const int64_t heads = hasHeads ? x[1] : std::max<int64_t>(op.integer("num_heads", 1), 1);
  Turn turn{x[0], heads, hasHeads ? x[2] : x[1], hasHeads ? x[3] : x[2] / heads, 0, 0};
  turn.width = op.integer("rotary_embedding_dim", 0);
  turn.width = turn.width == 0 ? turn.size : turn.width;
  turn.rows = op.has(3)        ? elementsOf(op.shape(3))
              : turn.width > 0 ? 2 * elementsOf(op.shape(1)) / turn.width
                               : 0;
  return turn;
}

std::vector<Type> inferRotaryEmbedding(OpView &op) {
  if (!op.need(op.rank(0) == 3 || op.rank(0) == 4, "must have rank 3 or 4") || !op.needElements(0))
    return {};
  const Turn turn = turnOf(op);
  const Shape &table = op.shape(1);
  if (!op.need(turn.heads * turn.size * turn.sequence * turn.batch == elementsOf(op.shape(0)),
               "num_heads must divide the columns") ||
      !op.need(turn.width > 0 && turn.width <= turn.size && turn.width % 2 == 0,
               "an even number of each head's " + std::to_string(turn.size) + " columns must be turned") ||
      !op.need(table == op.shape(2) && !table.empty() && 2 * table.back() == turn.width,
               "tables must have a column for two of those that are turned") ||
      !op.need(!op.has(3) || (table.size() == 2 && !isFloat(op.type(3))),
               "positions must be integers, and tables then matrices") ||
      !op.need(turn.rows == turn.sequence || turn.rows == turn.batch * turn.sequence,
               "there must be angles for each of " + std::to_string(turn.sequence) + " places"))
    return {};
  return {op.typeOf(0)};
}

/// Writes a RotaryEmbedding whose tables recognize/Rotary.cpp does not know, as single operations.
void writeRotaryEmbedding(OpView &op, Writer &writer) {
  const Turn turn = turnOf(op);
  const int64_t half = turn.width / 2, sequences = turn.rows / turn.sequence;
  const bool hasHeads = op.rank(0) == 4, isInterleaved = op.integer("interleaved", 0) != 0;
  const int64_t outer = hasHeads ? turn.heads : turn.sequence, inner = hasHeads ? turn.sequence : turn.heads;
  const Shape whole = {turn.batch, outer, inner, turn.size};
  const std::string x = writer.as(op.in(0), whole);
  Formula f(writer);
  auto tableOf = [&](size_t i) {
    std::string table =
        op.has(3) ? f.apply("embedding", {writer.as(op.in(i)), writer.as(op.in(3))}) : writer.as(op.in(i));
    return f.reshape(table, hasHeads ? Shape{sequences, 1, turn.sequence, half}
                                     : Shape{sequences, turn.sequence, 1, half});
  };
  auto columns = [&](int64_t begin, int64_t end, int64_t step) {
    return writer.intermediate({{"op", "slice"},
                                {"in", {x}},
                                {"starts", {begin}},
                                {"ends", {end}},
                                {"steps", {step}},
                                {"dims", {3}}});
  };
  const std::string first = isInterleaved ? columns(0, turn.width, 2) : columns(0, half, 1);
  const std::string second = isInterleaved ? columns(1, turn.width, 2) : columns(half, turn.width, 1);
  const std::string cosine = tableOf(1), sine = tableOf(2);
  auto combined = [&](const char *op, const std::string &ofFirst, const std::string &ofSecond) {
    return f.apply(op, {f.mul(ofFirst, first), f.mul(ofSecond, second)});
  };
  std::vector<std::string> parts = {combined("sub", cosine, sine), combined("add", sine, cosine)};
  if (isInterleaved) {
    for (std::string &part : parts)
      part = f.reshape(part, {turn.batch, outer, inner, half, 1});
    const std::string pairs = writer.intermediate({{"op", "concat"}, {"in", parts}, {"dim", 4}});
    parts = {f.reshape(pairs, {turn.batch, outer, inner, turn.width})};
  }
  if (turn.width < turn.size)
    parts.push_back(columns(turn.width, turn.size, 1));
  writer.define(op.out(), {{"op", "concat"}, {"in", parts}, {"dim", 3}}, whole);
}

constexpr Operator kOperators[] = {
    {"Attention", "`attention`", 3, 4, inferAttention, nullptr, writeAttention},
    {"RotaryEmbedding", "`rotary`; `mul`, `slice` and `concat` where tables depend on data", 3, 4,
     inferRotaryEmbedding, nullptr, writeRotaryEmbedding},
};

} // namespace

std::span<const Operator> attentionOperators() { return kOperators; }

} // namespace windlass::onnx
