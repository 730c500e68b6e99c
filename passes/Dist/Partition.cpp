// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts states into shards: layer functions first, then the steps, then the update.

#include "dialects/Graph/IR/GraphAttributes.h"
#include "passes/Dist/CloneByZero.h"
#include "passes/Dist/DeclareBuckets.h"
#include "passes/Dist/GatherRuns.h"
#include "passes/Dist/PartitionLayers.h"
#include "passes/Dist/PartitionUpdate.h"
#include "passes/Dist/Passes.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_PARTITION
#include "passes/Dist/Passes.h.inc"

namespace {

StringRef stateBehind(Value value) {
  auto read = value.getDefiningOp<graph::ReadOp>();
  return read ? read.getState() : StringRef();
}

std::string layerOf(func::CallOp call) {
  auto layer = call->getAttrOfType<StringAttr>(graph::kLayer);
  return layer ? layer.str() : "";
}

/// Rewrites the compute part of one step: a micro-batch, or a forward-only step.
class StepRewriter {
public:
  StepRewriter(Block &block, const ShardLayout &layout,
               llvm::MapVector<Operation *, PartitionedLayer> &layers)
      : block(block), layout(layout), layers(layers),
        symbols(block.getParentOp()->getParentOfType<ModuleOp>()),
        builder(block.getParentOp()->getContext()) {}

  LogicalResult run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto call = dyn_cast<func::CallOp>(op))
        rewriteCall(call);
    gatherForUses();
    return success();
  }

  /// Gradients of (bucket, use): shards (ZeRO 2 and 3), or whole units.
  std::map<std::pair<size_t, int64_t>, SmallVector<Value>> layerGradients;

private:
  /// A bucket's parameters as this block holds them; read once, at its start.
  SmallVector<Value> held(const BucketPlan &bucket) {
    SmallVector<Value> &values = reads[bucket.symbol];
    if (values.empty()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&block);
      auto read = ReadOp::create(builder, block.getParentOp()->getLoc(), heldTypes(bucket), bucket.symbol,
                                 graph::Role::Parameter);
      values = llvm::to_vector_of<Value>(read.getValues());
    }
    return values;
  }

  void rewriteCall(func::CallOp call) {
    auto function = symbols.lookup<func::FuncOp>(call.getCallee());
    const PartitionedLayer &layer = layers[function];
    std::string instance = layerOf(call);
    SmallVector<Value> operands;
    for (unsigned argument : layer.keptArguments)
      operands.push_back(call.getOperand(argument));
    for (int64_t ordinal : layer.takenBuckets)
      llvm::append_range(operands, held(layout.bucketOf(instance, ordinal)));
    builder.setInsertionPoint(call);
    auto fresh = func::CallOp::create(builder, call.getLoc(), function, operands);
    fresh->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    for (auto [fromNew, fromOld] : llvm::enumerate(layer.keptResults))
      call.getResult(fromOld).replaceAllUsesWith(fresh.getResult(fromNew));
    size_t at = layer.keptResults.size();
    for (int64_t ordinal : layer.gradientBuckets) {
      const BucketPlan &bucket = layout.bucketOf(instance, ordinal);
      size_t count = bucket.zero >= 2 ? 1 : bucket.units.size();
      size_t index = &bucket - layout.buckets.data();
      layerGradients[{index, 0}] = llvm::to_vector_of<Value>(fresh.getResults().slice(at, count));
      at += count;
    }
    call->dropAllReferences();
    dead.push_back(call);
  }

  /// Parameters of the step itself: gathered before each run of uses that no layer call interrupts, nor what
  /// GatherRuns.h says.
  void gatherForUses() {
    std::map<std::tuple<std::string, int64_t, int64_t>, MemberValues> gathered;
    GatherRuns runs;
    int64_t epoch = 0;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<func::CallOp>(op) && !llvm::is_contained(dead, &op))
        ++epoch;
      for (OpOperand &operand : op.getOpOperands()) {
        StringRef state = stateBehind(operand.get());
        if (state.empty())
          continue;
        const BucketPlan &bucket = layout.bucketOf(state);
        MemberValues &members =
            gathered[{bucket.symbol, bucket.zero == 3 ? epoch : 0, runs.runOfNextUse(bucket)}];
        if (members.empty()) {
          SmallVector<Value> values = held(bucket);
          builder.setInsertionPoint(&op);
          members =
              unpackUnits(builder, op.getLoc(), bucket, wholeUnits(builder, op.getLoc(), bucket, values));
        }
        const StateSlot &slot = layout.slots.at(state.str());
        operand.set(members[slot.unit][slot.member]);
      }
    }
    for (func::CallOp call : dead)
      call.erase();
  }

  Block &block;
  const ShardLayout &layout;
  llvm::MapVector<Operation *, PartitionedLayer> &layers;
  SymbolTable symbols;
  OpBuilder builder;
  std::map<std::string, SmallVector<Value>> reads;
  SmallVector<func::CallOp> dead;
};

struct PartitionPass : impl::PartitionBase<PartitionPass> {
  using PartitionBase::PartitionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (ranks < 1 || zero < 0 || zero > 3 || bucketBytes < 1) {
      module.emitError("partition needs ranks >= 1, ZeRO 0 to 3 and a positive bucket size; found ranks ")
          << ranks.getValue() << ", zero " << zero.getValue() << ", bucket-bytes " << bucketBytes.getValue();
      return signalPassFailure();
    }
    if (replicas < 1 || ranks % replicas != 0 || (replicas > 1 && owned)) {
      module.emitError("partition needs replicas that divide its ranks, and no owners with more than one; "
                       "found replicas ")
          << replicas.getValue() << " of " << ranks.getValue() << " ranks";
      return signalPassFailure();
    }
    std::optional<ShardOptions> options = shardOptions();
    if (!options)
      return signalPassFailure();
    layout = layOutShards(module, *options);
    std::vector<std::string> named;
    for (const auto &[bucket, number] : options->zeroOf)
      named.push_back(bucket);
    if (Status known = checkBuckets(layout, "zero-of", named); !known) {
      module.emitError(known.message());
      return signalPassFailure();
    }
    cloneByZero(module, layout);
    if (failed(partitionLayers(module)) || failed(partitionSteps(module)))
      return signalPassFailure();
    declareBuckets(module, layout);
  }

private:
  /// The options, or nothing where a bucket has another ZeRO than 0 to 3.
  std::optional<ShardOptions> shardOptions() {
    ShardOptions options{ranks, zero, replicas, finer, bucketBytes, persistence, owned, staged};
    for (const auto &[bucket, number] : zeroOf) {
      if (number < 0 || number > 3) {
        getOperation().emitError("partition needs ZeRO 0 to 3; found ") << number << " of '" << bucket << "'";
        return std::nullopt;
      }
      options.zeroOf[bucket] = number;
    }
    return options;
  }

  /// The parameter an operand of a micro-batch's yield is a gradient of.
  StringRef yieldedState(graph::MicroBatchesOp micro, unsigned operand) {
    auto states = micro.getGradientOfAttr();
    return cast<FlatSymbolRefAttr>(states[operand]).getValue();
  }

  /// What a call says about the function it calls. A result that is the gradient of another function's
  /// parameter (of one that was added to the layer's input) is a value like any other.
  LayerRole roleOf(func::CallOp call) {
    LayerRole role;
    for (Value operand : call.getOperands())
      role.argumentState.push_back(stateBehind(operand).str());
    auto micro = dyn_cast<graph::MicroBatchesOp>(call->getParentOp());
    for (Value result : call.getResults()) {
      role.gradientState.emplace_back();
      if (!micro)
        continue;
      for (OpOperand &use : result.getUses())
        if (isa<graph::YieldOp>(use.getOwner()))
          if (StringRef state = yieldedState(micro, use.getOperandNumber());
              layout.bucketOf(state).layer == layerOf(call))
            role.gradientState.back() = state.str();
    }
    return role;
  }

  /// True if two calls see the same places of their instances' buckets.
  bool agree(const LayerRole &a, const LayerRole &b) {
    auto place = [&](const std::string &state) -> std::tuple<int64_t, size_t, size_t> {
      if (state.empty())
        return {-1, 0, 0};
      const StateSlot &slot = layout.slots.at(state);
      return {layout.bucketOf(state).ordinal, slot.unit, slot.member};
    };
    auto same = [&](const std::string &x, const std::string &y) { return place(x) == place(y); };
    return llvm::equal(a.argumentState, b.argumentState, same) &&
           llvm::equal(a.gradientState, b.gradientState, same);
  }

  LogicalResult partitionLayers(ModuleOp module) {
    SymbolTable symbols(module);
    llvm::MapVector<Operation *, LayerRole> roles;
    WalkResult result = module.walk([&](func::CallOp call) {
      auto function = symbols.lookup<func::FuncOp>(call.getCallee());
      LayerRole role = roleOf(call);
      for (const std::string &state : role.argumentState)
        if (!state.empty() && layout.bucketOf(state).layer != layerOf(call)) {
          call.emitOpError("of layer '") << layerOf(call) << "' passes parameter '" << state << "' of layer '"
                                         << layout.bucketOf(state).layer << "'";
          return WalkResult::interrupt();
        }
      auto [known, fresh] = roles.insert({function, role});
      if (!fresh && !agree(known->second, role)) {
        call.emitOpError("passes other parameters to '") << call.getCallee() << "' than an earlier call does";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    for (auto &[function, role] : roles) {
      FailureOr<PartitionedLayer> layer = partitionLayer(cast<func::FuncOp>(function), role, layout);
      if (failed(layer))
        return failure();
      layers[function] = std::move(*layer);
    }
    return success();
  }

  LogicalResult partitionSteps(ModuleOp module) {
    for (auto step : llvm::make_early_inc_range(module.getOps<graph::StepOp>())) {
      auto micros = llvm::to_vector(step.getBody().front().getOps<graph::MicroBatchesOp>());
      if (micros.empty()) {
        if (failed(StepRewriter(step.getBody().front(), layout, layers).run()))
          return failure();
        eraseDeadReads(step.getBody().front());
        continue;
      }
      if (failed(partitionUpdate(step, layout, allReduce,
                                 [&](graph::MicroBatchesOp micro) { return partitionMicroBatch(micro); })))
        return failure();
      eraseDeadReads(step.getBody().front());
    }
    return success();
  }

  /// Rewrites a micro-batch and returns its gradients, by bucket and use.
  FailureOr<BucketGradients> partitionMicroBatch(graph::MicroBatchesOp micro) {
    Block &body = micro.getBody().front();
    Operation *yield = body.getTerminator();
    // Gradients the step itself produces stay in the yield while calls lose the results that are their
    // layers'.
    SmallVector<Value> kept;
    std::vector<std::pair<StateSlot, int64_t>> places; // of `kept`, with the use
    llvm::StringMap<int64_t> seen;
    for (unsigned i = 0; i < yield->getNumOperands(); ++i) {
      StringRef state = yieldedState(micro, i);
      int64_t use = seen[state]++;
      auto call = yield->getOperand(i).getDefiningOp<func::CallOp>();
      if (call && layout.bucketOf(state).layer == layerOf(call))
        continue;
      kept.push_back(yield->getOperand(i));
      places.emplace_back(layout.slots.at(state.str()), use);
    }
    yield->setOperands(kept);
    StepRewriter rewriter(body, layout, layers);
    if (failed(rewriter.run()))
      return failure();
    std::map<std::pair<size_t, int64_t>, MemberValues> own;
    llvm::DenseSet<Value> taken;
    for (auto [value, place] : llvm::zip_equal(yield->getOperands(), places)) {
      const auto &[slot, use] = place;
      const BucketPlan &bucket = layout.buckets[slot.bucket];
      MemberValues &members = own[{slot.bucket, use}];
      members.resize(bucket.units.size());
      members[slot.unit].resize(bucket.units[slot.unit].members.size());
      members[slot.unit][slot.member] = ownGradient(value, taken);
    }
    yield->setOperands({});
    eraseDeadReads(body);

    auto gradients = std::move(rewriter.layerGradients);
    OpBuilder builder(yield);
    for (auto &[key, members] : own) {
      if (failed(checkComplete(micro, layout.buckets[key.first], members)))
        return failure();
      gradients[key] = reduceStepGradients(builder, layout.buckets[key.first], members, yield);
    }
    BucketGradients found;
    for (auto &[key, values] : gradients) {
      const BucketPlan &bucket = layout.buckets[key.first];
      bool isReduced = bucket.zero >= 2 || !reducePerStep;
      if (bucket.zero < 2 && isReduced)
        values = {
            reduceGradient(builder, yield->getLoc(), bucket, values, allReduce, graph::Phase::Backward)};
      found.push_back({key.first, key.second, values, isReduced});
    }
    return found;
  }

  /// A bucket is reduced whole: each of its members has a gradient.
  LogicalResult checkComplete(graph::MicroBatchesOp micro, const BucketPlan &bucket,
                              const MemberValues &members) {
    for (auto [unit, values] : llvm::zip_equal(bucket.units, members))
      for (auto [number, state] : llvm::enumerate(unit.members))
        if (number >= values.size() || !values[number])
          return micro.emitError("parameter \"") << graph::StateOp(state).getOriginal() << "\" shares bucket "
                                                 << bucket.symbol << " with trained ones but has no gradient";
    return success();
  }

  SmallVector<Value> reduceStepGradients(OpBuilder &builder, const BucketPlan &bucket,
                                         const MemberValues &members, Operation *yield) {
    Operation *last = nullptr;
    for (const auto &values : members)
      for (Value value : values)
        if (!last || last->isBeforeInBlock(value.getDefiningOp()))
          last = value.getDefiningOp();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(last);
    SmallVector<Value> units = packUnits(builder, last->getLoc(), bucket, members);
    if (bucket.zero < 2)
      return units;
    return {reduceUnits(builder, last->getLoc(), bucket, units, graph::Phase::Backward)};
  }

  void eraseDeadReads(Block &block) {
    for (auto read : llvm::make_early_inc_range(block.getOps<graph::ReadOp>()))
      if (read->use_empty())
        read.erase();
  }

  ShardLayout layout;
  llvm::MapVector<Operation *, PartitionedLayer> layers;
};

} // namespace
} // namespace windlass::dist
