// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that indices name.
#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/operators/Cut.h"
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/repair/PaddingRows.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

//===----------------------------------------------------------------------===//
// Gather, GatherElements
//===----------------------------------------------------------------------===//

std::vector<Type> inferGather(OpView &op) {
  if (!op.need(!isFloat(op.type(1)), "indices must be integers"))
    return {};
  const int64_t axis = op.axis("axis", 0, op.rank(0));
  if (!op.isOk())
    return {};
  const Shape &data = op.shape(0), &indices = op.shape(1);
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return {{op.type(0), shape}};
}

/// Index i, counted from the start; negative indices count from the end. An error if it is outside.
int64_t indexAt(OpView &op, int64_t i, int64_t extent) {
  const int64_t index = op.literal(1)->integers[static_cast<size_t>(i)];
  return op.need(index >= -extent && index < extent,
                 "an index must be below " + std::to_string(extent) + ", is " + std::to_string(index))
             ? (index + extent) % extent
             : 0;
}

std::vector<Literal> evaluateGather(OpView &op) {
  const size_t axis = static_cast<size_t>(op.axis("axis", 0, op.rank(0)));
  const Shape &data = op.shape(0), &indices = op.shape(1);
  const int64_t outer = elementsOf({data.begin(), data.begin() + axis}), extent = data[axis];
  const int64_t inner = elementsOf({data.begin() + axis + 1, data.end()});
  std::vector<int64_t> from;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < elementsOf(indices); ++i) {
      const int64_t index = indexAt(op, i, extent);
      for (int64_t n = 0; n < inner && op.isOk(); ++n)
        from.push_back((o * extent + index) * inner + n);
    }
  return op.isOk() ? std::vector<Literal>{op.literal(0)->picked(op.result().shape, from)}
                   : std::vector<Literal>();
}

/// The first of known indices, if they are consecutive.
std::optional<int64_t> consecutive(OpView &op, int64_t extent) {
  const Literal *indices = op.literal(1);
  if (!indices || indices->size() == 0)
    return std::nullopt;
  const int64_t first = indexAt(op, 0, extent);
  for (int64_t i = 1; i < indices->size(); ++i)
    if (indexAt(op, i, extent) != first + i)
      return std::nullopt;
  return first;
}

/// Writes the reading of the first rows of a table of positions, as a look-up.
void writePositions(OpView &op, Writer &writer, int64_t count) {
  const std::string zeros =
      writer.intermediate({{"op", "constant"}, {"value", 0}, {"type", "i32"}, {"shape", {count}}});
  const std::string positions = writer.intermediate({{"op", "positions"}, {"in", {zeros}}, {"dim", 0}});
  writer.define(op.out(), {{"op", "embedding"}, {"in", {writer.as(op.in(0)), positions}}},
                {count, op.shape(0)[1]});
}

/// Whether no index is negative: an input, whose values are checked before the run, or known numbers; perhaps
/// moved.
bool isNatural(const Graph &graph, ValueId id) {
  const Value &value = graph.at(id);
  if (value.literal)
    return !value.literal->isFloat() &&
           std::ranges::all_of(value.literal->integers, [](int64_t index) { return index >= 0; });
  if (!value.producer)
    return true;
  const Node &node = *value.producer;
  return (isView(node) || node.is("Cast") || node.is("Expand") || node.is("Slice") || node.is("Transpose")) &&
         !isFloat(graph.at(node.inputs[0]).type) && isNatural(graph, node.inputs[0]);
}

/// Indices of which negative ones count from the end, as indices from the start.
std::string fromStart(Formula &f, const std::string &indices, int64_t extent) {
  const std::string wrapped = f.add(indices, f.number(static_cast<double>(extent), "i32"));
  return f.where(f.apply("less", {indices, f.number(0, "i32")}), wrapped, indices);
}

/// The row numbers that indices mean, of which negative ones count from the end.
std::string writeRowNumbers(OpView &op, Writer &writer, int64_t rows) {
  const std::string indices = writer.as(op.in(1), {elementsOf(op.shape(1))});
  Formula f(writer);
  return isNatural(op.graph, op.in(1)) ? indices : fromStart(f, indices, rows);
}

void writeGather(OpView &op, Writer &writer) {
  const int64_t axis = op.axis("axis", 0, op.rank(0));
  const int64_t extent = op.shape(0)[static_cast<size_t>(axis)], count = elementsOf(op.shape(1));
  const auto *padding = op.node.attribute<int64_t>(kPaddingRow);
  if (std::optional<int64_t> first = consecutive(op, extent); first && !padding) {
    if (axis == 0 && op.rank(0) == 2 && *first == 0 && op.graph.at(op.in(0)).weight)
      return writePositions(op, writer, count);
    if (count == extent)
      return writer.alias(op.out(), op.in(0));
    const Cut cut = cutOf(op, writer, 0, axis);
    return writer.define(op.out(),
                         {{"op", "slice"},
                          {"in", {writer.as(op.in(0), cut.shape)}},
                          {"starts", {*first}},
                          {"ends", {*first + count}},
                          {"dims", {cut.axis}}},
                         withExtent(cut.shape, cut.axis, count));
  }
  if (axis == 0 && op.rank(0) == 2) {
    nlohmann::json lookup = {{"op", "embedding"},
                             {"in", {writer.as(op.in(0)), writeRowNumbers(op, writer, extent)}}};
    if (padding)
      lookup["padding"] = *padding;
    return writer.define(op.out(), std::move(lookup), {count, op.shape(0)[1]});
  }
  writer.define(op.out(),
                {{"op", "gather"}, {"in", {writer.as(op.in(0)), writer.as(op.in(1))}}, {"dim", axis}});
}

std::vector<Type> inferGatherElements(OpView &op) {
  if (!op.need(!isFloat(op.type(1)) && op.rank(1) == op.rank(0),
               "indices must be integers of as many dimensions as the data"))
    return {};
  const auto axis = static_cast<size_t>(op.axis("axis", 0, op.rank(0)));
  if (!op.isOk())
    return {};
  const Shape &data = op.shape(0), &indices = op.shape(1);
  for (size_t d = 0; d < data.size(); ++d)
    if (!op.need(d == axis || indices[d] <= data[d], "indices must lie within the data, " + describe(data) +
                                                         ", but for dimension " + std::to_string(axis) +
                                                         ", are " + describe(indices)))
      return {};
  return {{op.type(0), indices}};
}

std::vector<Literal> evaluateGatherElements(OpView &op) {
  const size_t axis = static_cast<size_t>(op.axis("axis", 0, op.rank(0)));
  const Shape &data = op.shape(0), &indices = op.shape(1), strides = stridesOf(data);
  std::vector<int64_t> from;
  forEachIndex(indices, [&](Shape index) {
    index[axis] = indexAt(op, static_cast<int64_t>(from.size()), data[axis]);
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * strides[d];
    from.push_back(at);
  });
  return op.isOk() ? std::vector<Literal>{op.literal(0)->picked(indices, from)} : std::vector<Literal>();
}

/// Writes a look-up by element. Integers are computed in f32, and exact up to 2^24.
void writeGatherElements(OpView &op, Writer &writer) {
  const bool isReal = isFloat(op.type(0));
  Formula f(writer);
  const std::string x = writer.as(op.in(0));
  nlohmann::json taken = {{"op", "gather_elements"},
                          {"in", {isReal ? x : f.cast(x, "f32"), writer.as(op.in(1))}},
                          {"dim", op.axis("axis", 0, op.rank(0))}};
  if (!isReal)
    taken = {{"op", "cast"}, {"in", {writer.intermediate(std::move(taken))}}, {"type", "i32"}};
  writer.define(op.out(), std::move(taken));
}

//===----------------------------------------------------------------------===//
// GatherND
//===----------------------------------------------------------------------===//

/// Leading dimensions that data and indices share.
int64_t sharedDims(OpView &op) { return op.integer("batch_dims", 0); }

std::vector<Type> inferGatherNd(OpView &op) {
  if (!op.need(!isFloat(op.type(1)) && op.rank(1) > 0, "indices must be integers"))
    return {};
  const Shape &data = op.shape(0), &indices = op.shape(1);
  const int64_t shared = sharedDims(op);
  if (!op.need(shared >= 0 && shared < op.rank(1) && shared + indices.back() <= op.rank(0) &&
                   std::equal(data.begin(), data.begin() + shared, indices.begin()),
               "indices must be tuples of at most as many integers as the data has dimensions, and share " +
                   std::to_string(shared) + " with it"))
    return {};
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + shared + indices.back(), data.end());
  return {{op.type(0), shape}};
}

/// For each tuple of known indices: the number of the row of `data`, flattened to a matrix whose rows are the
/// parts that a tuple selects.
std::vector<int64_t> rowsOfTuples(OpView &op) {
  const Shape &data = op.shape(0), &indices = op.shape(1);
  const int64_t shared = sharedDims(op), depth = indices.back();
  const int64_t groups = elementsOf({indices.begin(), indices.begin() + shared});
  const int64_t tuples = elementsOf({indices.begin() + shared, indices.end() - 1});
  std::vector<int64_t> rows;
  for (int64_t t = 0; t < groups * tuples && op.isOk(); ++t) {
    int64_t row = t / tuples;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t extent = data[static_cast<size_t>(shared + d)];
      row = row * extent + indexAt(op, t * depth + d, extent);
    }
    rows.push_back(row);
  }
  return rows;
}

int64_t widthOfTuple(OpView &op) {
  return elementsOf({op.shape(0).begin() + sharedDims(op) + op.shape(1).back(), op.shape(0).end()});
}

std::vector<Literal> evaluateGatherNd(OpView &op) {
  const int64_t width = widthOfTuple(op);
  std::vector<int64_t> from;
  for (int64_t row : rowsOfTuples(op))
    for (int64_t n = 0; n < width; ++n)
      from.push_back(row * width + n);
  return op.isOk() ? std::vector<Literal>{op.literal(0)->picked(op.result().shape, from)}
                   : std::vector<Literal>();
}

/// The same for tuples that depend on data; every step computes the numbers. The number is -1, which is no
/// row, if any index of the tuple lies outside of its dimension.
std::string writeRowsOfTuples(OpView &op, Writer &writer) {
  const Shape &indices = op.shape(1);
  const int64_t shared = sharedDims(op), depth = indices.back(), count = elementsOf(indices) / depth;
  const int64_t groups = elementsOf({indices.begin(), indices.begin() + shared});
  const std::string tuples = writer.matrix(op.in(1), depth);
  Formula f(writer);
  std::string rows = f.reshape(f.positions(groups, count / groups, 0), {count, 1});
  const std::string zero = f.number(0, "i32");
  std::string isOutside = zero;
  for (int64_t d = 0; d < depth; ++d) {
    const int64_t extent = op.shape(0)[static_cast<size_t>(shared + d)];
    const std::string end = f.number(static_cast<double>(extent), "i32");
    const std::string column = writer.intermediate(
        {{"op", "slice"}, {"in", {tuples}}, {"starts", {d}}, {"ends", {d + 1}}, {"dims", {1}}});
    const std::string index = fromStart(f, column, extent);
    const std::string isBefore = f.apply("less", {index, zero});
    const std::string isBehind = f.apply("greater_equal", {index, end});
    isOutside = f.apply("or", {isOutside, f.apply("or", {isBefore, isBehind})});
    rows = f.add(f.mul(rows, end), index);
  }
  return f.reshape(f.where(isOutside, f.number(-1, "i32"), rows), {count});
}

/// Writes a look-up of rows. Integers are computed in f32, and exact up to 2^24.
void writeGatherNd(OpView &op, Writer &writer) {
  if (!op.needElements(0) || !op.needElements(1))
    return;
  const int64_t width = widthOfTuple(op), rows = elementsOf(op.shape(0)) / width;
  if (!op.need(rows <= INT32_MAX, "must have fewer than 2^31 rows, has " + std::to_string(rows)))
    return;
  const std::string list =
      op.literal(1) ? writer.intermediate({{"op", "constant"}, {"value", rowsOfTuples(op)}, {"type", "i32"}})
                    : writeRowsOfTuples(op, writer);
  const bool isReal = isFloat(op.type(0));
  const std::string table = writer.as(op.in(0), {rows, width});
  Formula f(writer);
  nlohmann::json lookup = {{"op", "embedding"}, {"in", {isReal ? table : f.cast(table, "f32"), list}}};
  if (!isReal)
    lookup = {{"op", "cast"}, {"in", {writer.intermediate(std::move(lookup))}}, {"type", "i32"}};
  writer.define(op.out(), std::move(lookup), {elementsOf(op.result().shape) / width, width});
}

constexpr Operator kOperators[] = {
    {"Gather", "`embedding`, `slice` or `gather`", 2, 2, inferGather, evaluateGather, writeGather},
    {"GatherElements", "`gather_elements`", 2, 2, inferGatherElements, evaluateGatherElements,
     writeGatherElements},
    {"GatherND", "`embedding`, or `expand`", 2, 2, inferGatherNd, evaluateGatherNd, writeGatherNd},
};

} // namespace

std::span<const Operator> gatherOperators() { return kOperators; }

} // namespace windlass::onnx
