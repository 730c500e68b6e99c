// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, splits, concatenations and gathers.
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/repair/PaddingRows.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

/// The offsets of the elements of `shape`; `at(index)` gives each.
template <typename At> std::vector<int64_t> offsets(const Shape &shape, At at) {
  std::vector<int64_t> from;
  from.reserve(static_cast<size_t>(elementsOf(shape)));
  forEachIndex(shape, [&](const Shape &index) { from.push_back(at(index)); });
  return from;
}

int64_t dot(const Shape &index, const Shape &strides) {
  int64_t sum = 0;
  for (size_t d = 0; d < index.size(); ++d)
    sum += index[d] * strides[d];
  return sum;
}

/// A shape in which a value can be cut along `axis`: the shape in which it was written, if that has the axis
/// last.
struct Cut {
  Shape shape;
  int64_t axis;
};

Cut cutOf(OpView &op, Writer &writer, size_t input, int64_t axis) {
  const Shape &shape = op.shape(input), held = writer.held(op.in(input));
  const bool isLast = axis + 1 == op.rank(input) && !held.empty() && held.back() == shape.back();
  return isLast ? Cut{held, static_cast<int64_t>(held.size()) - 1} : Cut{shape, axis};
}

Shape withExtent(Shape shape, int64_t axis, int64_t extent) {
  shape[static_cast<size_t>(axis)] = extent;
  return shape;
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Start, step and count in every dimension.
struct Window {
  Shape start, step, count;
};

Window windowOf(OpView &op) {
  const Shape &shape = op.shape(0);
  Window window{Shape(shape.size(), 0), Shape(shape.size(), 1), shape};
  std::optional<std::vector<int64_t>> starts = op.integers("starts", 1), ends = op.integers("ends", 2);
  std::optional<std::vector<int64_t>> axes = op.integers("axes", 3), steps = op.integers("steps", 4);
  if (!op.need(starts && ends && starts->size() == ends->size() &&
                   (!axes || axes->size() == starts->size()) && (!steps || steps->size() == starts->size()) &&
                   starts->size() <= shape.size(),
               "starts, ends, axes and steps must be lists of one length"))
    return window;
  for (size_t i = 0; i < starts->size() && op.isOk(); ++i) {
    const size_t d =
        static_cast<size_t>(op.normalized(axes ? (*axes)[i] : static_cast<int64_t>(i), op.rank(0)));
    const int64_t step = steps ? (*steps)[i] : 1, extent = shape[d];
    if (!op.need(step != 0 && step > INT64_MIN, "a step must not be 0"))
      break;
    auto clamped = [&](int64_t at, int64_t low, int64_t high) {
      return std::clamp(at < 0 ? at + extent : at, low, high);
    };
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    const int64_t start = clamped((*starts)[i], std::max<int64_t>(low, 0), high),
                  end = (*ends)[i] < -extent ? low : clamped((*ends)[i], low, high);
    const int64_t span = step > 0 ? end - start : start - end, pace = step > 0 ? step : -step;
    window.start[d] = start;
    window.step[d] = step;
    window.count[d] = span <= 0 ? 0 : (span - 1) / pace + 1;
  }
  return window;
}

std::vector<Type> inferSlice(OpView &op) { return {{op.type(0), windowOf(op).count}}; }

std::vector<Literal> evaluateSlice(OpView &op) {
  const Window window = windowOf(op);
  const Shape strides = stridesOf(op.shape(0));
  return {op.literal(0)->picked(window.count, offsets(window.count, [&](const Shape &index) {
                                  int64_t at = 0;
                                  for (size_t d = 0; d < index.size(); ++d)
                                    at += (window.start[d] + index[d] * window.step[d]) * strides[d];
                                  return at;
                                }))};
}

void writeSlice(OpView &op, Writer &writer) {
  const Window window = windowOf(op);
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < op.rank(0); ++d)
    if (window.count[static_cast<size_t>(d)] != op.shape(0)[static_cast<size_t>(d)] ||
        window.step[static_cast<size_t>(d)] != 1)
      dims.push_back(d);
  if (dims.empty())
    return writer.alias(op.out(), op.in(0));
  const bool isOne = dims.size() == 1;
  const Cut cut = isOne ? cutOf(op, writer, 0, dims[0]) : Cut{op.shape(0), 0};
  nlohmann::json starts, ends, steps, axes;
  Shape shape = cut.shape;
  for (int64_t dim : dims) {
    const size_t d = static_cast<size_t>(dim);
    const int64_t axis = isOne ? cut.axis : dim;
    if (!op.need(window.step[d] > 0 && window.count[d] > 0,
                 "data may only be sliced forwards, and not to nothing"))
      return;
    starts.push_back(window.start[d]);
    ends.push_back(window.start[d] + (window.count[d] - 1) * window.step[d] + 1);
    steps.push_back(window.step[d]);
    axes.push_back(axis);
    shape = withExtent(shape, axis, window.count[d]);
  }
  writer.define(op.out(),
                {{"op", "slice"},
                 {"in", {writer.as(op.in(0), cut.shape)}},
                 {"starts", starts},
                 {"ends", ends},
                 {"steps", steps},
                 {"dims", axes}},
                shape);
}

//===----------------------------------------------------------------------===//
// Split, Concat
//===----------------------------------------------------------------------===//

std::vector<int64_t> splitSizes(OpView &op, int64_t axis) {
  const int64_t extent = op.shape(0)[static_cast<size_t>(axis)];
  const int64_t parts = static_cast<int64_t>(op.node.outputs.size());
  std::optional<std::vector<int64_t>> given = op.integers("split", 1);
  if (!op.isOk())
    return {};
  if (!given) {
    const int64_t each = (extent + parts - 1) / parts;
    given.emplace();
    for (int64_t i = 0; i < parts; ++i)
      given->push_back(std::clamp<int64_t>(extent - i * each, 0, each));
  }
  int64_t sum = 0;
  for (int64_t size : *given)
    sum += op.need(size >= 0 && size <= extent, "a part must have from 0 to " + std::to_string(extent)) ? size
                                                                                                        : 0;
  op.need(sum == extent && std::ssize(*given) == parts,
          "the sizes of " + std::to_string(parts) + " parts must add up to " + std::to_string(extent));
  return *given;
}

std::vector<Type> inferSplit(OpView &op) {
  const int64_t axis = op.axis("axis", 0, op.rank(0));
  std::vector<Type> types;
  if (op.isOk())
    for (int64_t size : splitSizes(op, axis))
      types.push_back({op.type(0), withExtent(op.shape(0), axis, size)});
  return types;
}

std::vector<Literal> evaluateSplit(OpView &op) {
  const int64_t axis = op.axis("axis", 0, op.rank(0));
  const Shape strides = stridesOf(op.shape(0));
  std::vector<Literal> parts;
  int64_t begin = 0;
  for (int64_t size : splitSizes(op, axis)) {
    const Shape shape = withExtent(op.shape(0), axis, size);
    const int64_t first = begin * strides[static_cast<size_t>(axis)];
    parts.push_back(op.literal(0)->picked(
        shape, offsets(shape, [&](const Shape &index) { return first + dot(index, strides); })));
    begin += size;
  }
  return parts;
}

void writeSplit(OpView &op, Writer &writer) {
  const Cut cut = cutOf(op, writer, 0, op.axis("axis", 0, op.rank(0)));
  int64_t begin = 0;
  for (size_t i = 0; i < op.node.outputs.size(); ++i) {
    const int64_t size = splitSizes(op, op.axis("axis", 0, op.rank(0)))[i], end = begin + size;
    if (op.hasOut(i))
      writer.define(op.out(i),
                    {{"op", "slice"},
                     {"in", {writer.as(op.in(0), cut.shape)}},
                     {"starts", {begin}},
                     {"ends", {end}},
                     {"dims", {cut.axis}}},
                    withExtent(cut.shape, cut.axis, size));
    begin = end;
  }
}

std::vector<Type> inferConcat(OpView &op) {
  const int64_t axis = op.axis("axis", 0, op.rank(0));
  int64_t extent = 0;
  for (size_t i = 0; i < op.inputs() && op.isOk(); ++i) {
    if (!op.need(op.rank(i) == op.rank(0) &&
                     withExtent(op.shape(i), axis, 0) == withExtent(op.shape(0), axis, 0),
                 "all parts must agree but for dimension " + std::to_string(axis)))
      return {};
    extent += op.shape(i)[static_cast<size_t>(axis)];
  }
  return op.isOk() ? std::vector<Type>{{op.type(0), withExtent(op.shape(0), axis, extent)}}
                   : std::vector<Type>();
}

std::vector<Literal> evaluateConcat(OpView &op) {
  const size_t axis = static_cast<size_t>(op.axis("axis", 0, op.rank(0)));
  Literal result = Literal::filled(op.result().type, op.result().shape, 0);
  const Shape strides = stridesOf(result.shape);
  int64_t begin = 0;
  for (size_t i = 0; i < op.inputs(); ++i) {
    const Literal &part = *op.literal(i);
    int64_t at = 0;
    forEachIndex(part.shape, [&](const Shape &index) {
      const int64_t to = dot(index, strides) + begin * strides[axis];
      if (part.isFloat())
        result.set(to, part.real(at++));
      else
        result.setInteger(to, part.integers[static_cast<size_t>(at++)]);
    });
    begin += part.shape[axis];
  }
  return {result};
}

void writeConcat(OpView &op, Writer &writer) {
  nlohmann::json in = nlohmann::json::array();
  for (size_t i = 0; i < op.inputs(); ++i)
    if (elementsOf(op.shape(i)) > 0)
      in.push_back(writer.as(op.in(i)));
  writer.define(op.out(), {{"op", "concat"}, {"in", in}, {"dim", op.axis("axis", 0, op.rank(0))}});
}

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
                             {"in", {writer.as(op.in(0)), writer.as(op.in(1), {count})}}};
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
  return {{op.type(0), op.shape(1)}};
}

std::vector<Literal> evaluateGatherElements(OpView &op) {
  const size_t axis = static_cast<size_t>(op.axis("axis", 0, op.rank(0)));
  const Shape &data = op.shape(0), &indices = op.shape(1), strides = stridesOf(data);
  std::vector<int64_t> from;
  forEachIndex(indices, [&](Shape index) {
    index[axis] = indexAt(op, static_cast<int64_t>(from.size()), data[axis]);
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += op.need(index[d] < data[d], "indices must lie within the data") ? index[d] * strides[d] : 0;
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
// GatherND, and sequences
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

/// The same for tuples that depend on data; every step computes the numbers.
std::string writeRowsOfTuples(OpView &op, Writer &writer) {
  const Shape &indices = op.shape(1);
  const int64_t shared = sharedDims(op), depth = indices.back(), count = elementsOf(indices) / depth;
  const int64_t groups = elementsOf({indices.begin(), indices.begin() + shared});
  const std::string tuples = writer.matrix(op.in(1), depth);
  Formula f(writer);
  std::string rows = f.reshape(f.positions(groups, count / groups, 0), {count, 1});
  for (int64_t d = 0; d < depth; ++d) {
    const auto extent = static_cast<double>(op.shape(0)[static_cast<size_t>(shared + d)]);
    const std::string index = writer.intermediate(
        {{"op", "slice"}, {"in", {tuples}}, {"starts", {d}}, {"ends", {d + 1}}, {"dims", {1}}});
    const std::string wrapped = f.add(index, f.number(extent, "i32"));
    const std::string before = f.mul(rows, f.number(extent, "i32"));
    rows = f.add(before, f.where(f.apply("less", {index, f.number(0, "i32")}), wrapped, index));
  }
  return f.reshape(rows, {count});
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

/// The type of a sequence; SequenceAt takes its parts, and becomes a Slice (FoldConstants.h).
std::vector<Type> inferSequence(OpView &op) {
  if (!op.need(op.integer("keepdims", 1) != 0 || op.has(1), "keepdims must be 1"))
    return {};
  return {op.typeOf(0)};
}

constexpr Operator kOperators[] = {
    {"Slice", "`slice`", 1, 5, inferSlice, evaluateSlice, writeSlice},
    {"Split", "`slice`", 1, 2, inferSplit, evaluateSplit, writeSplit},
    {"Concat", "`concat`", 1, kAny, inferConcat, evaluateConcat, writeConcat},
    {"Gather", "`embedding`, `slice` or `gather`", 2, 2, inferGather, evaluateGather, writeGather},
    {"GatherElements", "`gather_elements`", 2, 2, inferGatherElements, evaluateGatherElements,
     writeGatherElements},
    {"GatherND", "`embedding`, or `expand`", 2, 2, inferGatherNd, evaluateGatherNd, writeGatherNd},
    {"SplitToSequence", "with SequenceAt `slice`", 1, 2, inferSequence, nullptr, nullptr},
    {"SequenceAt", "`slice`", 2, 2, inferSequence, nullptr, nullptr},
};

} // namespace

std::span<const Operator> indexingOperators() { return kOperators; }

} // namespace windlass::onnx
