// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/PartitionUpdate.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Dist/PartitionLayers.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::dist {
namespace {

/// Doubles from one norm slot to the next: a cache line, so that kernels write them aligned.
constexpr int64_t kSlotStride = 8;

/// Repeats elementwise maps over parameters on other tensors that hold the same elements:
/// a bucket's shard, or a whole unit.
class ElementwiseCloner {
public:
  using Leaf = llvm::function_ref<Value(Value)>;

  /// `shape`: of the tensors computed on. `bucket`: noted on the clones unless empty.
  ElementwiseCloner(OpBuilder &builder, ArrayRef<int64_t> shape, StringRef bucket)
      : builder(builder), shape(shape), bucket(bucket) {}

  /// From here on, `fresh` stands for `old`.
  void know(Value old, Value fresh) { done[old] = fresh; }

  /// `leaf` stands for a gradient or a state that is read.
  FailureOr<Value> clone(Value value, Leaf leaf) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0)
      return value;
    if (Value known = done.lookup(value))
      return known;
    if (!value.getDefiningOp<graph::MapOp>())
      return done[value] = leaf(value);
    auto map = value.getDefiningOp<graph::MapOp>();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (auto [input, indexing] : llvm::zip_equal(map.getInputs(), map.getMapValues())) {
      FailureOr<Value> here = clone(input, leaf);
      if (failed(here))
        return failure();
      bool scalar = cast<RankedTensorType>(input.getType()).getRank() == 0;
      if (!scalar && !indexing.isIdentity())
        return map.emitError("an update must be elementwise, found the map ") << AffineMapAttr::get(indexing);
      inputs.push_back(*here);
      maps.push_back(scalar ? AffineMap::get(shape.size(), 0, {}, map.getContext())
                            : graph::identityMap(map.getContext(), shape.size()));
    }
    SmallVector<Type> types;
    for (Value result : map.getResults())
      types.push_back(
          RankedTensorType::get(shape, cast<RankedTensorType>(result.getType()).getElementType()));
    auto copy =
        graph::MapOp::create(builder, map.getLoc(), types, inputs, builder.getAffineMapArrayAttr(maps));
    IRMapping mapping;
    map.getBody().cloneInto(&copy.getBody(), mapping);
    if (!bucket.empty())
      copy->setAttr(kUpdateOf, FlatSymbolRefAttr::get(map.getContext(), bucket));
    for (auto [old, fresh] : llvm::zip_equal(map.getResults(), copy.getResults()))
      done[old] = fresh;
    return done[value];
  }

private:
  OpBuilder &builder;
  SmallVector<int64_t> shape;
  StringRef bucket;
  llvm::DenseMap<Value, Value> done;
};

/// True if two updates do the same to their parameters.
bool sameUpdate(Value a, Value b) {
  auto rank = [](Value v) { return cast<RankedTensorType>(v.getType()).getRank(); };
  if (rank(a) == 0 || rank(b) == 0)
    return a == b;
  auto mapA = a.getDefiningOp<graph::MapOp>(), mapB = b.getDefiningOp<graph::MapOp>();
  if (!mapA || !mapB)
    return !mapA && !mapB;
  return cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
         OperationEquivalence::isRegionEquivalentTo(&mapA.getBody(), &mapB.getBody(),
                                                    OperationEquivalence::IgnoreLocations) &&
         llvm::equal(mapA.getInputs(), mapB.getInputs(), sameUpdate);
}

class UpdateRewriter {
public:
  UpdateRewriter(graph::StepOp train, const ShardLayout &layout, bool allReduce)
      : train(train), layout(layout), allReduce(allReduce), builder(train.getContext()) {}

  LogicalResult
  run(llvm::function_ref<FailureOr<BucketGradients>(graph::MicroBatchesOp)> partitionMicroBatch) {
    graph::MicroBatchesOp micro = *train.getBody().front().getOps<graph::MicroBatchesOp>().begin();
    noteOldGradients(micro);
    for (auto write : train.getBody().front().getOps<graph::WriteOp>())
      writeByState[write.getState()] = write;
    for (auto state : train->getParentOfType<ModuleOp>().getOps<graph::StateOp>()) {
      statesByParameter[state.getOf().value_or(state.getSymName())].push_back(state);
      roleByState[state.getSymName()] = state.getRole();
    }
    FailureOr<BucketGradients> found = partitionMicroBatch(micro);
    if (failed(found))
      return failure();
    replaceMicroBatches(micro, *found);
    for (auto norm : llvm::make_early_inc_range(train.getBody().front().getOps<graph::GradNormOp>()))
      if (failed(rewriteNorm(norm)))
        return failure();
    for (size_t bucket = 0; bucket < layout.buckets.size(); ++bucket)
      if (gradients.count({bucket, 0}))
        if (failed(layout.buckets[bucket].zero == 0 ? updateUnits(bucket) : updateShard(bucket)))
          return failure();
    eraseOld(micro);
    return success();
  }

private:
  void noteOldGradients(graph::MicroBatchesOp micro) {
    llvm::StringMap<int64_t> seen;
    auto states = micro.getGradientOfAttr();
    for (auto [result, state] : llvm::zip_equal(micro.getResults(), states.getAsRange<FlatSymbolRefAttr>()))
      useOf[result] = seen[state.getValue()]++;
  }

  void replaceMicroBatches(graph::MicroBatchesOp micro, const BucketGradients &found) {
    SmallVector<Value> values;
    SmallVector<Type> sums;
    SmallVector<Attribute> buckets;
    SmallVector<int64_t> units;
    std::map<size_t, Type> elements; // of the sums, by bucket
    auto states = micro.getGradientOfAttr();
    for (auto [result, state] : llvm::zip_equal(micro.getResults(), states.getAsRange<FlatSymbolRefAttr>()))
      elements[layout.slots.at(state.getValue().str()).bucket] = graph::typeOf(result).getElementType();
    for (const BucketGradient &gradient : found)
      for (auto [number, value] : llvm::enumerate(gradient.values)) {
        values.push_back(value);
        sums.push_back(graph::withElement(value.getType(), elements.at(gradient.bucket)));
        buckets.push_back(FlatSymbolRefAttr::get(train.getContext(), layout.buckets[gradient.bucket].symbol));
        units.push_back(gradient.isReduced ? -1 : number);
      }
    micro.getBody().front().getTerminator()->setOperands(values);
    builder.setInsertionPoint(micro);
    const bool hasUnits = llvm::any_of(units, [](int64_t unit) { return unit >= 0; });
    auto fresh = graph::MicroBatchesOp::create(builder, micro.getLoc(), sums, micro.getCount(),
                                               builder.getArrayAttr(buckets),
                                               hasUnits ? builder.getDenseI64ArrayAttr(units) : nullptr);
    fresh.getBody().takeBody(micro.getBody());
    ValueRange results = fresh.getResults();
    for (const BucketGradient &gradient : found) {
      ValueRange mine = results.take_front(gradient.values.size());
      results = results.drop_front(mine.size());
      const BucketPlan &bucket = layout.buckets[gradient.bucket];
      Value shard = gradient.isReduced
                        ? mine.front()
                        : reduceGradient(builder, micro.getLoc(), bucket, mine, allReduce, std::nullopt);
      gradients[{gradient.bucket, gradient.use}] = sumCopies(micro.getLoc(), bucket, shard);
    }
  }

  /// The sum of a shard over its copies, once a step: what each of them added up over its own ranks.
  Value sumCopies(Location loc, const BucketPlan &bucket, Value shard) {
    if (bucket.copies.empty())
      return shard;
    auto type = cast<RankedTensorType>(shard.getType());
    StringAttr name = builder.getStringAttr(bucket.nameInLayer());
    ArrayAttr over = axesAttr(builder, bucket.copies);
    int64_t part = bucket.shardElements() / layout.groupRanks(bucket.copies);
    Value sum = ReduceScatterOp::create(builder, loc, type.clone({part}), shard,
                                        builder.getDenseI64ArrayAttr({part}), name, over);
    return AllGatherOp::create(builder, loc, TypeRange{type}, sum, builder.getDenseI64ArrayAttr({part}), name,
                               over)
        .getUnits()
        .front();
  }

  graph::WriteOp writeOf(graph::StateOp state) { return writeByState.lookup(state.getSymName()); }

  /// The states of a parameter, itself among them, in module order.
  ArrayRef<graph::StateOp> statesOf(graph::StateOp parameter) {
    return statesByParameter[parameter.getSymName()];
  }

  graph::Role roleOf(graph::ReadOp read) { return roleByState.at(read.getState()); }

  /// A state of a bucket as it is held: its shard, or its units.
  SmallVector<Value> readBucket(const BucketPlan &bucket, graph::Role role, Type element) {
    SmallVector<Value> &values = reads[{bucket.symbol, static_cast<int>(role)}];
    if (values.empty()) {
      SmallVector<Type> types;
      if (bucket.isSharded(role))
        types.push_back(role == graph::Role::Parameter ? shardType(bucket, element)
                                                       : partsType(bucket, element));
      else
        for (const UnitPlan &unit : bucket.units)
          types.push_back(unit.type().clone(element));
      values = llvm::to_vector_of<Value>(
          ReadOp::create(builder, train.getLoc(), types, bucket.symbol, role).getValues());
    }
    return values;
  }

  /// This rank's parts of a gradient or state of `bucket`.
  Value partsLeaf(size_t index, Value old) {
    const BucketPlan &bucket = layout.buckets[index];
    auto read = old.getDefiningOp<graph::ReadOp>();
    if (!read)
      return gradients.at({index, useOf.lookup(old)});
    graph::Role role = roleOf(read);
    Type element = graph::typeOf(old).getElementType();
    SmallVector<Value> values = readBucket(bucket, role, element);
    if (bucket.isSharded(role))
      return role == graph::Role::Parameter ? ownParts(builder, old.getLoc(), bucket, values.front())
                                            : values.front();
    return OwnShardOp::create(builder, old.getLoc(), partsType(bucket, element), values, bucket.partPieces(),
                              axesAttr(builder, bucket.partAxes()));
  }

  LogicalResult checkAlike(const BucketPlan &bucket) {
    graph::StateOp first = bucket.units.front().members.front();
    ArrayRef<graph::StateOp> expected = statesOf(first);
    for (const UnitPlan &unit : bucket.units)
      for (graph::StateOp member : unit.members)
        for (auto [state, model] : llvm::zip_equal(statesOf(member), expected)) {
          graph::WriteOp write = writeOf(state), pattern = writeOf(model);
          if (!write != !pattern || (write && !sameUpdate(write.getValue(), pattern.getValue())))
            return member.emitError("is updated otherwise than \"")
                   << first.getOriginal() << "\", which shares bucket " << bucket.symbol;
        }
    return success();
  }

  /// One update over this rank's parts; states that are cut less, or whole on every rank, get them back by
  /// gathers.
  LogicalResult updateShard(size_t index) {
    const BucketPlan &bucket = layout.buckets[index];
    if (failed(checkAlike(bucket)))
      return failure();
    builder.setInsertionPointToEnd(&train.getBody().front());
    ElementwiseCloner cloner(builder, {bucket.partElements()}, bucket.symbol);
    if (auto total = totals.find(index); total != totals.end())
      cloner.know(total->second.old, total->second.parts);
    for (graph::StateOp state : statesOf(bucket.units.front().members.front())) {
      graph::WriteOp write = writeOf(state);
      if (!write)
        continue;
      FailureOr<Value> parts =
          cloner.clone(write.getValue(), [&](Value old) { return partsLeaf(index, old); });
      if (failed(parts))
        return failure();
      graph::Role role = state.getRole();
      SmallVector<Value> values = {*parts};
      if (role == graph::Role::Parameter)
        values = {joinParts(builder, write.getLoc(), bucket, *parts)};
      if (!bucket.isSharded(role))
        values = gatherUnits(builder, write.getLoc(), bucket, values.front());
      WriteOp::create(builder, write.getLoc(), values, bucket.symbol, role);
    }
    return success();
  }

  SmallVector<Value> wholeGradient(const BucketPlan &bucket, Value parts) {
    return gatherUnits(builder, train.getLoc(), bucket, joinParts(builder, train.getLoc(), bucket, parts));
  }

  /// ZeRO 0: gradients are gathered, and every rank updates whole units.
  LogicalResult updateUnits(size_t index) {
    const BucketPlan &bucket = layout.buckets[index];
    if (failed(checkAlike(bucket)))
      return failure();
    builder.setInsertionPointToEnd(&train.getBody().front());
    std::map<int64_t, SmallVector<Value>> wholeGradients;
    SmallVector<Value> wholeTotal;
    auto total = totals.find(index);
    if (total != totals.end())
      wholeTotal = wholeGradient(bucket, total->second.parts);
    for (auto &[key, parts] : gradients)
      if (key.first == index && wholeTotal.empty())
        wholeGradients[key.second] = wholeGradient(bucket, parts);
    std::map<graph::Role, SmallVector<Value>> written;
    for (auto [number, unit] : llvm::enumerate(bucket.units)) {
      ElementwiseCloner cloner(builder, unit.type().getShape(), "");
      size_t u = number;
      if (!wholeTotal.empty())
        cloner.know(total->second.old, wholeTotal[u]);
      for (graph::StateOp state : statesOf(unit.members.front())) {
        graph::WriteOp write = writeOf(state);
        if (!write)
          continue;
        FailureOr<Value> value = cloner.clone(write.getValue(), [&](Value old) -> Value {
          auto read = old.getDefiningOp<graph::ReadOp>();
          if (!read)
            return wholeGradients.at(useOf.lookup(old))[u];
          return readBucket(bucket, roleOf(read), graph::typeOf(old).getElementType())[u];
        });
        if (failed(value))
          return failure();
        written[state.getRole()].push_back(*value);
      }
    }
    for (auto &[role, values] : written)
      WriteOp::create(builder, train.getLoc(), values, bucket.symbol, role);
    return success();
  }

  /// The norm of all gradients: slots of this rank's pieces, one gather, a sum over units and, of each,
  /// ranks.
  LogicalResult rewriteNorm(graph::GradNormOp norm) {
    builder.setInsertionPoint(norm);
    std::map<size_t, Value> sums; // by bucket
    for (Value gradient : norm.getGradients()) {
      size_t bucket = bucketBehind(gradient);
      if (sums.count(bucket))
        continue;
      ElementwiseCloner cloner(builder, {layout.buckets[bucket].partElements()},
                               layout.buckets[bucket].symbol);
      FailureOr<Value> parts = cloner.clone(gradient, [&](Value old) { return partsLeaf(bucket, old); });
      if (failed(parts))
        return failure();
      sums[bucket] = *parts;
      if (gradient.getDefiningOp<graph::MapOp>())
        totals[bucket] = {gradient, *parts};
    }
    Location loc = norm.getLoc();
    Value sum;
    for (bool isSplit : {true, false})
      if (Value squares = sumSquares(loc, sums, isSplit); squares && sum)
        sum = graph::buildElementwise(
            builder, loc, {sum, squares}, graph::typeOf(squares),
            [](const graph::Scalars &s, ValueRange inputs) -> Value { return s.add(inputs[0], inputs[1]); });
      else if (squares)
        sum = squares;
    Value root = graph::buildElementwise(builder, loc, sum, RankedTensorType::get({}, builder.getF32Type()),
                                         [](const graph::Scalars &s, ValueRange inputs) -> Value {
                                           return math::SqrtOp::create(s.builder, s.loc, inputs[0]);
                                         });
    norm.getNorm().replaceAllUsesWith(root);
    norm.erase();
    return success();
  }

  /// The sum of all squares of the gradients of split parameters, or of those that every rank which shares
  /// out operations has whole: so each counts once. Null where there are none.
  Value sumSquares(Location loc, const std::map<size_t, Value> &sums, bool isSplit) {
    SmallVector<Value> shards;
    SmallVector<Attribute> pieces;
    SmallVector<int64_t> owners;
    int64_t slots = 0;
    for (auto &[index, shard] : sums) {
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
    Value mine = slotsOfPieces(loc, shards, pieces, owners, slots * kSlotStride);
    Value all = gatherSlots(loc, mine, slots, isSplit);
    AffineExpr slot = builder.getAffineDimExpr(0), rank = builder.getAffineDimExpr(1);
    auto indexing =
        AffineMap::get(2, 0, {rank, slot, builder.getAffineConstantExpr(0)}, builder.getContext());
    return graph::buildReduce(builder, loc, graph::Combine::Sum, {0, 1}, all, {indexing},
                              RankedTensorType::get({}, builder.getF64Type()),
                              [](const graph::Scalars &, ValueRange inputs) { return inputs[0]; });
  }

  /// The slots of all ranks, by the place of their pieces: first those of a piece's parts, then of all
  /// pieces, then those of all parts of split parameters.
  Value gatherSlots(Location loc, Value mine, int64_t slots, bool isSplit) {
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
  Value slotsOfPieces(Location loc, ArrayRef<Value> shards, ArrayRef<Attribute> pieces,
                      ArrayRef<int64_t> owners, int64_t elements) {
    Type f64 = builder.getF64Type();
    auto mine = RankedTensorType::get({elements}, f64);
    if (llvm::all_of(owners, [](int64_t owner) { return owner < 0; }))
      return NormSlotsOp::create(builder, loc, mine, shards, builder.getArrayAttr(pieces),
                                 DenseI64ArrayAttr());
    Value all =
        NormSlotsOp::create(builder, loc, RankedTensorType::get({layout.groupRanks({}) * elements}, f64),
                            shards, builder.getArrayAttr(pieces), builder.getDenseI64ArrayAttr(owners));
    return ReduceScatterOp::create(builder, loc, mine, all, builder.getDenseI64ArrayAttr({elements}),
                                   StringAttr(), ArrayAttr());
  }

  /// The bucket a gradient (or a sum of gradients) belongs to.
  size_t bucketBehind(Value gradient) {
    while (auto map = gradient.getDefiningOp<graph::MapOp>())
      gradient = map.getInputs().front();
    auto micro = gradient.getDefiningOp<graph::MicroBatchesOp>();
    auto states = micro.getGradientOfAttr();
    auto state = cast<FlatSymbolRefAttr>(states[cast<OpResult>(gradient).getResultNumber()]);
    return layout.slots.at(state.getValue().str()).bucket;
  }

  /// What the old update computed, backwards, as its uses go.
  void eraseOld(graph::MicroBatchesOp micro) {
    for (auto &[state, write] : writeByState)
      graph::WriteOp(write).erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(train.getBody().front())))
      if (isa<graph::MapOp, graph::ReadOp>(op) && op.use_empty())
        op.erase();
    micro.erase();
  }

  graph::StepOp train;
  const ShardLayout &layout;
  bool allReduce;
  OpBuilder builder;
  llvm::DenseMap<Value, int64_t> useOf; ///< of the old results of micro_batches
  std::map<std::pair<size_t, int64_t>, Value> gradients;
  /// The sum of a tied tensor's gradients, by bucket: made once, for the norm and the update, because the
  /// accumulator of the first use takes it.
  struct Total {
    Value old, parts;
  };
  std::map<size_t, Total> totals;
  std::map<std::pair<std::string, int>, SmallVector<Value>> reads;
  llvm::StringMap<graph::WriteOp> writeByState;
  llvm::StringMap<SmallVector<graph::StateOp>> statesByParameter; ///< in module order
  llvm::StringMap<graph::Role> roleByState;
};

} // namespace

LogicalResult
partitionUpdate(graph::StepOp train, const ShardLayout &layout, bool allReduce,
                llvm::function_ref<FailureOr<BucketGradients>(graph::MicroBatchesOp)> partitionMicroBatch) {
  return UpdateRewriter(train, layout, allReduce).run(partitionMicroBatch);
}

} // namespace windlass::dist
