// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/placements/ShapeRules.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"

using namespace mlir;

namespace windlass::graph {

using Kind = Placement::Kind;

namespace {

/// A range of dimensions.
struct Dimensions {
  unsigned begin = 0, end = 0;
  bool contains(unsigned dim) const { return begin <= dim && dim < end; }
};

/// The dimensions of a reshape's result that take the place of its operand's; all, if that is not known. A
/// dimension of one index takes the place of another.
Dimensions placeOf(std::optional<unsigned> dimension, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (!dimension || *dimension >= from.size())
    return {0, static_cast<unsigned>(to.size())};
  Dimensions place;
  int64_t outer = 1, made = 1; // elements of the operand's, and of the result's dimensions so far
  for (unsigned dim = 0; dim <= *dimension; ++dim) {
    if (outer == made)
      place.begin = place.end;
    outer *= from[dim];
    if (from[dim] == 1 && outer == made && place.end < to.size() && to[place.end] == 1)
      ++place.end;
    for (; place.end < to.size() && made < outer; ++place.end)
      made *= to[place.end];
  }
  return place;
}

/// The likely split dimension of the result of a reshape: that which the reshape says, if it is in the place
/// of the operand's; else the only one there that may be it.
std::optional<unsigned> dimensionBehind(ReshapeOp op, const Placement &operand) {
  ArrayRef<int64_t> from = typeOf(op.getInput()).getShape(), to = typeOf(op.getResult()).getShape();
  const Dimensions place = placeOf(operand.dimension, from, to);
  if (std::optional<unsigned> said = splitDimensionOfResult(op);
      said && place.contains(*said) && maySplit(to, *said, operand.width))
    return said;
  std::optional<unsigned> only;
  for (unsigned dim = place.begin; operand.dimension && dim < place.end; ++dim)
    if (maySplit(to, dim, operand.width)) {
      if (only)
        return std::nullopt;
      only = dim;
    }
  return only;
}

/// A dimension of a pad's input that may be the split one.
struct PaddedDimension {
  unsigned dimension;
  int64_t run;                  ///< indices of one run of a rank's part
  bool isOneRun;                ///< the part has no other run
  std::optional<int64_t> width; ///< elements of a run with its padding; nothing if padding cuts a run
};

/// If the ranks share out dimension `dim` of a pad's input: padding along any other is the same for each
/// part; along this one it must add whole runs. Nothing if a run would end within an index.
std::optional<PaddedDimension> paddedAlong(PadOp op, unsigned dim, const Placement &operand) {
  ArrayRef<int64_t> from = typeOf(op.getInput()).getShape(), to = typeOf(op.getResult()).getShape();
  if (!maySplit(from, dim, operand.width))
    return std::nullopt;
  const int64_t run = operand.width / llvm::product_of(from.drop_front(dim + 1));
  PaddedDimension padded{dim, run, from[dim] == run, std::nullopt};
  if (from[dim] == to[dim] ||
      (to[dim] % run == 0 && op.getBefore()[dim] % run == 0 && op.getSteps()[dim] == 1))
    padded.width = run * llvm::product_of(to.drop_front(dim + 1));
  return padded;
}

} // namespace

bool maySplit(ArrayRef<int64_t> shape, unsigned dim, int64_t width) {
  const int64_t inner = llvm::product_of(shape.drop_front(dim + 1));
  return inner > 0 && width > 0 && width % inner == 0 && shape[dim] % (width / inner) == 0;
}

Ways placeReshape(ReshapeOp op, const Placement &operand) {
  if (!operand.is(Kind::Split))
    return {{operand}};
  RankedTensorType from = typeOf(op.getInput()), to = typeOf(op.getResult());
  Placement part = operand;
  part.dimension = dimensionBehind(op, operand);
  const bool dropsRanks = from.getRank() == 2 && to.getRank() == 1 && from.getDimSize(0) == 1;
  const bool isKnown = splitDimensionOfResult(op) || operand.dimension.value_or(0) > 0;
  if (dropsRanks && !isKnown && operand.width == from.getNumElements())
    return {{{Kind::Own}}, {part}};
  return {{part}};
}

Ways placePad(PadOp op, const Placement &operand, int64_t ranks) {
  const unsigned rank = typeOf(op.getInput()).getRank();
  std::optional<unsigned> said = splitDimensionOfResult(op);
  if (operand.dimension && said != operand.dimension)
    said.reset();
  Ways ways;
  auto add = [&](const PaddedDimension &padded) {
    if (padded.width)
      addWay(ways, {Placement::split(ranks * *padded.width, *padded.width, padded.dimension)});
  };
  SmallVector<PaddedDimension> all;
  for (unsigned dim = rank; dim-- > 0;)
    if (std::optional<PaddedDimension> padded = paddedAlong(op, dim, operand);
        padded && dim == said.value_or(dim))
      all.push_back(*padded);
  for (const PaddedDimension &padded : all)
    if (padded.dimension == operand.dimension)
      add(padded);
  const bool areOneRun = llvm::any_of(all, [](const PaddedDimension &padded) { return padded.isOneRun; });
  for (const PaddedDimension &padded : all)
    if (padded.isOneRun == areOneRun)
      add(padded);
  return ways;
}

} // namespace windlass::graph
