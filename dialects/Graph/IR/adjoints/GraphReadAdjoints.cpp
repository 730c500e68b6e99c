// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/adjoints/GraphReadAdjoints.h"

using namespace mlir;

namespace windlass::graph {

namespace {

/// Puts the gradient of one read back. The iterations (o, k) read index i = s o + d k + c of a dimension. The
/// gradient at i is the sum over k of the gradients of the iterations o = (i - d k - c) / s. So the gradient
/// is first padded along o: spread out with step s, behind as many zeros as the window reaches back. Then it
/// is read at i + d (K - 1 - k), and summed over k.
class ReadAdjoint {
public:
  ReadAdjoint(OpBuilder &builder, Location loc, RankedTensorType type, ArrayRef<int64_t> extents)
      : builder(builder), loc(loc), type(type), extents(extents) {}

  /// False if an index has a form that has no adjoint here.
  bool add(AffineMap map) {
    windowCount = llvm::count_if(map.getResults(),
                                 [](AffineExpr expr) { return linearIndex(expr)->terms.size() == 2; });
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      LinearIndex index = *linearIndex(expr);
      bool isFlip = isWholeFlip(dim, index);
      if (index.terms.size() > 2 ||
          (!isFlip && llvm::any_of(index.terms, [](auto term) { return term.factor < 0; })))
        return false;
      hasFlip |= isFlip;
      addDimension(dim, index);
    }
    return true;
  }

  Value build(Value gradient) {
    if (needsPad)
      gradient = PadOp::create(builder, loc, tensorType(padded, type.getElementType()), gradient, before,
                               steps, llvm::APFloat(0.0));
    if (fixed.empty() && windows.empty() && !hasFlip)
      return gradient;
    if (windows.empty() && !hasFlip &&
        llvm::all_of(fixed, [&](auto place) { return type.getDimSize(place.first) == 1; }))
      return buildReshape(builder, loc, gradient, type.getShape());
    unsigned rank = type.getRank(), loops = rank + windowCount;
    AffineMap map = AffineMap::get(loops, 0, reads, builder.getContext());
    auto body = [&](const Scalars &s, ValueRange in) { return select(s, s.widen(in[0])); };
    if (windows.empty())
      return buildMap(builder, loc, gradient, map, type, body);
    SmallVector<int64_t> all(type.getShape()), reduced;
    all.insert(all.end() - 1, windows.begin(), windows.end());
    for (unsigned position = 0; position < windowCount; ++position)
      reduced.push_back(rank - 1 + position);
    ReduceOp sum =
        buildReduce(builder, loc, Combine::Sum, reduced, gradient, map,
                    withElement(type, computeType(type.getElementType())),
                    [&](const Scalars &s, ValueRange in) { return SmallVector<Value>{body(s, in)}; });
    sum.setExtents(all);
    return buildCast(builder, loc, sum.getResult(0), type.getElementType());
  }

private:
  /// Whether an index reads a whole dimension from its end to its start.
  bool isWholeFlip(unsigned dim, const LinearIndex &index) const {
    int64_t size = type.getDimSize(dim);
    return index.terms.size() == 1 && index.terms[0].factor == -1 && index.constant == size - 1 &&
           extents[index.terms[0].loop] == size;
  }
  /// The loop of a dimension. The loops of windows come before the loop of the last dimension, which is
  /// contiguous in memory.
  unsigned loopOf(unsigned dim) const {
    return static_cast<int64_t>(dim) + 1 < type.getRank() ? dim : dim + windowCount;
  }
  AffineExpr loop(unsigned position) { return builder.getAffineDimExpr(position); }

  /// Adds a dimension of the gradient: its padding, and the index at which the padded gradient is read.
  void addGradientDimension(int64_t extent, int64_t zeros, int64_t step, int64_t whole, AffineExpr read) {
    before.push_back(zeros);
    steps.push_back(step);
    padded.push_back(whole);
    needsPad |= whole != extent;
    reads.push_back(read);
  }

  void addDimension(unsigned dim, const LinearIndex &index) {
    int64_t size = type.getDimSize(dim);
    if (index.isFixed()) {
      fixed.emplace_back(dim, index.constant);
      return;
    }
    if (isWholeFlip(dim, index)) {
      addGradientDimension(size, 0, 1, size, size - 1 - loop(loopOf(dim)));
      return;
    }
    if (index.terms.size() == 1) {
      addGradientDimension(extents[index.terms[0].loop], index.constant, index.terms[0].factor, size,
                           loop(loopOf(dim)));
      return;
    }
    // The shorter loop is the window.
    bool secondIsWindow = extents[index.terms[1].loop] <= extents[index.terms[0].loop];
    LinearIndex::Term window = index.terms[secondIsWindow], output = index.terms[!secondIsWindow];
    int64_t width = extents[window.loop], reach = window.factor * (width - 1);
    unsigned windowLoop = type.getRank() - 1 + windows.size();
    windows.push_back(width);
    AffineExpr at = loop(loopOf(dim)) + reach - loop(windowLoop) * window.factor;
    auto addOutput = [&] {
      addGradientDimension(extents[output.loop], index.constant + reach, output.factor, size + reach, at);
    };
    auto addWindow = [&] { addGradientDimension(width, 0, 1, width, loop(windowLoop)); };
    if (secondIsWindow) {
      addOutput();
      addWindow();
    } else {
      addWindow();
      addOutput();
    }
  }

  /// `value` at the fixed indices, 0 elsewhere.
  Value select(const Scalars &s, Value value) {
    Value zero = s.like(value, 0.0);
    for (auto [dim, index] : fixed) {
      Value wanted = s.constant(s.builder.getIndexType(), static_cast<double>(index));
      value = s.select(s.compare(arith::CmpIPredicate::eq, s.index(loopOf(dim)), wanted), value, zero);
    }
    return value;
  }

  OpBuilder &builder;
  Location loc;
  RankedTensorType type;
  ArrayRef<int64_t> extents;
  SmallVector<int64_t> before, steps, padded; ///< per dimension of the gradient
  SmallVector<AffineExpr> reads;              ///< per dimension of the gradient
  SmallVector<int64_t> windows;               ///< extents of the loops that are summed
  SmallVector<std::pair<unsigned, int64_t>> fixed;
  unsigned windowCount = 0;
  bool needsPad = false, hasFlip = false;
};

} // namespace

LogicalResult checkRead(Operation *reader, AffineMap map, ArrayRef<int64_t> extents, RankedTensorType type) {
  OpBuilder builder(reader->getContext());
  SmallVector<unsigned> loops = loopsOf(map);
  bool isDiagonal = llvm::SmallDenseSet<unsigned>(loops.begin(), loops.end()).size() < loops.size();
  if (!isDiagonal && ReadAdjoint(builder, reader->getLoc(), type, extents).add(map))
    return success();
  return reader->emitOpError(
             "has no derivative where it reads backwards, along a diagonal or by more than two loops: ")
         << AffineMapAttr::get(map);
}

Value placeRead(OpBuilder &builder, Location loc, Value gradient, AffineMap map, ArrayRef<int64_t> extents,
                RankedTensorType type) {
  ReadAdjoint adjoint(builder, loc, type, extents);
  adjoint.add(map);
  return adjoint.build(gradient);
}

} // namespace windlass::graph
