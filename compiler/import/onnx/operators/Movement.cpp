// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same elements in another shape or order.
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/operators/Writer.h"

#include <algorithm>
#include <numeric>

namespace windlass::onnx {
namespace {

//===----------------------------------------------------------------------===//
// Reshape, Flatten, Squeeze, Unsqueeze: another shape
//===----------------------------------------------------------------------===//

Shape reshaped(OpView &op) {
  std::optional<std::vector<int64_t>> given = op.integers("shape", 1);
  if (!op.need(given.has_value(), "the new shape must be given"))
    return {};
  Shape shape = *given;
  const Shape &source = op.shape(0);
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && op.integer("allowzero", 0) == 0) {
      if (!op.need(d < source.size(), "0 in the new shape must stand for a dimension of the old"))
        return {};
      shape[d] = source[d];
    }
    if (shape[d] == -1) {
      if (!op.need(!open, "the new shape may leave one size open"))
        return {};
      open = d;
    } else if (!op.need(shape[d] >= 0 && shape[d] <= (int64_t(1) << 31) &&
                            (known == 0 || shape[d] <= (int64_t(1) << 42) / known),
                        "sizes must be from -1 to 2^31, is " + std::to_string(shape[d]))) {
      return {};
    } else {
      known *= shape[d];
    }
  }
  if (open)
    shape[*open] = known == 0 ? 0 : elementsOf(source) / known;
  op.need(elementsOf(shape) == elementsOf(source),
          "cannot become " + describe(shape) + " from " + describe(source));
  return shape;
}

Shape flattened(OpView &op) {
  int64_t axis = op.integer("axis", 1);
  axis = axis < 0 ? axis + op.rank(0) : axis;
  if (!op.need(axis >= 0 && axis <= op.rank(0), "axis must be a dimension, is " + std::to_string(axis)))
    return {};
  const Shape &source = op.shape(0);
  const Shape left(source.begin(), source.begin() + axis), right(source.begin() + axis, source.end());
  return {elementsOf(left), elementsOf(right)};
}

Shape squeezed(OpView &op) {
  std::optional<std::vector<int64_t>> axes = op.axes("axes", 1, op.rank(0));
  Shape shape;
  for (int64_t d = 0; d < op.rank(0) && op.isOk(); ++d) {
    const int64_t extent = op.shape(0)[static_cast<size_t>(d)];
    const bool goes = axes ? std::ranges::binary_search(*axes, d) : extent == 1;
    op.need(!goes || extent == 1, "only dimensions of 1 can go, is " + describe(op.shape(0)));
    if (!goes)
      shape.push_back(extent);
  }
  return shape;
}

Shape unsqueezed(OpView &op) {
  std::optional<std::vector<int64_t>> given = op.integers("axes", 1);
  if (!op.need(given && given->size() <= 8, "at most 8 axes must be given"))
    return {};
  const int64_t rank = op.rank(0) + static_cast<int64_t>(given->size());
  std::optional<std::vector<int64_t>> axes = op.axes("axes", 1, rank);
  Shape shape;
  for (int64_t d = 0, from = 0; axes && d < rank; ++d)
    shape.push_back(std::ranges::binary_search(*axes, d) ? 1 : op.shape(0)[static_cast<size_t>(from++)]);
  return shape;
}

template <Shape (*shapeOf)(OpView &)> std::vector<Type> inferView(OpView &op) {
  Shape shape = shapeOf(op);
  return {{op.type(0), std::move(shape)}};
}

std::vector<Literal> evaluateView(OpView &op) { return {op.literal(0)->reshaped(op.result().shape)}; }

void writeView(OpView &op, Writer &writer) { writer.alias(op.out(), op.in(0)); }

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

std::vector<int64_t> permutation(OpView &op) {
  std::vector<int64_t> order(op.shape(0).size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::optional<std::vector<int64_t>> given = op.integers("perm");
  if (!given)
    return order;
  std::vector<int64_t> sorted = *given;
  std::ranges::sort(sorted);
  std::ranges::reverse(order);
  return op.need(sorted == order, "perm must name every dimension once") ? *given : order;
}

std::vector<Type> inferTranspose(OpView &op) {
  Shape shape;
  for (int64_t d : permutation(op))
    shape.push_back(op.shape(0)[static_cast<size_t>(d)]);
  return {{op.type(0), shape}};
}

std::vector<Literal> evaluateTranspose(OpView &op) {
  const std::vector<int64_t> order = permutation(op);
  const Shape strides = stridesOf(op.shape(0));
  std::vector<int64_t> from;
  forEachIndex(op.result().shape, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * strides[static_cast<size_t>(order[d])];
    from.push_back(at);
  });
  return {op.literal(0)->picked(op.result().shape, from)};
}

/// Whether the transposition keeps the order of all elements, since it moves only dimensions of size 1.
bool movesNothing(OpView &op, const std::vector<int64_t> &order) {
  int64_t last = -1;
  for (int64_t d : order) {
    if (op.shape(0)[static_cast<size_t>(d)] == 1)
      continue;
    if (d < last)
      return false;
    last = d;
  }
  return true;
}

void writeTranspose(OpView &op, Writer &writer) {
  const std::vector<int64_t> order = permutation(op);
  if (movesNothing(op, order))
    return writer.alias(op.out(), op.in(0));
  writer.define(op.out(), {{"op", "transpose"}, {"in", {writer.as(op.in(0))}}, {"perm", order}});
}

//===----------------------------------------------------------------------===//
// Expand, Tile
//===----------------------------------------------------------------------===//

std::vector<Type> inferExpand(OpView &op) {
  std::optional<std::vector<int64_t>> shape = op.integers("shape", 1);
  if (!shape ||
      !op.need(std::ranges::all_of(*shape, [](int64_t e) { return e >= 0 && e <= int64_t(1) << 31; }),
               "sizes must be from 0 to 2^31"))
    return {};
  return {{op.type(0), op.broadcast({op.shape(0), *shape})}};
}

std::vector<Literal> evaluateExpand(OpView &op) {
  return {op.literal(0)->picked(op.result().shape, broadcastOffsets(op.shape(0), op.result().shape))};
}

void writeExpand(OpView &op, Writer &writer) {
  if (elementsOf(op.shape(0)) == elementsOf(op.result().shape))
    return writer.alias(op.out(), op.in(0));
  Shape source = op.shape(0);
  source.insert(source.begin(), op.result().shape.size() - source.size(), 1);
  writer.define(op.out(),
                {{"op", "expand"}, {"in", {writer.as(op.in(0), source)}}, {"shape", op.result().shape}});
}

std::vector<Type> inferTile(OpView &op) {
  std::optional<std::vector<int64_t>> repeats = op.integers("repeats", 1);
  if (!repeats || !op.need(repeats->size() == op.shape(0).size(), "must have one repeat a dimension"))
    return {};
  Shape shape = op.shape(0);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!op.need((*repeats)[d] >= 0 && (*repeats)[d] <= int64_t(1) << 24, "repeats must be from 0 to 2^24"))
      return {};
    shape[d] *= (*repeats)[d];
  }
  return {{op.type(0), shape}};
}

std::vector<Literal> evaluateTile(OpView &op) {
  const Shape strides = stridesOf(op.shape(0));
  std::vector<int64_t> from;
  forEachIndex(op.result().shape, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] % op.shape(0)[d] * strides[d];
    from.push_back(at);
  });
  return {op.literal(0)->picked(op.result().shape, from)};
}

/// Writes a concatenation of copies of the tensor for each dimension that is repeated, one dimension after
/// the other.
void writeTile(OpView &op, Writer &writer) {
  if (!op.needElements(0))
    return;
  std::string name = writer.as(op.in(0));
  for (size_t d = 0; d < op.shape(0).size(); ++d)
    if (const int64_t copies = op.result().shape[d] / op.shape(0)[d]; copies > 1)
      name = writer.intermediate({{"op", "concat"},
                                  {"in", std::vector<std::string>(static_cast<size_t>(copies), name)},
                                  {"dim", d}});
  writer.declare(op.out(), name, op.result().shape);
}

constexpr Operator kOperators[] = {
    {"Reshape", "nothing, or `reshape`", 2, 2, inferView<reshaped>, evaluateView, writeView},
    {"Flatten", "nothing, or `reshape`", 1, 1, inferView<flattened>, evaluateView, writeView},
    {"Squeeze", "nothing, or `reshape`", 1, 2, inferView<squeezed>, evaluateView, writeView},
    {"Unsqueeze", "nothing, or `reshape`", 1, 2, inferView<unsqueezed>, evaluateView, writeView},
    {"Transpose", "`transpose`, or part of a product", 1, 1, inferTranspose, evaluateTranspose,
     writeTranspose},
    {"Expand", "`expand`", 2, 2, inferExpand, evaluateExpand, writeExpand},
    {"Tile", "`concat`", 2, 2, inferTile, evaluateTile, writeTile},
};

} // namespace

std::span<const Operator> movementOperators() { return kOperators; }

} // namespace windlass::onnx
