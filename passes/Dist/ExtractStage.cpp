// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one stage of a pipeline does, as a module of its own.

#include "passes/Dist/Passes.h"
#include "passes/Dist/Stages.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_EXTRACTSTAGE
#include "passes/Dist/Passes.h.inc"

namespace {

/// The stages that need a value which another one makes.
struct Reach {
  int64_t first = INT64_MAX, last = -1;
  void include(int64_t stage) {
    first = std::min(first, stage);
    last = std::max(last, stage);
  }
};

/// The ops of a step in order, those of a micro-batch in the place of its op, which stands behind them.
SmallVector<Operation *> sequenceOf(graph::StepOp step) {
  SmallVector<Operation *> all;
  for (Operation &op : step.getBody().front()) {
    if (auto micro = dyn_cast<graph::MicroBatchesOp>(op))
      for (Operation &inner : micro.getBody().front().without_terminator())
        all.push_back(&inner);
    all.push_back(&op);
  }
  return all;
}

class StepExtractor {
public:
  StepExtractor(graph::StepOp step, int64_t stage, int64_t stages)
      : step(step), stage(stage), sequence(sequenceOf(step)), builder(step.getContext()) {
    for (Operation *op : sequence)
      for (Value result : op->getResults())
        if (std::optional<int64_t> maker = stageOf(result))
          makers[result] = *maker;
    for (int64_t each = 0; each < stages; ++each)
      collect(each);
  }

  void run() {
    for (Operation *op : sequence)
      for (Value result : op->getResults())
        if (auto reach = needed.find(result); reach != needed.end())
          exchange(op, result, reach->second);
    for (Operation *op : llvm::reverse(sequence))
      if (auto micro = dyn_cast<graph::MicroBatchesOp>(op))
        keepOwnSums(micro);
      else if (!kept.contains(op))
        op->erase();
  }

private:
  /// Finds what a stage does, and which values of others it needs for that.
  void collect(int64_t each) {
    llvm::SmallPtrSet<Operation *, 32> mine;
    llvm::DenseSet<Value> read;
    auto need = [&](ValueRange values) {
      for (Value value : values) {
        read.insert(value);
        if (auto maker = makers.find(value); maker != makers.end() && maker->second != each)
          needed[value].include(each);
      }
    };
    for (Operation *op : llvm::reverse(sequence)) {
      if (auto micro = dyn_cast<graph::MicroBatchesOp>(op)) {
        for (Value sum : micro.getBody().front().getTerminator()->getOperands())
          if (makers.lookup(sum) == each)
            need(sum);
        continue;
      }
      const std::optional<int64_t> maker = stageOf(op);
      if (maker ? *maker != each
                : llvm::none_of(op->getResults(), [&](Value result) { return read.contains(result); }))
        continue;
      mine.insert(op);
      need(op->getOperands());
    }
    if (each == stage)
      kept = std::move(mine);
  }

  /// Sends and receives hop from stage to stage, at the place where the value is made: so all stages have
  /// their messages in the order of the step.
  void exchange(Operation *op, Value value, const Reach &reach) {
    const int64_t maker = makers.at(value);
    const std::string item = nameOf(value);
    std::optional<graph::Phase> phase;
    if (isa<graph::MicroBatchesOp>(op->getParentOp()) && isBackward(op))
      phase = graph::Phase::Backward;
    builder.setInsertionPointAfter(op);
    Value here = value;
    const bool goesUp = stage<reach.last, goesDown = stage> reach.first;
    const bool comesFromBelow = maker < stage && stage <= reach.last,
               comesFromAbove = reach.first <= stage && stage < maker;
    if (comesFromBelow || comesFromAbove) {
      auto recv = RecvOp::create(builder, op->getLoc(), value.getType(), item,
                                 comesFromBelow ? stage - 1 : stage + 1, stage);
      graph::setPhase(recv, phase);
      here = recv.getValue();
      value.replaceAllUsesWith(here);
    }
    auto send = [&](int64_t to) {
      graph::setPhase(SendOp::create(builder, op->getLoc(), here, item, stage, to), phase);
    };
    if (goesUp && maker <= stage)
      send(stage + 1);
    if (goesDown && maker >= stage)
      send(stage - 1);
  }

  /// For people; both ends count alike.
  std::string nameOf(Value value) {
    Operation *op = value.getDefiningOp();
    std::string name = op->getName().stripDialect().str();
    if (auto layer = op->getAttrOfType<StringAttr>(graph::kLayer))
      name = layer.str() + (isBackward(op) ? ".gradient" : "");
    if (auto read = dyn_cast<ReadOp>(op))
      name = read.getBucket().str();
    const int64_t number = names[name]++;
    return number == 0 ? name : name + "." + std::to_string(number);
  }

  /// Sums of other stages leave the micro-batches.
  void keepOwnSums(graph::MicroBatchesOp micro) {
    Operation *yield = micro.getBody().front().getTerminator();
    SmallVector<Value> values, old;
    SmallVector<Type> types;
    SmallVector<Attribute> buckets;
    SmallVector<int64_t> units;
    for (OpResult sum : micro.getResults()) {
      if (makers.at(sum) != stage)
        continue;
      old.push_back(sum);
      values.push_back(yield->getOperand(sum.getResultNumber()));
      types.push_back(sum.getType());
      buckets.push_back(micro.getGradientOfAttr()[sum.getResultNumber()]);
      if (DenseI64ArrayAttr unit = micro.getGradientUnitAttr())
        units.push_back(unit[sum.getResultNumber()]);
    }
    yield->setOperands(values);
    builder.setInsertionPoint(micro);
    auto fresh = graph::MicroBatchesOp::create(
        builder, micro.getLoc(), types, micro.getCount(), builder.getArrayAttr(buckets),
        micro.getGradientUnitAttr() ? builder.getDenseI64ArrayAttr(units) : nullptr);
    fresh.getBody().takeBody(micro.getBody());
    for (auto [before, after] : llvm::zip_equal(old, fresh.getResults()))
      before.replaceAllUsesWith(after);
    micro.erase();
  }

  graph::StepOp step;
  int64_t stage;
  SmallVector<Operation *> sequence;
  OpBuilder builder;
  llvm::DenseMap<Value, int64_t> makers; ///< stages, of values that one stage alone makes
  llvm::DenseMap<Value, Reach> needed;
  llvm::SmallPtrSet<Operation *, 32> kept;
  llvm::StringMap<int64_t> names;
};

struct ExtractStagePass : impl::ExtractStageBase<ExtractStagePass> {
  using ExtractStageBase::ExtractStageBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stage < 0 || stage >= stages) {
      module.emitError("extract-stage: there are ")
          << stages.getValue() << " stages, found " << stage.getValue();
      return signalPassFailure();
    }
    for (auto step : module.getOps<graph::StepOp>())
      StepExtractor(step, stage, stages).run();
    dropBuckets(module);
    module.walk([](Operation *op) { op->removeAttr(kStage); });
  }

private:
  /// A bucket that rests elsewhere has no states here; one that nothing here names is gone.
  void dropBuckets(ModuleOp module) {
    llvm::StringSet<> named;
    module.walk([&](graph::MicroBatchesOp micro) {
      if (ArrayAttr buckets = micro.getGradientOfAttr())
        for (auto bucket : buckets.getAsRange<FlatSymbolRefAttr>())
          named.insert(bucket.getValue());
    });
    for (auto bucket : llvm::make_early_inc_range(module.getOps<BucketOp>())) {
      if (stageOf(bucket.getOperation()) == stage)
        continue;
      bucket.setClassesAttr(ArrayAttr::get(module.getContext(), {}));
      if (!named.contains(bucket.getSymName()))
        bucket.erase();
    }
  }
};

} // namespace
} // namespace windlass::dist
