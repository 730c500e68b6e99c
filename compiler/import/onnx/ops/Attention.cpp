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

/// Columns [begin, begin + width) of a whole.
struct Columns {
  ValueId whole = kAbsent;
  int64_t begin = 0;
};

/// For a part that Split or Slice took from the last dimension.
Columns columnsOf(OpView &op, ValueId id) {
  const ValueId part = viewed(op.graph, id);
  const Node *node = op.graph.at(part).producer;
  if (!node || (!node->is("Split") && !node->is("Slice")))
    return {};
  const ValueId whole = node->inputs[0];
  const Shape &shape = op.graph.at(whole).shape, &own = op.graph.at(part).shape;
  if (shape.empty() || own.empty() || elementsOf(own) / own.back() != elementsOf(shape) / shape.back())
    return {};
  if (node->is("Split")) {
    int64_t begin = 0;
    for (ValueId other : node->outputs) {
      if (other == part)
        return {whole, begin};
      begin += other == kAbsent ? 0 : op.graph.at(other).shape.back();
    }
    return {};
  }
  const Literal *starts = node->inputs.size() > 1 ? op.graph.at(node->inputs[1]).literal.get() : nullptr;
  const Literal *steps = node->inputs.size() > 4 ? op.graph.at(node->inputs[4]).literal.get() : nullptr;
  if (!starts || starts->isFloat() || starts->size() != 1 || (steps && steps->real(0) != 1))
    return {};
  const int64_t begin = starts->integers[0];
  return {whole, begin < 0 ? begin + shape.back() : begin};
}

/// Queries, keys and values that are the thirds of one matrix, in this order.
std::optional<ValueId> packedOperand(OpView &op) {
  const int64_t width = op.shape(0)[2];
  const ValueId whole = columnsOf(op, op.in(0)).whole;
  if (whole == kAbsent || op.graph.at(whole).shape.back() != 3 * width || op.shape(1) != op.shape(0))
    return std::nullopt;
  for (size_t i = 0; i < 3; ++i)
    if (const Columns part = columnsOf(op, op.in(i));
        part.whole != whole || part.begin != static_cast<int64_t>(i) * width)
      return std::nullopt;
  return whole;
}

void writeAttention(OpView &op, Writer &writer) {
  const Sizes sizes = sizesOf(op);
  const int64_t columns = sizes.heads * sizes.width;
  const bool causal = op.integer("is_causal", 0) != 0;
  const double usual = 1 / std::sqrt(static_cast<double>(sizes.width)), scale = op.real("scale", usual);
  const bool isUsual = std::fabs(scale - usual) <= 1e-6 * usual;
  const Shape form = {sizes.batch * sizes.queries, columns};
  nlohmann::json json = {
      {"op", "attention"}, {"batch", sizes.batch}, {"heads", sizes.heads}, {"causal", causal}};
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

constexpr Operator kOperators[] = {
    {"Attention", "`attention`", inferAttention, nullptr, writeAttention},
};

} // namespace

std::span<const Operator> attentionOperators() { return kOperators; }

} // namespace windlass::onnx
