// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one stage of a pipeline does, as a module of its own.

#include "dialects/Dist/IR/DistChunks.h"
#include "passes/Dist/Passes.h"
#include "passes/Dist/Stages.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_EXTRACTSTAGE
#include "passes/Dist/Passes.h.inc"

namespace {

/// How many parts up and down from where it is made a value goes. As parts go round the stages, it is at all
/// of them before it has gone round.
struct Reach {
  int64_t up = 0, down = 0;

  void include(int64_t maker, int64_t part, int64_t stages) {
    if (part > maker)
      up = std::max(up, (part - maker) % stages);
    else
      down = std::max(down, (maker - part) % stages);
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
  StepExtractor(graph::StepOp step, int64_t stage, int64_t stages, int64_t chunks)
      : step(step), stage(stage), stages(stages), sequence(sequenceOf(step)), builder(step.getContext()) {
    for (Operation *op : sequence)
      for (Value result : op->getResults())
        if (std::optional<int64_t> maker = stageOf(result))
          makers[result] = *maker;
    for (int64_t part = 0; part < stages * chunks; ++part)
      collect(part);
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
  /// Finds what is done for a part, and which values of others that needs.
  void collect(int64_t each) {
    SmallVector<Operation *> mine;
    llvm::DenseSet<Value> read;
    auto need = [&](ValueRange values) {
      for (Value value : values) {
        read.insert(value);
        if (auto maker = makers.find(value); maker != makers.end() && maker->second != each)
          needed[value].include(maker->second, each, stages);
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
      mine.push_back(op);
      need(op->getOperands());
    }
    if (each % stages == stage)
      kept.insert(mine.begin(), mine.end());
  }

  /// Sends and receives hop from part to part, at the place where the value is made: so all stages have
  /// their messages in the order of the step. A parameter does not change between micro-batches, and goes
  /// once, before them, and so for no part of the model.
  void exchange(Operation *op, Value value, const Reach &reach) {
    const int64_t maker = makers.at(value);
    const int64_t above = (stage - maker % stages + stages) % stages, below = (stages - above) % stages;
    const int64_t up = reach.up, down = std::min(reach.down, stages - 1 - up); // each stage has it once
    const bool comesUp = above > 0 && above <= up, comesDown = below > 0 && below <= down;
    const int64_t here = comesUp ? maker + above : comesDown ? maker - below : maker; // the part that is ours
    const bool isMaker = above == 0;
    const std::string item = nameOf(value);
    std::optional<graph::Phase> phase;
    if (isa<graph::MicroBatchesOp>(op->getParentOp()) && isBackward(op))
      phase = graph::Phase::Backward;
    auto micro = dyn_cast<graph::MicroBatchesOp>(op->getParentOp());
    const bool isOnce = micro && isa<ReadOp>(op);
    Value own = value;
    if (isOnce) {
      builder.setInsertionPoint(micro);
      if (isMaker)
        own = builder.clone(*op)->getResult(cast<OpResult>(value).getResultNumber());
    } else
      builder.setInsertionPointAfter(op);
    const auto mark = [&](Operation *message) {
      graph::setPhase(message, phase);
      if (!isOnce)
        setStage(message, here);
    };
    if (comesUp || comesDown) {
      auto recv =
          RecvOp::create(builder, op->getLoc(), value.getType(), item, comesUp ? here - 1 : here + 1, here);
      mark(recv);
      own = recv.getValue();
      value.replaceAllUsesWith(own);
    }
    if ((isMaker || comesUp) && above < up)
      mark(SendOp::create(builder, op->getLoc(), own, item, here, here + 1));
    if ((isMaker || comesDown) && below < down)
      mark(SendOp::create(builder, op->getLoc(), own, item, here, here - 1));
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
      if (makers.at(sum) % stages != stage)
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
  int64_t stage, stages;
  SmallVector<Operation *> sequence;
  OpBuilder builder;
  llvm::DenseMap<Value, int64_t> makers; ///< parts, of values that are made for one alone
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
      StepExtractor(step, stage, stages, chunks).run();
    dropBuckets(module);
    if (chunks == 1)
      return module.walk([](Operation *op) { op->removeAttr(kStage); });
    module->setAttr(kStages, Builder(&getContext()).getI64IntegerAttr(stages));
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
      if (std::optional<int64_t> part = stageOf(bucket.getOperation()); part && *part % stages == stage)
        continue;
      bucket.setClassesAttr(ArrayAttr::get(module.getContext(), {}));
      if (!named.contains(bucket.getSymName()))
        bucket.erase();
    }
  }
};

} // namespace
} // namespace windlass::dist
