// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, splits and concatenations.
#include "compiler/import/onnx/operators/Cut.h"
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

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
  const int64_t named = static_cast<int64_t>(op.node.outputs.size()),
                parts = op.integer("num_outputs", named);
  if (!op.need(parts >= named && parts <= std::max<int64_t>(extent, named),
               "num_outputs must be from the " + std::to_string(named) + " outputs to the " +
                   std::to_string(extent) + " elements, is " + std::to_string(parts)))
    return {};
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
  types.resize(std::min(types.size(), op.node.outputs.size())); // the last ones may have no name
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
  parts.resize(std::min(parts.size(), op.node.outputs.size()));
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
// Sequences
//===----------------------------------------------------------------------===//

/// The type of a sequence; SequenceAt takes its parts, and becomes a Slice (FoldConstants.h).
std::vector<Type> inferSequence(OpView &op) {
  if (!op.need(op.integer("keepdims", 1) != 0 || op.has(1), "keepdims must be 1"))
    return {};
  return {op.typeOf(0)};
}

constexpr Operator kOperators[] = {
    {"Slice", "`slice`", 1, 5, inferSlice, evaluateSlice, writeSlice},
    {"Split", "`slice`", 1, 2, inferSplit, evaluateSplit, writeSplit},
    {"Concat", "`concat`", 1, kUnlimited, inferConcat, evaluateConcat, writeConcat},
    {"SplitToSequence", "with SequenceAt `slice`", 1, 2, inferSequence, nullptr, nullptr},
    {"SequenceAt", "`slice`", 2, 2, inferSequence, nullptr, nullptr},
};

} // namespace

std::span<const Operator> indexingOperators() { return kOperators; }

} // namespace windlass::onnx
