// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and the rotary embedding of its queries and keys.

#include "compiler/import/graphjson/GraphJsonOp.h"
#include "runtime/base/Units.h"
#include <cmath>

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The keys of an attention.
struct AttentionKeys {
  int64_t batch, heads, kvHeads;
  bool causal;
  IntegerAttr window;
  FloatAttr scale, dropout;

  explicit AttentionKeys(GraphJsonOp &op)
      : batch(op.dims.size(op.place.at("batch"))), heads(op.dims.size(op.place.at("heads"))),
        kvHeads(op.place.has("kv_heads") ? op.dims.size(op.place.at("kv_heads")) : heads),
        causal(op.flag("causal")) {
    if (op.place.has("window"))
      window = op.builder.getI64IntegerAttr(op.dims.size(op.place.at("window")));
    if (op.place.has("scale"))
      scale = op.builder.getF64FloatAttr(op.place.at("scale").number(-1e6, 1e6));
    if (double rate = op.dropoutRate("dropout"); rate > 0)
      dropout = op.builder.getF64FloatAttr(rate);
  }
};

/// Checks that input i is (batch*tokens) x (heads*size). Returns the number of tokens; 0 after a failure.
int64_t needHeads(GraphJsonOp &op, size_t i, int64_t batch, int64_t heads) {
  if (!op.needMatrix(i) ||
      !op.need(op.dim(i, 0) % batch == 0, i, "must have a multiple of " + std::to_string(batch) + " rows") ||
      !op.need(op.dim(i, 1) % heads == 0, i, "must have a multiple of " + std::to_string(heads) + " columns"))
    return 0;
  return op.dim(i, 0) / batch;
}

Value create(GraphJsonOp &op, const AttentionKeys &keys, ValueRange inputs, Value mask, int64_t columns,
             int64_t tokens) {
  RankedTensorType result = tensorType({keys.batch * tokens, columns}, op.f32());
  RankedTensorType lse = tensorType({keys.batch, keys.heads, tokens}, op.f32());
  IntegerAttr kvHeads =
      keys.kvHeads == keys.heads ? IntegerAttr() : op.builder.getI64IntegerAttr(keys.kvHeads);
  return AttentionOp::create(op.builder, op.loc, result, lse, inputs, mask, ValueRange(),
                             op.builder.getI64IntegerAttr(keys.batch),
                             op.builder.getI64IntegerAttr(keys.heads), kvHeads,
                             keys.causal ? op.builder.getUnitAttr() : UnitAttr(), keys.window, keys.scale,
                             keys.dropout, op.builder.getI64IntegerAttr(0))
      .getResult();
}

/// Queries, keys and values side by side, as GPT-2 has them.
Values buildPacked(GraphJsonOp &op, const AttentionKeys &keys) {
  int64_t tokens = needHeads(op, 0, keys.batch, 3 * keys.heads);
  if (tokens == 0 ||
      !op.need(keys.kvHeads == keys.heads, 0, "must be q, k and v apart where there is \"kv_heads\""))
    return {};
  return {create(op, keys, op.in, Value(), op.dim(0, 1) / 3, tokens)};
}

Values buildAttention(GraphJsonOp &op) {
  AttentionKeys keys(op);
  if (!op.place.isOk())
    return {};
  if (op.in.size() == 1)
    return buildPacked(op, keys);
  if (!op.need(op.in.size() >= 3, 0, "must be q, k and v together, or be followed by k and v"))
    return {};
  int64_t queries = needHeads(op, 0, keys.batch, keys.heads);
  int64_t tokens = queries == 0 ? 0 : needHeads(op, 1, keys.batch, keys.kvHeads);
  if (tokens == 0 || !op.needMatrix(2) || !op.needShape(2, op.shape(1)) ||
      !op.need(keys.heads % keys.kvHeads == 0 && op.dim(1, 1) * keys.heads == op.dim(0, 1) * keys.kvHeads, 1,
               "must have heads of the size that q has"))
    return {};
  Value mask;
  if (op.in.size() == 4) {
    Shape scores{keys.batch, keys.heads, queries, tokens};
    bool fits = op.rank(3) <= 4 && broadcastShape(scores, op.shape(3)) == scores;
    if (!op.needFloats(3) || !op.need(fits, 3, "must broadcast to " + formatShape(scores)))
      return {};
    Shape shape(4 - op.rank(3), 1);
    llvm::append_range(shape, op.shape(3));
    mask = buildReshape(op.builder, op.loc, op.in[3], shape);
  }
  return {create(op, keys, ArrayRef<Value>(op.in).take_front(3), mask, op.dim(0, 1), queries)};
}

//===----------------------------------------------------------------------===//
// Rotary embedding
//===----------------------------------------------------------------------===//

/// Cosines and sines of position * frequency. Angles are rounded to f32, as PyTorch's are.
Values buildRotaryTable(GraphJsonOp &op) {
  int64_t positions = op.dims.size(op.place.at("positions"));
  double factor = op.number("factor", 1, 1e-6, 1e6);
  JsonReader list = op.place.at("frequencies");
  SmallVector<double> frequencies;
  for (size_t i = 0; i < list.size() && list.isOk(); ++i)
    frequencies.push_back(list.at(i).number(0, 1e6));
  if (op.place.isOk() && frequencies.empty())
    list.fail("must be at least one number");
  if (!op.place.isOk())
    return {};
  auto half = static_cast<int64_t>(frequencies.size());
  RankedTensorType type = tensorType({positions, half}, op.f32());
  Value speed = buildLiterals(op.builder, op.loc, tensorType({half}, op.f32()), frequencies);
  AffineMap columns = loopsMap(op.context(), 2, {1});
  MapOp tables = buildMap(op.builder, op.loc, speed, columns, {type, type},
                          [&](const Scalars &s, ValueRange x) -> SmallVector<Value> {
                            Value position =
                                arith::SIToFPOp::create(s.builder, s.loc, op.f32(), s.index(0, op.i32()));
                            Value angle = s.mul(position, x[0]);
                            Value cosine = math::CosOp::create(s.builder, s.loc, angle);
                            Value sine = math::SinOp::create(s.builder, s.loc, angle);
                            return {s.mul(cosine, s.like(angle, factor)), s.mul(sine, s.like(angle, factor))};
                          });
  return {tables.getResult(0), tables.getResult(1)};
}

/// Turns every pair (a, b) of a head's columns to (a cos - b sin, b cos + a sin). The dimensions of `x` are
/// sequence, token, head, and two more, `which` (a or b) and `pair`, in either order.
Value rotate(GraphJsonOp &op, Value x, unsigned which, unsigned pair) {
  auto d = [&](unsigned loop) { return op.builder.getAffineDimExpr(loop); };
  SmallVector<AffineExpr> partner{d(0), d(1), d(2), d(3), d(4)};
  partner[which] = 1 - d(which);
  AffineMap table = AffineMap::get(5, 0, {d(1), d(pair)}, op.context());
  return buildMap(op.builder, op.loc, {x, x, op.in[1], op.in[2]},
                  {identityMap(op.context(), 5), AffineMap::get(5, 0, partner, op.context()), table, table},
                  typeOf(x), [&](const Scalars &s, ValueRange in) {
                    Value first = s.constant(s.builder.getIndexType(), 0);
                    Value isFirst = s.compare(arith::CmpIPredicate::eq, s.index(which), first);
                    Value turned = s.mul(in[1], in[3]);
                    Value straight = s.mul(in[0], in[2]);
                    return s.add(straight, s.select(isFirst, s.neg(turned), turned));
                  });
}

/// Columns [begin, begin + count) of every head.
Value columns(GraphJsonOp &op, Value x, int64_t begin, int64_t count) {
  Shape shape(typeOf(x).getShape());
  shape.back() = count;
  SmallVector<AffineExpr> indices;
  for (unsigned loop = 0; loop < shape.size(); ++loop)
    indices.push_back(op.builder.getAffineDimExpr(loop));
  indices.back() = indices.back() + begin;
  return buildMap(op.builder, op.loc, x, AffineMap::get(shape.size(), 0, indices, op.context()),
                  tensorType(shape, op.f32()), [](const Scalars &, ValueRange in) { return in[0]; });
}

/// Checks that x has a row for each token of each sequence, of which the tables have one row for each token.
/// A table that is shorter or longer than the sequences would turn tokens by the angles of others.
bool needTokens(GraphJsonOp &op) {
  const int64_t rows = op.dim(0, 0), positions = op.dim(1, 0);
  const std::string tokens =
      " sequences of " + std::to_string(positions) + " tokens, as the tables have rows";
  std::optional<int64_t> batch =
      op.place.has("batch") ? std::optional(op.dims.size(op.place.at("batch"))) : op.dims.batch();
  if (!op.place.isOk())
    return false;
  return batch ? op.need(rows % *batch == 0 && rows / *batch == positions, 0,
                         "must have " + std::to_string(*batch) + tokens)
               : op.need(rows % positions == 0, 0, "must have" + tokens);
}

/// Turns the leading columns of each head, two for each column of the tables; the other columns stay as they
/// are.
Values buildRotary(GraphJsonOp &op) {
  int64_t heads = op.dims.size(op.place.at("heads"));
  bool interleaved = op.flag("interleaved");
  if (!op.place.isOk() || !op.needMatrix(0) || !op.needMatrix(1) || !op.needFloats(2) ||
      !op.needShape(2, op.shape(1)) || !needTokens(op))
    return {};
  int64_t positions = op.dim(1, 0), half = op.dim(1, 1), rows = op.dim(0, 0), size = op.dim(0, 1) / heads;
  if (!op.need(op.dim(0, 1) % heads == 0 && size >= 2 * half, 0,
               "must have " + std::to_string(heads) + " heads of at least " + std::to_string(2 * half) +
                   " columns"))
    return {};
  Shape whole{rows / positions, positions, heads, size}, pairs{whole[0], positions, heads, 2, half};
  if (interleaved)
    std::swap(pairs[3], pairs[4]);
  Value x = buildReshape(op.builder, op.loc, op.in[0], whole);
  Value head = size == 2 * half ? x : columns(op, x, 0, 2 * half);
  Shape turnedShape(typeOf(head).getShape());
  Value turned =
      rotate(op, buildReshape(op.builder, op.loc, head, pairs), interleaved ? 4 : 3, interleaved ? 3 : 4);
  turned = buildReshape(op.builder, op.loc, turned, turnedShape);
  if (size > 2 * half)
    turned =
        StackOp::create(op.builder, op.loc, tensorType(whole, op.f32()),
                        ValueRange{turned, columns(op, x, 2 * half, size - 2 * half)},
                        AffineMapAttr::get(identityMap(op.context(), 4)), op.builder.getI64IntegerAttr(3));
  return {buildReshape(op.builder, op.loc, turned, op.shape(0))};
}

constexpr GraphJsonEntry kAttentionOps[] = {
    {"attention", "q, [k], [v], [mask]",
     "batch, heads, kv_heads (heads), causal (false), window (none), scale (1/√size), dropout (0)",
     "attention of batch sequences, whose rows are one below the other; q has heads x size columns, k and v "
     "have kv_heads x size; without k and v, q holds queries, keys and values side by side; the mask is "
     "added to the scores (batch x heads x queries x keys); the result of a query that sees no key, by "
     "window or "
     "by a mask of -inf, is 0, without gradients; dropout is the share of the probabilities that training "
     "drops",
     buildAttention},
    {"rotary_table", "", "positions, frequencies, factor (1)",
     "two results: cosine and sine of position times frequency, each multiplied by factor", buildRotaryTable},
    {"rotary", "x, cos, sin", "heads, batch (that of dims), interleaved (false)",
     "rotates pairs of columns of each head by the angles of the token; a pair is columns i and i + half, or "
     "two neighbours (interleaved); x has batch sequences of as many tokens as cos and sin have rows",
     buildRotary},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> attentionOps() { return kAttentionOps; }

} // namespace windlass
