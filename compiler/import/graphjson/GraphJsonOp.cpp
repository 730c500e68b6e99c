// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/GraphJsonOp.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"

using namespace mlir;

namespace windlass {

bool GraphJsonOp::need(bool holds, size_t i, const std::string &rule) const {
  if (!holds)
    place.at("in").at(i).fail(rule + ", is " + formatShape(shape(i)) + (isFloat(i) ? "" : " of integers"));
  return holds;
}

bool GraphJsonOp::needFloats(size_t i) const {
  return need(isFloat(i), i, "must hold floating-point numbers");
}

bool GraphJsonOp::needIntegers(size_t i) const { return need(!isFloat(i), i, "must hold integers"); }

namespace {

struct Range {
  int64_t least = 0, most = 0;
};

/// The range of constants: of one number, or of literals.
std::optional<Range> rangeOfConstants(Value yielded) {
  auto constant = yielded.getDefiningOp<arith::ConstantOp>();
  if (auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr())
    return Range{number.getInt(), number.getInt()};
  auto lookup = yielded.getDefiningOp<graph::LookupOp>();
  auto table = lookup ? dyn_cast<DenseIntElementsAttr>(lookup.getTable()) : DenseIntElementsAttr();
  if (!table)
    return std::nullopt;
  Range range{INT64_MAX, INT64_MIN};
  for (const APInt &number : table.getValues<APInt>())
    range = {std::min(range.least, number.getSExtValue()), std::max(range.most, number.getSExtValue())};
  return range;
}

/// The range of integers, where it is known: of an input, constants or positions, perhaps reshaped.
std::optional<Range> rangeOf(Value integers) {
  while (auto reshape = integers.getDefiningOp<graph::ReshapeOp>())
    integers = reshape.getInput();
  if (auto feed = integers.getDefiningOp<graph::FeedOp>())
    return Range{0, static_cast<int64_t>(feed.getBound()) - 1};
  auto map = integers.getDefiningOp<graph::MapOp>();
  if (!map || !map.getInputs().empty())
    return std::nullopt;
  Value yielded = map.getYielded().front();
  auto cast = yielded.getDefiningOp<arith::IndexCastOp>();
  auto index = cast ? cast.getIn().getDefiningOp<graph::IndexOp>() : graph::IndexOp();
  return index ? Range{0, graph::typeOf(integers).getDimSize(index.getDim()) - 1} : rangeOfConstants(yielded);
}

} // namespace

bool GraphJsonOp::needBelow(size_t i, int64_t count, const std::string &of, int64_t but) const {
  const std::optional<Range> known = rangeOf(in[i]);
  return need(!known || known->most < count || known->most == but, i,
              "must be below the " + formatCount(count) + " " + of + ", and is up to " +
                  formatCount(known ? known->most : 0));
}

bool GraphJsonOp::needAtLeast(size_t i, int64_t least) const {
  const std::optional<Range> known = rangeOf(in[i]);
  return need(!known || known->least >= least, i,
              "must be at least " + std::to_string(least) + ", and is down to " +
                  std::to_string(known ? known->least : 0));
}

bool GraphJsonOp::needRank(size_t i, int64_t least) const {
  return need(rank(i) >= least, i, "must have at least " + counted(least, "dimension"));
}

bool GraphJsonOp::needVector(size_t i, int64_t size) const {
  return needFloats(i) &&
         need(rank(i) == 1 && dim(i, 0) == size, i, "must be a vector of " + std::to_string(size));
}

bool GraphJsonOp::needMatrix(size_t i) const {
  return needFloats(i) && need(rank(i) == 2, i, "must be a matrix");
}

bool GraphJsonOp::needShape(size_t i, ArrayRef<int64_t> wanted) const {
  return need(shape(i) == wanted, i, "must be " + formatShape(wanted));
}

double GraphJsonOp::number(std::string_view key, double otherwise, double low, double high) const {
  return place.has(key) ? place.at(key).number(low, high) : otherwise;
}

static int64_t readAxis(JsonReader place, int64_t rank) {
  if (rank == 0)
    place.fail("names a dimension of a scalar");
  int64_t axis = place.integer(-rank, rank - 1);
  return axis < 0 ? axis + rank : axis;
}

int64_t GraphJsonOp::axis(std::string_view key, size_t i, std::optional<int64_t> otherwise) const {
  if (otherwise && !place.has(key))
    return *otherwise;
  return readAxis(place.at(key), rank(i));
}

Shape GraphJsonOp::axes(std::string_view key, size_t i) const {
  JsonReader list = place.at(key);
  Shape axes;
  for (size_t n = 0; n < list.size() && list.isOk(); ++n) {
    axes.push_back(readAxis(list.at(n), rank(i)));
    if (llvm::is_contained(ArrayRef(axes).drop_back(), axes.back()))
      list.at(n).failRule("must name another dimension than those before");
  }
  return axes;
}

Shape GraphJsonOp::integers(std::string_view key) const {
  constexpr int64_t kMost = INT64_C(1) << 40;
  JsonReader list = place.at(key);
  Shape numbers;
  for (size_t n = 0; n < list.size() && list.isOk(); ++n)
    numbers.push_back(list.at(n).isText() ? dims.size(list.at(n)) : list.at(n).integer(-kMost, kMost));
  return numbers;
}

std::optional<AffineMap> broadcastMap(MLIRContext *context, ArrayRef<int64_t> whole, ArrayRef<int64_t> part) {
  if (part.size() > whole.size())
    return std::nullopt;
  SmallVector<AffineExpr> indices;
  size_t missing = whole.size() - part.size();
  for (auto [d, extent] : llvm::enumerate(part)) {
    if (extent != whole[missing + d] && extent != 1)
      return std::nullopt;
    bool isWhole = extent == whole[missing + d];
    indices.push_back(isWhole ? getAffineDimExpr(missing + d, context) : getAffineConstantExpr(0, context));
  }
  return AffineMap::get(whole.size(), 0, indices, context);
}

std::optional<Shape> broadcastShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape shape(a);
  for (size_t d = 0; d < b.size(); ++d) {
    int64_t &extent = shape[a.size() - b.size() + d];
    if (extent != b[d] && extent != 1 && b[d] != 1)
      return std::nullopt;
    extent = extent == 1 ? b[d] : extent;
  }
  return shape;
}

Value buildTranspose(OpBuilder &builder, Location loc, Value tensor, ArrayRef<unsigned> order) {
  SmallVector<unsigned> place(order.size());
  Shape shape;
  for (auto [loop, dim] : llvm::enumerate(order)) {
    place[dim] = loop;
    shape.push_back(graph::typeOf(tensor).getDimSize(dim));
  }
  return graph::buildMap(builder, loc, tensor, graph::loopsMap(builder.getContext(), order.size(), place),
                         graph::tensorType(shape, graph::typeOf(tensor).getElementType()),
                         [](const graph::Scalars &, ValueRange x) { return x[0]; });
}

} // namespace windlass
