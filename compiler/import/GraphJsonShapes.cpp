// Operations that move, repeat or combine elements: views, permutations, reductions, constants.

#include "compiler/import/GraphJsonOp.h"

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
    op.need(false, 0, "must have the elements of " + describeShape(shape));
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
  if (!op.need(shape.has_value(), 0, "must broadcast with " + describeShape(wanted)))
    return {};
  return {buildMap(op.builder, op.loc, op.in, *broadcastMap(op.context(), *shape, op.shape(0)),
                   tensorType(*shape, op.type(0).getElementType()), first)};
}

/// The index in dimension `dim` of every element: what a table of positions is read with.
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

/// Per example the mean of the squared differences.
Values buildMse(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 1) || !op.needFloats(1) || !op.needShape(1, op.shape(0)))
    return {};
  unsigned rank = op.rank(0);
  AffineMap identity = identityMap(op.context(), rank);
  double columns = static_cast<double>(op.last(0));
  return {buildReduce(op.builder, op.loc, Combine::Sum, {rank - 1}, op.in, {identity, identity},
                      tensorType(op.shape(0).drop_back(), op.f32()), [&](const Scalars &s, ValueRange x) {
                        Value difference = s.sub(x[0], x[1]);
                        return s.div(s.mul(difference, difference), s.like(difference, columns));
                      })};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Values buildConstant(GraphJsonOp &op) {
  constexpr std::string_view types[] = {"f32", "i32"};
  constexpr double kLargest = 3.5e38;
  bool isInteger = op.place.has("type") && op.place.at("type").choice(types) == 1;
  Shape shape = op.place.has("shape") ? op.dims.shape(op.place.at("shape")) : Shape();
  JsonReader place = op.place.at("value");
  double value = isInteger ? static_cast<double>(place.integer(INT32_MIN, INT32_MAX))
                           : place.number(-kLargest, kLargest);
  if (!op.place.isOk())
    return {};
  return {buildFull(op.builder, op.loc, tensorType(shape, isInteger ? op.i32() : op.f32()), value)};
}

constexpr GraphJsonEntry kShapeOps[] = {
    {"constant", "", "value, type: f32 (default), i32, shape (none)",
     "a number; with a shape, a tensor full of it", buildConstant},
    {"reshape", "x", "shape", "the same elements, row-major, under another shape", buildReshapeOp},
    {"transpose", "x", "perm", "dimension i of the result is dimension perm[i] of x", buildTransposeOp},
    {"expand", "x", "shape", "x repeated along dimensions of extent 1, or new leading ones", buildExpand},
    {"positions", "x", "dim", "for every element of x its index in dimension dim, as integers",
     buildPositions},
    {"reduce", "x", "kind: sum, mean, max; dims, keep (false)",
     "combines x over dimensions, which are gone, or with keep have extent 1", buildReduceOp},
    {"mse", "x, targets", "", "per row: mean of the squared differences", buildMse},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> shapeOps() { return kShapeOps; }

} // namespace windlass
