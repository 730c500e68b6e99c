// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move, repeat or combine elements: views, permutations, reductions, constants.

#include "compiler/import/graphjson/GraphJsonOp.h"
#include "runtime/base/Units.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

Value first(const Scalars &, ValueRange x) { return x[0]; }

Values buildReshapeOp(GraphJsonOp &op) {
  Shape shape = op.dims.shape(op.place.at("shape"));
  if (!op.place.isOk())
    return {};
  if (tensorType(shape, op.type(0).getElementType()).getNumElements() != op.type(0).getNumElements()) {
    op.need(false, 0, "must have the elements of " + formatShape(shape));
    return {};
  }
  return {buildReshape(op.builder, op.loc, op.in[0], shape)};
}

Values buildTransposeOp(GraphJsonOp &op) {
  Shape order = op.axes("perm", 0);
  if (op.place.isOk() && static_cast<int64_t>(order.size()) != op.rank(0))
    op.place.at("perm").fail("must name all " + std::to_string(op.rank(0)) + " dimensions");
  if (!op.place.isOk())
    return {};
  return {buildTranspose(op.builder, op.loc, op.in[0], SmallVector<unsigned>(order.begin(), order.end()))};
}

Values buildExpand(GraphJsonOp &op) {
  Shape wanted = op.dims.shape(op.place.at("shape"));
  if (!op.place.isOk())
    return {};
  std::optional<Shape> shape = broadcastShape(op.shape(0), wanted);
  if (!op.need(shape.has_value(), 0, "must broadcast with " + formatShape(wanted)))
    return {};
  return {buildMap(op.builder, op.loc, op.in, *broadcastMap(op.context(), *shape, op.shape(0)),
                   tensorType(*shape, op.type(0).getElementType()), first)};
}

/// The index of every element in dimension `dim`, as a table of positions is read with.
Values buildPositions(GraphJsonOp &op) {
  int64_t dim = op.axis("dim", 0);
  if (!op.place.isOk())
    return {};
  return {buildMap(op.builder, op.loc, {}, {}, tensorType(op.shape(0), op.i32()),
                   [&](const Scalars &s, ValueRange) { return s.index(dim, op.i32()); })};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Values buildReduceOp(GraphJsonOp &op) {
  constexpr std::string_view kinds[] = {"sum", "mean", "max"};
  size_t kind = op.place.at("kind").choice(kinds);
  Shape dims = op.axes("dims", 0);
  bool keep = op.flag("keep");
  if (!op.place.isOk() || !op.needFloats(0))
    return {};
  llvm::sort(dims);
  Shape left, kept(op.shape(0));
  double count = 1;
  for (int64_t d : dims) {
    count *= static_cast<double>(kept[d]);
    kept[d] = 1;
  }
  for (auto [d, extent] : llvm::enumerate(op.shape(0)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      left.push_back(extent);
  RankedTensorType type = tensorType(left, op.f32());
  Value result = op.in[0];
  if (!dims.empty())
    result = buildReduce(op.builder, op.loc, kind == 2 ? Combine::Max : Combine::Sum, dims, op.in,
                         identityMap(op.context(), op.rank(0)), type, first);
  if (kind == 1 && !dims.empty())
    result = buildElementwise(op.builder, op.loc, result, type, [&](const Scalars &s, ValueRange x) {
      return s.div(x[0], s.like(x[0], count));
    });
  return {keep ? buildReshape(op.builder, op.loc, result, kept) : result};
}

/// The mean of the squared differences, by example.
Values buildMse(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 1) || !op.needFloats(1) || !op.needShape(1, op.shape(0)))
    return {};
  unsigned rank = op.rank(0);
  AffineMap identity = identityMap(op.context(), rank);
  double columns = static_cast<double>(op.last(0));
  return {buildReduce(op.builder, op.loc, Combine::Sum, {rank - 1}, op.in, {identity, identity},
                      tensorType(op.shape(0).drop_back(), op.f32()), [&](const Scalars &s, ValueRange x) {
                        Value difference = s.sub(x[0], x[1]);
                        Value square = s.mul(difference, difference);
                        return s.div(square, s.like(difference, columns));
                      })};
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

/// A part of x: dimension d of the result begins at `starts[d]` and takes every `steps[d]`th element.
Value buildPart(GraphJsonOp &op, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps, const Shape &shape) {
  SmallVector<AffineExpr> indices;
  for (size_t d = 0; d < shape.size(); ++d)
    indices.push_back(op.builder.getAffineDimExpr(d) * steps[d] + starts[d]);
  return buildMap(op.builder, op.loc, op.in[0], AffineMap::get(shape.size(), 0, indices, op.context()),
                  tensorType(shape, op.type(0).getElementType()), first);
}

/// As Python's slices: a negative bound counts from the end, and bounds are moved into the dimension.
Values buildSlice(GraphJsonOp &op) {
  Shape dims = op.axes("dims", 0), starts = op.integers("starts"), ends = op.integers("ends");
  Shape steps = op.place.has("steps") ? op.integers("steps") : Shape(dims.size(), 1);
  if (op.place.isOk() &&
      (starts.size() != dims.size() || ends.size() != dims.size() || steps.size() != dims.size()))
    op.place.fail("\"starts\", \"ends\" and \"steps\" must be as many as \"dims\"");
  if (!op.place.isOk())
    return {};
  Shape from(op.rank(0), 0), by(op.rank(0), 1), shape(op.shape(0));
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t extent = op.dim(0, dims[i]), start = starts[i], end = ends[i];
    start = std::clamp<int64_t>(start < 0 ? start + extent : start, 0, extent);
    end = std::clamp<int64_t>(end < 0 ? end + extent : end, 0, extent);
    if (steps[i] < 1 || end <= start) {
      op.place.fail("the slice of dimension " + std::to_string(dims[i]) +
                    " must have elements and a step of at least 1");
      return {};
    }
    from[dims[i]] = start;
    by[dims[i]] = steps[i];
    shape[dims[i]] = (end - start + steps[i] - 1) / steps[i];
  }
  return {buildPart(op, from, by, shape)};
}

Values buildSplit(GraphJsonOp &op) {
  int64_t dim = op.axis("dim", 0);
  Shape sizes = op.integers("sizes");
  if (op.place.isOk() &&
      (llvm::sum_of(sizes) != op.dim(0, dim) || llvm::any_of(sizes, [](int64_t s) { return s < 1; })))
    op.place.at("sizes").fail("must be positive and add up to " + std::to_string(op.dim(0, dim)));
  if (!op.place.isOk())
    return {};
  Values parts;
  Shape from(op.rank(0), 0), by(op.rank(0), 1), shape(op.shape(0));
  for (int64_t size : sizes) {
    shape[dim] = size;
    parts.push_back(buildPart(op, from, by, shape));
    from[dim] += size;
  }
  return parts;
}

Values buildConcat(GraphJsonOp &op) {
  int64_t dim = op.axis("dim", 0);
  if (!op.place.isOk())
    return {};
  Shape shape(op.shape(0));
  shape[dim] = 0;
  for (size_t i = 0; i < op.in.size(); ++i) {
    if (!op.need(op.rank(i) == op.rank(0) && op.type(i).getElementType() == op.type(0).getElementType(), i,
                 "must have the dimensions and type of the first"))
      return {};
    Shape wanted = shape;
    wanted[dim] = op.dim(i, dim);
    if (!op.needShape(i, wanted))
      return {};
    shape[dim] += op.dim(i, dim);
  }
  return {StackOp::create(op.builder, op.loc, tensorType(shape, op.type(0).getElementType()), op.in,
                          AffineMapAttr::get(identityMap(op.context(), shape.size())),
                          op.builder.getI64IntegerAttr(dim))};
}

Values buildPad(GraphJsonOp &op) {
  Shape before = op.integers("before"), after = op.integers("after");
  constexpr double kLargest = 3.5e38;
  double value = op.number("value", 0, -kLargest, kLargest);
  if (op.place.isOk() && !op.isFloat(0) &&
      !(value >= INT32_MIN && value <= INT32_MAX && value == std::floor(value)))
    op.place.at("value").failRule("must be a whole number of 32 bits, as the integers of x are");
  auto rank = static_cast<size_t>(op.rank(0));
  auto isNegative = [](int64_t count) { return count < 0; };
  if (op.place.isOk() && (before.size() != rank || after.size() != rank || llvm::any_of(before, isNegative) ||
                          llvm::any_of(after, isNegative)))
    op.place.fail("\"before\" and \"after\" must say for each of " + std::to_string(rank) +
                  " dimensions how many elements are added");
  if (!op.place.isOk() || !op.needRank(0, 1))
    return {};
  Shape shape(op.shape(0));
  for (size_t d = 0; d < rank; ++d)
    shape[d] += before[d] + after[d];
  return {PadOp::create(op.builder, op.loc, tensorType(shape, op.type(0).getElementType()), op.in[0], before,
                        Shape(rank, 1), llvm::APFloat(value))};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

constexpr int64_t kMostLiterals = 1 << 16;

/// The numbers of nested lists and their shape.
struct Literals {
  SmallVector<double> numbers;
  Shape shape;

  void read(JsonReader place, bool isInteger, size_t depth = 0) {
    constexpr double kLargest = 3.5e38;
    if (!place.isList()) {
      if (depth != shape.size())
        return place.fail("must be a list, as its neighbours are");
      numbers.push_back(isInteger ? static_cast<double>(place.integer(INT32_MIN, INT32_MAX))
                                  : place.number(-kLargest, kLargest));
      return;
    }
    auto size = static_cast<int64_t>(place.size());
    if (depth == shape.size() && numbers.empty() && depth < 6)
      shape.push_back(size);
    if (depth >= shape.size() || shape[depth] != size || size == 0)
      return place.fail("must be nested at most 6 deep, and as long as its neighbours");
    for (size_t i = 0; i < place.size() && place.isOk(); ++i)
      read(place.at(i), isInteger, depth + 1);
    if (static_cast<int64_t>(numbers.size()) > kMostLiterals)
      place.fail("must have at most 65536 numbers");
  }
};

Values buildConstant(GraphJsonOp &op) {
  constexpr std::string_view types[] = {"f32", "i32"};
  bool isInteger = op.place.has("type") && op.place.at("type").choice(types) == 1;
  Literals literals;
  literals.read(op.place.at("value"), isInteger);
  Shape shape = op.place.has("shape") ? op.dims.shape(op.place.at("shape")) : literals.shape;
  if (op.place.isOk() && !literals.shape.empty() && shape != literals.shape)
    op.place.at("shape").fail("must be " + formatShape(literals.shape) + ", as the value is");
  if (!op.place.isOk())
    return {};
  RankedTensorType type = tensorType(shape, isInteger ? op.i32() : op.f32());
  if (literals.shape.empty())
    return {buildFull(op.builder, op.loc, type, literals.numbers.front())};
  return {buildLiterals(op.builder, op.loc, type, literals.numbers)};
}

constexpr GraphJsonEntry kShapeOps[] = {
    {"constant", "", "value, type: f32 (default), i32, shape (none)",
     "a number; with a shape, a tensor filled with the number; or nested lists of at most 65536 numbers",
     buildConstant},
    {"reshape", "x", "shape", "the same elements, row-major, under another shape", buildReshapeOp},
    {"transpose", "x", "perm", "dimension i of the result is dimension perm[i] of x", buildTransposeOp},
    {"expand", "x", "shape", "x repeated along dimensions of extent 1, or new leading ones", buildExpand},
    {"slice", "x", "dims, starts, ends, steps (1)", "a part of x, as Python slices", buildSlice},
    {"split", "x", "dim, sizes", "parts of x along a dimension, one result for each size", buildSplit},
    {"concat", "x, ...", "dim", "the inputs one after the other along a dimension", buildConcat},
    {"pad", "x", "before, after, value (0)", "x inside a larger tensor", buildPad},
    {"positions", "x", "dim", "for every element of x its index in dimension dim, as integers",
     buildPositions},
    {"reduce", "x", "kind: sum, mean, max; dims, keep (false)",
     "combines x over dimensions; these are removed, or with keep have extent 1", buildReduceOp},
    {"mse", "x, targets", "", "per row: mean of the squared differences", buildMse},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> shapeOps() { return kShapeOps; }

} // namespace windlass
