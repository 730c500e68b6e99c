// Attention over heads, and the rotation of its queries and keys.
#include "compiler/import/onnx/Views.h"
#include "compiler/import/onnx/Writer.h"
#include "compiler/import/onnx/ops/Operator.h"

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

std::vector<Type> inferAttention(OpView &op) {
  if (!op.needInputs(3, 4) ||
      !op.need(op.rank(0) == op.rank(1) && op.rank(1) == op.rank(2), "ranks must agree") ||
      !op.need(op.rank(0) == 3 || op.rank(0) == 4, "must have rank 3 or 4") ||
      !op.need(op.real("softcap", 0) == 0, "softcap is not supported"))
    return {};
  if (op.rank(0) == 4) {
    Shape shape = op.shape(0);
    shape[3] = op.shape(2)[3];
    return std::vector<Type>(op.node.outputs.size(), {op.type(0), shape});
  }
  const Sizes sizes = sizesOf(op);
  if (!op.need(sizes.heads > 0 && sizes.kvHeads > 0 && sizes.heads % sizes.kvHeads == 0,
               "q_num_heads must be a multiple of kv_num_heads") ||
      !op.need(op.shape(0)[2] == sizes.heads * sizes.width && op.shape(1)[2] == sizes.kvHeads * sizes.width &&
                   op.shape(2) == op.shape(1) && op.shape(1)[0] == sizes.batch,
               "queries, keys and values must have the heads' sizes"))
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
  if (!op.needElements(0) || !op.needElements(1) || !op.needElements(2))
    return;
  const Sizes sizes = sizesOf(op);
  const int64_t columns = sizes.heads * sizes.width;
  const bool causal = op.integer("is_causal", 0) != 0;
  const double usual = 1 / std::sqrt(static_cast<double>(sizes.width)), scale = op.real("scale", usual);
  const bool isUsual = std::fabs(scale - usual) <= 1e-6 * usual;
  const Shape form = {sizes.batch * sizes.queries, columns};
  nlohmann::json json = {
      {"op", "attention"}, {"batch", sizes.batch}, {"heads", sizes.heads}, {"causal", causal}};
  if (const double dropout = op.real("dropout", 0); dropout > 0) // only recognition says so
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

/// Recognised where its tables are known (recognize/Rotary.cpp).
std::vector<Type> inferRotaryEmbedding(OpView &op) {
  return op.needInputs(3, 4) ? std::vector<Type>{op.typeOf(0)} : std::vector<Type>();
}

constexpr Operator kOperators[] = {
    {"Attention", "`attention`", inferAttention, nullptr, writeAttention},
    {"RotaryEmbedding", "`rotary`, with known tables", inferRotaryEmbedding, nullptr, nullptr},
};

} // namespace

std::span<const Operator> attentionOperators() { return kOperators; }

} // namespace windlass::onnx
