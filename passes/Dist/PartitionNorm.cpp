// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/PartitionNorm.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"

using namespace mlir;

namespace windlass::dist {
namespace {

/// Doubles from one norm slot to the next: a cache line, so that kernels write them aligned.
constexpr int64_t kSlotStride = 8;

class NormBuilder {
public:
  NormBuilder(OpBuilder &builder, Location loc, const ShardLayout &layout)
      : builder(builder), loc(loc), layout(layout) {}

  Value build(const std::map<size_t, Value> &parts) {
    Value sum;
    for (bool isSplit : {true, false})
      if (Value squares = sumSquares(parts, isSplit); squares && sum)
        sum = graph::buildElementwise(
            builder, loc, {sum, squares}, graph::typeOf(squares),
            [](const graph::Scalars &s, ValueRange inputs) -> Value { return s.add(inputs[0], inputs[1]); });
      else if (squares)
        sum = squares;
    return graph::buildElementwise(builder, loc, sum, RankedTensorType::get({}, builder.getF32Type()),
                                   [](const graph::Scalars &s, ValueRange inputs) -> Value {
                                     return math::SqrtOp::create(s.builder, s.loc, inputs[0]);
                                   });
  }

private:
  /// The sum of all squares of the gradients of split parameters, or of those that every rank which shares
  /// out operations has whole: so each counts once. Null where there are none.
  Value sumSquares(const std::map<size_t, Value> &parts, bool isSplit) {
    SmallVector<Value> shards;
    SmallVector<Attribute> pieces;
    SmallVector<int64_t> owners;
    int64_t slots = 0;
    for (auto &[index, shard] : parts) {
      const BucketPlan &bucket = layout.buckets[index];
      if (bucket.isSplit != isSplit)
        continue;
      shards.push_back(shard);
      pieces.push_back(builder.getDenseI64ArrayAttr(llvm::map_to_vector(
          bucket.units, [&](const UnitPlan &unit) { return unit.piece / bucket.parts; })));
      owners.push_back(bucket.owner);
      slots += bucket.units.size();
    }
    if (shards.empty())
      return Value();
    Value mine = slotsOfPieces(shards, pieces, owners, slots * kSlotStride);
    Value all = gatherSlots(mine, slots, isSplit);
    AffineExpr slot = builder.getAffineDimExpr(0), rank = builder.getAffineDimExpr(1);
    auto indexing =
        AffineMap::get(2, 0, {rank, slot, builder.getAffineConstantExpr(0)}, builder.getContext());
    return graph::buildReduce(builder, loc, graph::Combine::Sum, {0, 1}, all, {indexing},
                              RankedTensorType::get({}, builder.getF64Type()),
                              [](const graph::Scalars &, ValueRange inputs) { return inputs[0]; });
  }

  /// The slots of all ranks, by the place of their pieces: first those of a piece's parts, then of all
  /// pieces, then those of all parts of split parameters.
  Value gatherSlots(Value mine, int64_t slots, bool isSplit) {
    const BucketPlan &any = layout.buckets.front();
    Type f64 = builder.getF64Type();
    int64_t places = any.parts, elements = slots * kSlotStride;
    if (places > 1)
      mine = AllGatherOp::create(builder, loc, TypeRange{RankedTensorType::get({places * elements}, f64)},
                                 mine, builder.getDenseI64ArrayAttr({elements}), StringAttr(),
                                 axesAttr(builder, any.finer))
                 .getUnits()
                 .front();
    const int64_t rows = layout.groupRanks(any.over) * places;
    Value pieces =
        AllGatherOp::create(builder, loc, TypeRange{RankedTensorType::get({rows, slots, kSlotStride}, f64)},
                            mine, builder.getDenseI64ArrayAttr({places * elements}), StringAttr(),
                            axesAttr(builder, any.over))
            .getUnits()
            .front();
    if (!isSplit)
      return pieces;
    const MeshAxes across = {graph::kTensorAxis.str()};
    return AllGatherOp::create(
               builder, loc,
               TypeRange{RankedTensorType::get({layout.groupRanks(across) * rows, slots, kSlotStride}, f64)},
               pieces, builder.getDenseI64ArrayAttr({rows * elements}), StringAttr(),
               axesAttr(builder, across))
        .getUnits()
        .front();
  }

  /// The slots of this rank's pieces. Who owns a bucket fills those of all its pieces, and they go to the
  /// ranks that hold the pieces elsewhere: from there on the norm is the same sum.
  Value slotsOfPieces(ArrayRef<Value> shards, ArrayRef<Attribute> pieces, ArrayRef<int64_t> owners,
                      int64_t elements) {
    Type f64 = builder.getF64Type();
    auto mine = RankedTensorType::get({elements}, f64);
    if (llvm::all_of(owners, [](int64_t owner) { return owner < 0; }))
      return NormSlotsOp::create(builder, loc, mine, shards, builder.getArrayAttr(pieces),
                                 DenseI64ArrayAttr(), ArrayAttr());
    const MeshAxes &axes = layout.buckets.front().over;
    const ArrayAttr over = axesAttr(builder, axes);
    Value all =
        NormSlotsOp::create(builder, loc, RankedTensorType::get({layout.groupRanks(axes) * elements}, f64),
                            shards, builder.getArrayAttr(pieces), builder.getDenseI64ArrayAttr(owners), over);
    return ReduceScatterOp::create(builder, loc, mine, all, builder.getDenseI64ArrayAttr({elements}),
                                   StringAttr(), over);
  }

  OpBuilder &builder;
  Location loc;
  const ShardLayout &layout;
};

} // namespace

Value buildNorm(OpBuilder &builder, Location loc, const ShardLayout &layout,
                const std::map<size_t, Value> &parts) {
  return NormBuilder(builder, loc, layout).build(parts);
}

} // namespace windlass::dist
