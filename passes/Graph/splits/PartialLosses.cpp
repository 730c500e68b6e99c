// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/PartialLosses.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/LossOfParts.h"
#include "passes/Graph/splits/Exchanges.h"

using namespace mlir;

namespace windlass::graph {
namespace {

constexpr int64_t kElsewhere = -1; ///< the label of a row, if another rank has its column
/// The logit of a column of padding: its exponential is 0 beside any other, and f16 can hold it.
constexpr double kNoLogit = -60000;

/// The first index of a rank's part, as an integer of this type.
Value firstOf(const Scalars &s, Value coordinate, Type integer, int64_t width) {
  Value wide = coordinate;
  if (integer != coordinate.getType())
    wide = arith::ExtSIOp::create(s.builder, s.loc, integer, coordinate);
  return arith::MulIOp::create(s.builder, s.loc, wide, s.constant(integer, static_cast<double>(width)));
}

Value both(const Scalars &s, Value a, Value b) { return arith::AndIOp::create(s.builder, s.loc, a, b); }

/// Whether an index is in [first, first + width).
Value isWithin(const Scalars &s, Value index, Value first, int64_t width) {
  Value end = arith::AddIOp::create(s.builder, s.loc, first, s.like(first, static_cast<double>(width)));
  Value isBehind = s.compare(arith::CmpIPredicate::sge, index, first);
  return both(s, isBehind, s.compare(arith::CmpIPredicate::slt, index, end));
}

/// Logits in which the columns behind the end of the whole table are kNoLogit.
Value withoutPadding(OpBuilder &builder, Location loc, Value logits, const RankColumns &columns) {
  if (columns.width * columns.ranks == columns.extent)
    return logits;
  const unsigned loops = typeOf(logits).getRank();
  return buildMap(builder, loc, {logits, columns.coordinate},
                  {identityMap(builder.getContext(), loops), AffineMap::get(loops, 0, builder.getContext())},
                  typeOf(logits), [&](const Scalars &s, ValueRange in) {
                    Value first = firstOf(s, in[1], in[1].getType(), columns.width);
                    Value column =
                        arith::AddIOp::create(s.builder, s.loc, first, s.index(loops - 1, in[1].getType()));
                    Value isReal = s.compare(arith::CmpIPredicate::slt, column,
                                             s.like(column, static_cast<double>(columns.extent)));
                    return s.select(isReal, in[0], s.like(in[0], kNoLogit));
                  });
}

/// The labels as columns of this rank; kElsewhere for ignored labels and for columns of other ranks.
Value ownLabels(OpBuilder &builder, CrossEntropyOp loss, const RankColumns &columns) {
  Value labels = loss.getLabels();
  const unsigned loops = typeOf(labels).getRank();
  MLIRContext *context = builder.getContext();
  const auto ignored = static_cast<double>(static_cast<int64_t>(loss.getIgnoreIndex()));
  return buildMap(builder, loss.getLoc(), {labels, columns.coordinate},
                  {identityMap(context, loops), AffineMap::get(loops, 0, context)}, typeOf(labels),
                  [&](const Scalars &s, ValueRange in) -> Value {
                    Value first = firstOf(s, in[1], in[0].getType(), columns.width);
                    Value isWithinRank = isWithin(s, in[0], first, columns.width);
                    Value counts = s.compare(arith::CmpIPredicate::ne, in[0], s.like(in[0], ignored));
                    Value isOwn = both(s, isWithinRank, counts);
                    Value own = arith::SubIOp::create(s.builder, s.loc, in[0], first);
                    return s.select(isOwn, own, s.like(in[0], kElsewhere));
                  });
}

} // namespace

Value shiftToRank(OpBuilder &builder, Location loc, Value indices, const RankColumns &columns) {
  const unsigned loops = typeOf(indices).getRank();
  MLIRContext *context = builder.getContext();
  return buildMap(builder, loc, {indices, columns.coordinate},
                  {identityMap(context, loops), AffineMap::get(loops, 0, context)}, typeOf(indices),
                  [&](const Scalars &s, ValueRange in) -> Value {
                    Value first = firstOf(s, in[1], in[0].getType(), columns.width);
                    return arith::SubIOp::create(s.builder, s.loc, in[0], first);
                  });
}

Value detachRow(OpBuilder &builder, Location loc, Value rows, Value indices, int64_t index) {
  RankedTensorType type = typeOf(rows);
  const unsigned loops = type.getRank();
  AffineMap each = identityMap(builder.getContext(), loops);
  Value detached =
      buildMap(builder, loc, rows, each, type, [](const Scalars &, ValueRange in) { return in[0]; });
  detached.getDefiningOp()->setAttr(kDetached, builder.getUnitAttr());
  return buildMap(builder, loc, {indices, detached, rows},
                  {leadingMap(builder.getContext(), loops, loops - 1), each, each}, type,
                  [&](const Scalars &s, ValueRange in) {
                    Value isThis =
                        s.compare(arith::CmpIPredicate::eq, in[0], s.like(in[0], static_cast<double>(index)));
                    return s.select(isThis, in[1], in[2]);
                  });
}

ResultRange joinLosses(CrossEntropyOp loss, const RankColumns &columns) {
  OpBuilder builder(loss);
  Location loc = loss.getLoc();
  Value logits = withoutPadding(builder, loc, loss.getLogits(), columns);
  Value labels = ownLabels(builder, loss, columns);
  auto part = CrossEntropyOp::create(builder, loc, loss.getLosses().getType(), loss.getLse().getType(),
                                     logits, labels, kElsewhere, llvm::APFloat(0.0));
  const ExchangeBuilder exchange{builder, loc, columns.ranks};
  Value losses = exchange.stack(part.getLosses());
  Value lses = exchange.stack(part.getLse());

  const unsigned loops = typeOf(loss.getLosses()).getRank();
  const auto ranks = static_cast<unsigned>(columns.ranks);
  SmallVector<Value> inputs{loss.getLabels()};
  SmallVector<AffineMap> maps{identityMap(builder.getContext(), loops)};
  for (Value stacked : {losses, lses})
    for (unsigned rank = 0; rank < ranks; ++rank) {
      SmallVector<AffineExpr> at{builder.getAffineConstantExpr(rank)};
      for (unsigned loop = 0; loop < loops; ++loop)
        at.push_back(builder.getAffineDimExpr(loop));
      inputs.push_back(stacked);
      maps.push_back(AffineMap::get(loops, 0, at, builder.getContext()));
    }
  const auto ignored = static_cast<double>(static_cast<int64_t>(loss.getIgnoreIndex()));
  MapOp joined = buildMap(builder, loc, inputs, maps, loss->getResultTypes(),
                          [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                            Value counts = s.compare(arith::CmpIPredicate::ne, in[0], s.like(in[0], ignored));
                            auto hasLabel = [&](unsigned rank) {
                              Value first = s.like(in[0], static_cast<double>(rank * columns.width));
                              return both(s, counts, isWithin(s, in[0], first, columns.width));
                            };
                            return lossOfParts(s, in.slice(1, ranks), in.drop_front(1 + ranks), hasLabel);
                          });
  return joined.getResults();
}

} // namespace windlass::graph
