// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/PartitionLayers.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Dist/GatherRuns.h"
#include "passes/Graph/gradients/LayerGradient.h"

using namespace mlir;

namespace windlass::dist {

RankedTensorType shardType(const BucketPlan &bucket, Type element) {
  return RankedTensorType::get({bucket.shardElements()}, element);
}

RankedTensorType partsType(const BucketPlan &bucket, Type element) {
  return RankedTensorType::get({bucket.partElements()}, element);
}

SmallVector<Type> heldTypes(const BucketPlan &bucket) {
  if (bucket.zero == 3)
    return {shardType(bucket, bucket.elementType())};
  SmallVector<Type> types;
  for (const UnitPlan &unit : bucket.units)
    types.push_back(unit.type());
  return types;
}

MemberValues unpackUnits(OpBuilder &builder, Location loc, const BucketPlan &bucket, ValueRange units) {
  MemberValues members;
  for (auto [unit, value] : llvm::zip_equal(bucket.units, units)) {
    if (!unit.packed) {
      members.push_back({value});
      continue;
    }
    SmallVector<Type> types;
    for (graph::StateOp state : unit.members)
      types.push_back(state.getType());
    auto unpack = UnpackOp::create(builder, loc, types, value, unit.offsets);
    members.push_back(llvm::to_vector_of<Value>(unpack.getMembers()));
  }
  return members;
}

SmallVector<Value> wholeUnits(OpBuilder &builder, Location loc, const BucketPlan &bucket, ValueRange held) {
  return bucket.zero < 3 ? llvm::to_vector(held) : gatherUnits(builder, loc, bucket, held.front());
}

SmallVector<Value> gatherUnits(OpBuilder &builder, Location loc, const BucketPlan &bucket, Value shard) {
  Type element = cast<RankedTensorType>(shard.getType()).getElementType();
  SmallVector<Type> types;
  for (const UnitPlan &unit : bucket.units)
    types.push_back(unit.type().clone(element));
  StringAttr name = builder.getStringAttr(bucket.nameInLayer());
  if (bucket.owner >= 0)
    return llvm::to_vector_of<Value>(
        BroadcastOp::create(builder, loc, types, shard, bucket.pieces(), name, axesAttr(builder, bucket.over))
            .getUnits());
  return llvm::to_vector_of<Value>(
      AllGatherOp::create(builder, loc, types, shard, bucket.pieces(), name, axesAttr(builder, bucket.over))
          .getUnits());
}

/// Where each unit's piece begins in a shard.
static SmallVector<int64_t> pieceOffsets(const BucketPlan &bucket) {
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (int64_t piece : bucket.pieces())
    offsets.push_back(std::exchange(end, end + piece));
  return offsets;
}

static SmallVector<Type> pieceTypes(const BucketPlan &bucket, Type element) {
  return llvm::map_to_vector(
      bucket.pieces(), [element](int64_t piece) -> Type { return RankedTensorType::get({piece}, element); });
}

SmallVector<Value> splitShard(OpBuilder &builder, Location loc, const BucketPlan &bucket, Value shard) {
  if (bucket.units.size() == 1)
    return {shard};
  Type element = cast<RankedTensorType>(shard.getType()).getElementType();
  return llvm::to_vector_of<Value>(
      UnpackOp::create(builder, loc, pieceTypes(bucket, element), shard, pieceOffsets(bucket)).getMembers());
}

Value ownParts(OpBuilder &builder, Location loc, const BucketPlan &bucket, Value shard) {
  if (bucket.parts == 1)
    return shard;
  Type element = cast<RankedTensorType>(shard.getType()).getElementType();
  return OwnShardOp::create(builder, loc, partsType(bucket, element), splitShard(builder, loc, bucket, shard),
                            bucket.partPieces(), axesAttr(builder, bucket.finer));
}

Value joinParts(OpBuilder &builder, Location loc, const BucketPlan &bucket, Value parts,
                std::optional<graph::Phase> phase) {
  if (bucket.parts == 1)
    return parts;
  Type element = cast<RankedTensorType>(parts.getType()).getElementType();
  auto gather =
      AllGatherOp::create(builder, loc, pieceTypes(bucket, element), parts, bucket.partPieces(),
                          builder.getStringAttr(bucket.nameInLayer()), axesAttr(builder, bucket.finer));
  graph::setPhase(gather, phase);
  if (bucket.units.size() == 1)
    return gather.getUnits().front();
  return PackOp::create(builder, loc, shardType(bucket, element), gather.getUnits(), pieceOffsets(bucket));
}

Value reduceUnits(OpBuilder &builder, Location loc, const BucketPlan &bucket, ValueRange units,
                  std::optional<graph::Phase> phase) {
  RankedTensorType type = shardType(bucket, cast<RankedTensorType>(units.front().getType()).getElementType());
  StringAttr name = builder.getStringAttr(bucket.nameInLayer());
  ArrayAttr over = axesAttr(builder, bucket.over);
  Operation *reduce =
      bucket.owner >= 0
          ? ReduceOp::create(builder, loc, type, units, bucket.pieces(), name, over).getOperation()
          : ReduceScatterOp::create(builder, loc, type, units, bucket.pieces(), name, over).getOperation();
  graph::setPhase(reduce, phase);
  Value shard = reduce->getResult(0);
  if (bucket.parts == 1)
    return shard;
  auto across = ReduceScatterOp::create(builder, loc, partsType(bucket, type.getElementType()),
                                        splitShard(builder, loc, bucket, shard), bucket.partPieces(), name,
                                        axesAttr(builder, bucket.finer));
  graph::setPhase(across, phase);
  return across.getShard();
}

Value reduceGradient(OpBuilder &builder, Location loc, const BucketPlan &bucket, ValueRange units,
                     bool allReduce, std::optional<graph::Phase> phase) {
  Value parts = reduceUnits(builder, loc, bucket, units, phase);
  if (!allReduce || bucket.zero != 1)
    return parts;
  SmallVector<Value> whole = gatherUnits(builder, loc, bucket, joinParts(builder, loc, bucket, parts, phase));
  graph::setPhase(whole.front().getDefiningOp(), phase);
  return OwnShardOp::create(builder, loc, parts.getType(), whole, bucket.partPieces(),
                            axesAttr(builder, bucket.partAxes()));
}

Value ownGradient(Value gradient, llvm::DenseSet<Value> &taken) {
  Value root = gradient;
  while (auto reshape = root.getDefiningOp<graph::ReshapeOp>())
    root = reshape.getInput();
  if (taken.insert(root).second || !gradient.getDefiningOp())
    return gradient;
  Operation *producer = gradient.getDefiningOp();
  OpBuilder builder(producer->getContext());
  builder.setInsertionPointAfter(producer);
  Value copy = graph::buildElementwise(builder, producer->getLoc(), gradient, graph::typeOf(gradient),
                                       [](const graph::Scalars &, ValueRange x) { return x[0]; });
  copy.getDefiningOp()->setDiscardableAttrs(producer->getDiscardableAttrDictionary());
  return copy;
}

SmallVector<Value> packUnits(OpBuilder &builder, Location loc, const BucketPlan &bucket,
                             const MemberValues &members) {
  SmallVector<Value> units;
  for (auto [unit, values] : llvm::zip_equal(bucket.units, members)) {
    if (!unit.packed) {
      units.push_back(values.front());
      continue;
    }
    auto type = RankedTensorType::get({unit.elements},
                                      cast<RankedTensorType>(values.front().getType()).getElementType());
    units.push_back(PackOp::create(builder, loc, type, values, unit.offsets));
  }
  return units;
}

namespace {

class LayerRewriter {
public:
  LayerRewriter(func::FuncOp function, const LayerRole &role, const ShardLayout &layout)
      : function(function), role(role), layout(layout), body(function.getBody().front()),
        builder(function.getContext()) {}

  FailureOr<PartitionedLayer> run() {
    replaceArguments();
    if (failed(reduceGradients()))
      return failure();
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                       body.getTerminator()->getOperandTypes()));
    return std::move(layer);
  }

private:
  /// Parameters become members of their buckets.
  void replaceArguments() {
    const unsigned count = body.getNumArguments();
    llvm::BitVector replaced(count);
    for (unsigned i = 0; i < count; ++i)
      if (role.argumentState[i].empty())
        layer.keptArguments.push_back(i);
      else
        replaced.set(i);
    std::map<int64_t, const BucketPlan *> taken; // by ordinal
    for (unsigned i : replaced.set_bits()) {
      const BucketPlan &bucket = layout.bucketOf(role.argumentState[i]);
      taken[bucket.ordinal] = &bucket;
    }
    std::map<int64_t, SmallVector<Value>> held;
    for (auto [ordinal, bucket] : taken) {
      layer.takenBuckets.push_back(ordinal);
      for (Type type : heldTypes(*bucket))
        held[ordinal].push_back(body.addArgument(type, function.getLoc()));
    }
    gatherForUses(held);
    replaced.resize(body.getNumArguments());
    body.eraseArguments(replaced);
  }

  /// Buckets are whole from just before a use on (GatherRuns.h).
  void gatherForUses(const std::map<int64_t, SmallVector<Value>> &held) {
    std::map<std::pair<int64_t, int64_t>, MemberValues> gathered;
    GatherRuns runs;
    for (Operation &op : llvm::make_early_inc_range(body))
      for (OpOperand &operand : op.getOpOperands()) {
        auto argument = dyn_cast<BlockArgument>(operand.get());
        if (!argument || argument.getArgNumber() >= role.argumentState.size())
          continue;
        const std::string &state = role.argumentState[argument.getArgNumber()];
        if (state.empty())
          continue;
        const BucketPlan &bucket = layout.bucketOf(state);
        MemberValues &members = gathered[{bucket.ordinal, runs.runOfNextUse(bucket)}];
        if (members.empty()) {
          builder.setInsertionPoint(&op);
          members = unpackUnits(builder, op.getLoc(), bucket,
                                wholeUnits(builder, op.getLoc(), bucket, held.at(bucket.ordinal)));
        }
        const StateSlot &slot = layout.slots.at(state);
        operand.set(members[slot.unit][slot.member]);
      }
  }

  /// Gradients become shards, reduced as soon as their bucket is complete (ZeRO 2 and 3), or units.
  LogicalResult reduceGradients() {
    Operation *end = body.getTerminator();
    SmallVector<Value> results;
    std::map<int64_t, MemberValues> byBucket;
    llvm::DenseSet<Value> taken;
    graph::LayerFormAttr form = graph::formOf(function);
    const bool isBackward = form && form.getPass() != graph::LayerPass::Forward;
    for (auto [i, state] : llvm::enumerate(role.gradientState)) {
      Value value = end->getOperand(i);
      if (state.empty()) {
        layer.keptResults.push_back(i);
        results.push_back(isBackward ? ownGradient(value, taken) : value);
        continue;
      }
      const BucketPlan &bucket = layout.bucketOf(state);
      const StateSlot &slot = layout.slots.at(state);
      MemberValues &members = byBucket[bucket.ordinal];
      members.resize(bucket.units.size());
      members[slot.unit].resize(bucket.units[slot.unit].members.size());
      members[slot.unit][slot.member] = ownGradient(value, taken);
    }
    for (auto &[ordinal, members] : byBucket) {
      const BucketPlan *bucket = nullptr;
      for (const std::string &state : role.gradientState)
        if (!state.empty() && layout.bucketOf(state).ordinal == ordinal)
          bucket = &layout.bucketOf(state);
      layer.gradientBuckets.push_back(ordinal);
      if (failed(reduceBucket(*bucket, members, results)))
        return failure();
    }
    end->setOperands(results);
    return success();
  }

  LogicalResult reduceBucket(const BucketPlan &bucket, const MemberValues &members,
                             SmallVector<Value> &results) {
    Operation *last = nullptr;
    for (auto [unit, values] : llvm::zip_equal(bucket.units, members))
      for (auto [state, value] : llvm::zip_equal(unit.members, values)) {
        if (!value || !value.getDefiningOp())
          return function.emitError("parameter \"")
                 << graph::StateOp(state).getOriginal() << "\" shares bucket " << bucket.symbol
                 << " with trained ones but has no gradient";
        if (!last || last->isBeforeInBlock(value.getDefiningOp()))
          last = value.getDefiningOp();
      }
    builder.setInsertionPointAfter(last);
    SmallVector<Value> units = packUnits(builder, last->getLoc(), bucket, members);
    if (bucket.zero < 2) {
      llvm::append_range(results, units);
      return success();
    }
    results.push_back(reduceUnits(builder, last->getLoc(), bucket, units, graph::phaseOf(last)));
    return success();
  }

  func::FuncOp function;
  const LayerRole &role;
  const ShardLayout &layout;
  Block &body;
  OpBuilder builder;
  PartitionedLayer layer;
};

} // namespace

FailureOr<PartitionedLayer> partitionLayer(func::FuncOp function, const LayerRole &role,
                                           const ShardLayout &layout) {
  return LayerRewriter(function, role, layout).run();
}

} // namespace windlass::dist
