// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad, and the triangles of matrices.
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// The elements to add before and after, by dimension; negative numbers are elements to cut off.
struct Margins {
  Shape before, after;
};

Margins marginsOf(OpView &op) {
  const size_t rank = op.shape(0).size();
  Margins margins{Shape(rank, 0), Shape(rank, 0)};
  std::optional<std::vector<int64_t>> pads = op.integers("pads", 1), given = op.integers("axes", 3);
  Shape axes;
  for (size_t d = 0; d < rank; ++d)
    axes.push_back(static_cast<int64_t>(d));
  if (given)
    axes = *given;
  constexpr int64_t kMost = INT32_MAX;
  if (!op.need(pads && pads->size() == 2 * axes.size() && axes.size() <= rank,
               "pads must be two numbers for each dimension") ||
      !op.need(std::ranges::all_of(*pads, [](int64_t pad) { return pad >= -kMost && pad <= kMost; }),
               "pads must be below 2^31"))
    return margins;
  for (size_t i = 0; i < axes.size() && op.isOk(); ++i) {
    const size_t d = static_cast<size_t>(op.normalized(axes[i], op.rank(0)));
    margins.before[d] = (*pads)[i];
    margins.after[d] = (*pads)[axes.size() + i];
  }
  return margins;
}

double fillOf(OpView &op) {
  if (!op.has(2))
    return 0;
  const Literal *value = op.literal(2);
  return op.need(value && value->size() == 1, "the value must be a known number") ? value->real(0) : 0;
}

std::vector<Type> inferPad(OpView &op) {
  const Margins margins = marginsOf(op);
  const std::string mode = op.text("mode", "constant");
  fillOf(op);
  if (!op.need(mode == "constant" || mode == "reflect" || mode == "edge" || mode == "wrap",
               "mode must be constant, reflect, edge or wrap, is \"" + mode + "\""))
    return {};
  Shape shape = op.shape(0);
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t extent = shape[d], before = margins.before[d], after = margins.after[d];
    const int64_t most = mode == "reflect" ? extent - 1 : extent;
    if (!op.need(mode == "constant" || mode == "edge" || (before <= most && after <= most),
                 "pads must be at most " + std::to_string(most) + " in dimension " + std::to_string(d)) ||
        !op.need(mode == "constant" || extent > 0 || (before <= 0 && after <= 0),
                 "there is nothing to repeat in dimension " + std::to_string(d)))
      return {};
    shape[d] = extent + before + after;
    if (!op.need(shape[d] >= 0, "pads cut off more than there is of dimension " + std::to_string(d)))
      return {};
  }
  return {{op.type(0), shape}};
}

/// The element of a dimension of `extent` that the padding at `at` repeats; -1: none.
int64_t repeated(const std::string &mode, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent)
    return at;
  if (mode == "constant")
    return -1;
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, extent - 1);
  if (mode == "wrap")
    return (at + extent) % extent;
  return at < 0 ? -at : 2 * (extent - 1) - at;
}

std::vector<Literal> evaluatePad(OpView &op) {
  const Margins margins = marginsOf(op);
  const std::string mode = op.text("mode", "constant");
  const Literal &source = *op.literal(0);
  Literal result = Literal::filled(op.type(0), op.result().shape, fillOf(op));
  const Shape strides = stridesOf(source.shape);
  int64_t to = 0;
  forEachIndex(result.shape, [&](const Shape &index) {
    int64_t from = 0;
    for (size_t d = 0; d < index.size() && from >= 0; ++d) {
      const int64_t place = repeated(mode, index[d] - margins.before[d], source.shape[d]);
      from = place < 0 ? -1 : from + place * strides[d];
    }
    if (from >= 0 && source.isFloat())
      result.set(to, source.real(from));
    else if (from >= 0)
      result.setInteger(to, source.integers[static_cast<size_t>(from)]);
    ++to;
  });
  return {result};
}

/// x without the elements that negative pads cut off.
std::string cut(OpView &op, Writer &writer, const Margins &margins) {
  std::vector<int64_t> dims, starts, ends;
  for (size_t d = 0; d < margins.before.size(); ++d)
    if (margins.before[d] < 0 || margins.after[d] < 0) {
      dims.push_back(static_cast<int64_t>(d));
      starts.push_back(std::max<int64_t>(0, -margins.before[d]));
      ends.push_back(op.shape(0)[d] + std::min<int64_t>(0, margins.after[d]));
    }
  const std::string x = writer.as(op.in(0));
  return dims.empty()
             ? x
             : writer.intermediate(
                   {{"op", "slice"}, {"in", {x}}, {"dims", dims}, {"starts", starts}, {"ends", ends}});
}

void writeConstantPad(OpView &op, Writer &writer, Margins margins) {
  const std::string x = cut(op, writer, margins);
  for (Shape *side : {&margins.before, &margins.after})
    for (int64_t &pad : *side)
      pad = std::max<int64_t>(0, pad);
  constexpr double kLargest = 3.4028234e38;
  writer.define(op.out(), {{"op", "pad"},
                           {"in", {x}},
                           {"before", margins.before},
                           {"after", margins.after},
                           {"value", std::clamp(fillOf(op), -kLargest, kLargest)}});
}

/// Writes a pad. Padding that repeats elements becomes a gather, dimension by dimension.
void writePad(OpView &op, Writer &writer) {
  const Margins margins = marginsOf(op);
  const std::string mode = op.text("mode", "constant");
  if (!op.need(elementsOf(op.result().shape) > 0, "data may not be cut to nothing"))
    return;
  if (mode == "constant")
    return writeConstantPad(op, writer, margins);
  std::string x = writer.as(op.in(0));
  for (size_t d = 0; d < margins.before.size(); ++d) {
    if (margins.before[d] == 0 && margins.after[d] == 0)
      continue;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < op.result().shape[d]; ++i)
      places.push_back(repeated(mode, i - margins.before[d], op.shape(0)[d]));
    const std::string indices = writer.intermediate({{"op", "constant"}, {"value", places}, {"type", "i32"}});
    x = writer.intermediate({{"op", "gather"}, {"in", {x, indices}}, {"dim", d}});
  }
  writer.declare(op.out(), x, op.result().shape);
}

//===----------------------------------------------------------------------===//
// Trilu
//===----------------------------------------------------------------------===//

int64_t diagonalOf(OpView &op) {
  if (!op.has(1))
    return 0;
  const Literal *k = op.literal(1);
  return op.need(k && k->size() == 1 && !k->isFloat(), "the diagonal must be a known integer")
             ? k->integers[0]
             : 0;
}

bool isKept(OpView &op, int64_t row, int64_t column, int64_t diagonal) {
  return op.integer("upper", 1) != 0 ? column - row >= diagonal : column - row <= diagonal;
}

std::vector<Type> inferTrilu(OpView &op) {
  if (!op.need(op.rank(0) >= 2, "must be matrices"))
    return {};
  diagonalOf(op);
  return {op.typeOf(0)};
}

std::vector<Literal> evaluateTrilu(OpView &op) {
  Literal result = *op.literal(0);
  const int64_t diagonal = diagonalOf(op);
  int64_t at = 0;
  forEachIndex(result.shape, [&](const Shape &index) {
    if (!isKept(op, index[index.size() - 2], index.back(), diagonal))
      result.set(at, 0);
    ++at;
  });
  return {result};
}

void writeTrilu(OpView &op, Writer &writer) {
  const int64_t rank = op.rank(0), rows = op.shape(0)[rank - 2], columns = op.shape(0)[rank - 1];
  const int64_t bound = std::clamp(diagonalOf(op), -rows, columns);
  Formula f(writer);
  const std::string column = f.positions(rows, columns, 1), row = f.positions(rows, columns, 0);
  const std::string distance = f.sub(column, row);
  const char *test = op.integer("upper", 1) != 0 ? "greater_equal" : "less_equal";
  const std::string kept = f.apply(test, {distance, f.number(static_cast<double>(bound), "i32")});
  const char *type = isFloat(op.type(0)) ? "f32" : "i32";
  writer.define(op.out(), {{"op", "where"}, {"in", {kept, writer.as(op.in(0)), f.number(0, type)}}});
}

constexpr Operator kOperators[] = {
    {"Pad", "`pad`, or `gather`", 2, 4, inferPad, evaluatePad, writePad},
    {"Trilu", "`positions`, `where`", 1, 2, inferTrilu, evaluateTrilu, writeTrilu},
};

} // namespace

std::span<const Operator> paddingOperators() { return kOperators; }

} // namespace windlass::onnx
