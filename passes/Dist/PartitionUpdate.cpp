// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/PartitionUpdate.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Dist/CloneElementwise.h"
#include "passes/Dist/PartitionLayers.h"
#include "passes/Dist/PartitionNorm.h"

using namespace mlir;

namespace windlass::dist {
namespace {

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

  /// The sum of a shard over its copies, once a step. Each copy is already a sum over the ranks of its own
  /// group.
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

  /// The norm of all gradients, of this rank's parts of their sums.
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
    norm.getNorm().replaceAllUsesWith(buildNorm(builder, norm.getLoc(), layout, sums));
    norm.erase();
    return success();
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
