// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns the ops of steps and the buckets to stages of a pipeline.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Dist/Kernels.h"
#include "passes/Dist/PartitionUpdate.h"
#include "passes/Dist/Passes.h"
#include "passes/Dist/Stages.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_ASSIGNSTAGES
#include "passes/Dist/Passes.h.inc"

graph::MicroBatchesOp microBatchesOf(graph::StepOp step) {
  auto micros = step.getBody().front().getOps<graph::MicroBatchesOp>();
  return micros.empty() ? graph::MicroBatchesOp() : *micros.begin();
}

std::optional<int64_t> stageOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto micro = dyn_cast_or_null<graph::MicroBatchesOp>(op))
    return stageOf(
        micro.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber()));
  return op ? stageOf(op) : std::nullopt;
}

static bool isOfBackward(Operation &op) {
  std::optional<graph::Phase> phase = graph::phaseOf(&op);
  return phase == graph::Phase::Backward || phase == graph::Phase::Recompute;
}

bool isBeforeMicroBatches(Operation *op) {
  auto step = dyn_cast<graph::StepOp>(op->getParentOp());
  graph::MicroBatchesOp micro = step ? microBatchesOf(step) : graph::MicroBatchesOp();
  return micro && op->isBeforeInBlock(micro);
}

bool isBackward(Operation *op) {
  Block &block = *op->getBlock();
  auto first = llvm::find_if(block, isOfBackward);
  return first != block.end() && !op->isBeforeInBlock(&*first);
}

namespace {

using Stage = std::optional<int64_t>;

/// The stages of operands that have one.
SmallVector<int64_t> stagesOf(ValueRange values) {
  SmallVector<int64_t> stages;
  for (Value value : values)
    if (Stage stage = stageOf(value))
      stages.push_back(*stage);
  return stages;
}

bool isScalar(Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 0; }

class StageAssigner {
public:
  StageAssigner(ModuleOp module, ArrayRef<int64_t> layersPerStage)
      : module(module), symbols(module), builder(module.getContext()), layersPerStage(layersPerStage) {}

  LogicalResult run() {
    if (failed(cutLayers()))
      return failure();
    auto steps = llvm::to_vector(module.getOps<graph::StepOp>());
    for (graph::StepOp step : steps)
      assignForward(computationOf(step));
    placeBuckets(steps);
    for (graph::StepOp step : steps) {
      assignBackward(computationOf(step));
      if (graph::MicroBatchesOp micro = microBatchesOf(step)) {
        assignFreeGradients(micro);
        bringGradients(micro);
        assignUpdate(step);
      }
    }
    for (NormSlotsOp slots : allNormSlots())
      splitSlots(slots);
    return success();
  }

private:
  int64_t last() const { return std::ssize(layersPerStage) - 1; }

  static Block &computationOf(graph::StepOp step) {
    graph::MicroBatchesOp micro = microBatchesOf(step);
    return micro ? micro.getBody().front() : step.getBody().front();
  }

  /// Layers in the order in which they are called first.
  LogicalResult cutLayers() {
    SmallVector<StringAttr> layers;
    llvm::StringMap<int64_t> numbers;
    module.walk([&](func::CallOp call) {
      if (auto layer = call->getAttrOfType<StringAttr>(graph::kLayer))
        if (numbers.try_emplace(layer, layers.size()).second)
          layers.push_back(layer);
    });
    int64_t counted = 0;
    for (auto [stage, count] : llvm::enumerate(layersPerStage)) {
      if (count < 1)
        return module.emitError("assign-stages: every stage has a layer, found ")
               << count << " of stage " << stage;
      for (int64_t i = 0; i < count && counted < std::ssize(layers); ++i)
        stageOfLayer[layers[counted++]] = stage;
    }
    const int64_t asked = std::accumulate(layersPerStage.begin(), layersPerStage.end(), int64_t(0));
    if (asked != std::ssize(layers))
      return module.emitError("assign-stages: the stages have ")
             << asked << " layers, the module calls " << layers.size();
    return success();
  }

  /// Whether an op outside of layers reads parameters, or values made of parameters, alone. It gets no stage:
  /// each stage that reads its result computes it. A layer belongs to its stage, whatever it reads.
  bool isMadeOfParameters(Operation &op) const {
    return op.getNumOperands() > 0 &&
           llvm::all_of(op.getOperands(), [&](Value operand) { return isRead(operand); });
  }

  bool isFree(Operation &op) const {
    return llvm::all_of(op.getOperands(),
                        [&](Value operand) { return !stageOf(operand) && !isRead(operand); });
  }
  bool isRead(Value value) const { return value.getDefiningOp<ReadOp>() || parameters.contains(value); }

  /// Assigns an op of the forward pass to the last stage that makes one of its operands. An op that reads
  /// feeds and parameters alone belongs to the first stage.
  void assignForward(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (isOfBackward(op))
        return;
      if (auto layer = op.getAttrOfType<StringAttr>(graph::kLayer)) {
        setStage(&op, stageOfLayer.lookup(layer));
        continue;
      }
      if (isa<ReadOp>(op) || op.getNumOperands() == 0)
        continue;
      if (isMadeOfParameters(op)) {
        parameters.insert(op.getResults().begin(), op.getResults().end());
        continue;
      }
      const SmallVector<int64_t> stages = stagesOf(op.getOperands());
      if (!stages.empty())
        setStage(&op, *llvm::max_element(stages));
      else if (!isFree(op) || isa<graph::ReportOp>(op))
        setStage(&op, 0);
    }
  }

  /// Assigns a bucket to the stage of its layer; a bucket of the step, to the first stage that reads it.
  void placeBuckets(ArrayRef<graph::StepOp> steps) {
    llvm::StringMap<int64_t> first;
    for (graph::StepOp step : steps)
      for (auto read : computationOf(step).getOps<ReadOp>())
        for (int64_t stage : readersOf(read)) {
          auto [known, fresh] = first.try_emplace(read.getBucket(), stage);
          known->second = std::min(known->second, stage);
        }
    for (auto bucket : module.getOps<BucketOp>()) {
      auto layer = stageOfLayer.find(bucket.getLayer());
      auto reader = first.find(bucket.getSymName());
      const int64_t stage = layer != stageOfLayer.end() ? layer->second
                            : reader != first.end()     ? reader->second
                                                        : 0;
      setStage(bucket, stage);
      rests[bucket.getSymName()] = stage;
    }
    for (graph::StepOp step : steps)
      step.walk([&](Operation *op) {
        if (auto read = dyn_cast<ReadOp>(op))
          setStage(op, rests.lookup(read.getBucket()));
        if (auto write = dyn_cast<WriteOp>(op))
          setStage(op, rests.lookup(write.getBucket()));
      });
  }

  /// The stages that read a parameter, directly or through values made of parameters alone.
  SmallVector<int64_t> readersOf(Operation *op) const {
    SmallVector<int64_t> stages;
    for (Operation *user : op->getUsers()) {
      if (Stage stage = stageOf(user))
        stages.push_back(*stage);
      else
        llvm::append_range(stages, readersOf(user));
    }
    return stages;
  }

  /// The ops of a block from the first op of the backward pass on, in order.
  static SmallVector<Operation *> backwardOf(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      if (!ops.empty() || isOfBackward(op))
        ops.push_back(&op);
    return ops;
  }

  /// The last stage that reads the result of a backward op, directly or through ops without a stage
  /// (`wanted`); none if no op with a stage reads it.
  static Stage lastUser(Operation *op, const llvm::DenseMap<Operation *, Stage> &wanted) {
    Stage last;
    for (Operation *user : op->getUsers())
      if (Stage stage = stageOf(user) ? stageOf(user) : wanted.lookup(user))
        last = std::max(last.value_or(0), *stage);
    return last;
  }

  /// Assigns the ops of the backward pass. Gradients come from the last stage down, so an op that reads
  /// gradients alone belongs to the first stage of those that make its operands. Forward values come from the
  /// first stage up, so an op that reads such values belongs to the last stage that makes one, or to a later
  /// stage that reads its result; but to no later stage than its gradients allow.
  void assignBackward(Block &block) {
    const SmallVector<Operation *> ops = backwardOf(block);
    llvm::DenseMap<Operation *, Stage> wanted; // of those without a layer
    for (Operation *op : llvm::reverse(ops)) {
      auto layer = op->getAttrOfType<StringAttr>(graph::kLayer);
      if (layer && !stageOf(op))
        setStage(op, stageOfLayer.lookup(layer));
      else if (!layer)
        wanted[op] = lastUser(op, wanted);
    }
    const llvm::SmallPtrSet<Operation *, 32> backward(ops.begin(), ops.end());
    for (Operation *op : ops) {
      if (stageOf(op) || op->getNumOperands() == 0)
        continue;
      if (isMadeOfParameters(*op)) {
        parameters.insert(op->result_begin(), op->result_end());
        continue;
      }
      SmallVector<int64_t> gradients, forward;
      for (Value operand : op->getOperands())
        if (Stage stage = stageOf(operand); stage && !isRead(operand))
          (backward.contains(operand.getDefiningOp()) ? gradients : forward).push_back(*stage);
      const Stage highest = gradients.empty() ? Stage() : *llvm::min_element(gradients);
      if (forward.empty()) {
        if (highest)
          setStage(op, *highest);
        continue;
      }
      const int64_t least = std::max(*llvm::max_element(forward), wanted.lookup(op).value_or(0));
      setStage(op, std::min(least, highest.value_or(least)));
    }
  }

  /// Assigns a gradient that reads no value of a stage (that of a penalty on a parameter, say) to its
  /// bucket's stage.
  void assignFreeGradients(graph::MicroBatchesOp micro) {
    Operation *yield = micro.getBody().front().getTerminator();
    for (auto [i, bucket] : llvm::enumerate(micro.getGradientOfAttr().getAsRange<FlatSymbolRefAttr>()))
      if (Value gradient = yield->getOperand(i); !stageOf(gradient)) {
        builder.setInsertionPoint(yield);
        Operation *own = builder.clone(*gradient.getDefiningOp());
        setStage(own, rests.lookup(bucket.getValue()));
        yield->setOperand(i, own->getResult(cast<OpResult>(gradient).getResultNumber()));
      }
  }

  /// Makes sure that the stage where a bucket rests makes a gradient of it: that stage has the sums over
  /// micro-batches, and adds to them what later stages have summed up.
  void bringGradients(graph::MicroBatchesOp micro) {
    Operation *yield = micro.getBody().front().getTerminator();
    llvm::MapVector<StringAttr, SmallVector<unsigned>> yielded; // by bucket
    for (auto [i, bucket] : llvm::enumerate(micro.getGradientOfAttr().getAsRange<FlatSymbolRefAttr>()))
      yielded[bucket.getAttr()].push_back(i);
    for (const auto &[bucket, uses] : yielded) {
      const auto stageOfUse = [&](unsigned i) { return *stageOf(yield->getOperand(i)); };
      const unsigned lowest =
          *llvm::min_element(uses, [&](unsigned a, unsigned b) { return stageOfUse(a) < stageOfUse(b); });
      if (const int64_t rest = rests.lookup(bucket); stageOfUse(lowest) > rest)
        bringGradient(yield->getOpOperand(lowest), rest);
    }
  }

  /// Makes a gradient on an earlier stage. If it must be made where it is, the earlier stage copies it.
  void bringGradient(OpOperand &yielded, int64_t stage) {
    if (moveDown(yielded.get(), stage))
      return;
    builder.setInsertionPoint(yielded.getOwner());
    const Location loc = yielded.get().getLoc();
    Operation *copy = graph::buildElementwise(builder, loc, yielded.get(), graph::typeOf(yielded.get()),
                                              [](const graph::Scalars &, ValueRange x) { return x[0]; })
                          .getDefiningOp();
    auto launch = LaunchOp::create(builder, loc, copy->getResultTypes(),
                                   KernelTable(module).getOrCreate(copy).getSymName(), copy->getOperands());
    copy->erase();
    graph::setPhase(launch, graph::Phase::Backward);
    setStage(launch, stage);
    yielded.set(launch->getResult(0));
  }

  /// Moves the op that makes a value, and the ops that work for it alone, to an earlier stage. An op has to
  /// stay if it is a layer's, reads parameters, or reads forward values that the earlier stage does not have.
  bool moveDown(Value value, int64_t stage) {
    Operation *op = value.getDefiningOp();
    const bool stays =
        op->hasAttr(graph::kLayer) || !op->hasOneUse() || llvm::any_of(op->getOperands(), [&](Value operand) {
          return isRead(operand) ||
                 (!isBackward(operand.getDefiningOp()) && stageOf(operand).value_or(stage) > stage);
        });
    if (stays)
      return false;
    setStage(op, stage);
    for (Value operand : op->getOperands())
      if (stageOf(operand).value_or(stage) > stage)
        moveDown(operand, stage);
    return true;
  }

  /// Assigns the ops of the update to the stages of their buckets. Every stage computes scalars itself; the
  /// last stage reports them.
  void assignUpdate(graph::StepOp step) {
    for (Operation &op : step.getBody().front()) {
      if (stageOf(&op) || isa<graph::MicroBatchesOp>(op) || op.getNumOperands() == 0)
        continue;
      if (isa<graph::ReportOp>(op)) {
        setStage(&op, last());
        continue;
      }
      if (auto bucket = op.getAttrOfType<FlatSymbolRefAttr>(kUpdateOf)) {
        setStage(&op, rests.lookup(bucket.getValue()));
        continue;
      }
      if (llvm::all_of(op.getOperands(), isScalar))
        continue;
      const SmallVector<int64_t> stages = stagesOf(op.getOperands());
      if (!stages.empty())
        setStage(&op, isa<NormSlotsOp>(op) ? last() : *llvm::min_element(stages));
    }
  }

  SmallVector<NormSlotsOp> allNormSlots() {
    SmallVector<NormSlotsOp> all;
    module.walk([&](NormSlotsOp slots) { all.push_back(slots); });
    return all;
  }

  /// Builds the norm slots of the shards [begin, end) of `op`, which one stage holds. `elements`: of one
  /// row of these slots. If `op` has owners, its slots are a matrix with a row for each place: each rank
  /// fills parts of several rows, and a reduce-scatter adds the parts and leaves each rank its row, which is
  /// the result.
  Value slotsOf(NormSlotsOp op, size_t begin, size_t end, int64_t elements, int64_t stage) {
    const auto type = cast<RankedTensorType>(op.getSlots().getType());
    const int64_t rows = op.getOwners() ? dist::meshOf(op).groupRanks(op.getOverAttr()) : 1;
    DenseI64ArrayAttr owners;
    if (op.getOwners())
      owners = builder.getDenseI64ArrayAttr(op.getOwners()->slice(begin, end - begin));
    auto slots = NormSlotsOp::create(
        builder, op.getLoc(), type.clone(ArrayRef(rows * elements)), op.getShards().slice(begin, end - begin),
        builder.getArrayAttr(op.getPieces().getValue().slice(begin, end - begin)), owners, op.getOverAttr());
    setStage(slots, stage);
    if (!owners)
      return slots.getSlots();
    auto sum =
        ReduceScatterOp::create(builder, op.getLoc(), type.clone(ArrayRef(elements)), slots.getSlots(),
                                builder.getDenseI64ArrayAttr({elements}), StringAttr(), op.getOverAttr());
    setStage(sum, stage);
    return sum.getShard();
  }

  /// Replaces the norm slots of all buckets: each stage computes the slots of the shards that it holds, and
  /// the last stage packs the slots of all stages in their former order.
  void splitSlots(NormSlotsOp op) {
    builder.setInsertionPoint(op);
    // With owners, the reduce-scatter behind `op` is replaced, too.
    Operation *whole = op.getOwners() ? *op->user_begin() : op.getOperation();
    const auto type = cast<RankedTensorType>(whole->getResult(0).getType());
    auto pieces = op.getPieces().getValue();
    int64_t count = 0; // of slots
    for (Attribute each : pieces)
      count += cast<DenseI64ArrayAttr>(each).size();
    const int64_t stride = type.getNumElements() / count;
    SmallVector<Value> members;
    SmallVector<int64_t> offsets;
    int64_t filled = 0;
    for (size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
      const Stage stage = stageOf(op.getShards()[begin]);
      int64_t elements = 0;
      for (; end < pieces.size() && stageOf(op.getShards()[end]) == stage; ++end)
        elements += stride * cast<DenseI64ArrayAttr>(pieces[end]).size();
      members.push_back(slotsOf(op, begin, end, elements, stage.value_or(last())));
      offsets.push_back(std::exchange(filled, filled + elements));
    }
    auto pack = PackOp::create(builder, op.getLoc(), type, members, offsets);
    setStage(pack, last());
    whole->getResult(0).replaceAllUsesWith(pack.getPacked());
    if (whole != op)
      whole->erase();
    op.erase();
  }

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  ArrayRef<int64_t> layersPerStage;
  llvm::StringMap<int64_t> stageOfLayer, rests; ///< by layer; by bucket
  llvm::DenseSet<Value> parameters;             ///< values made of parameters and constants alone
};

struct AssignStagesPass : impl::AssignStagesBase<AssignStagesPass> {
  using AssignStagesBase::AssignStagesBase;

  void runOnOperation() override {
    const SmallVector<int64_t> counts = llvm::to_vector(layers);
    if (counts.empty()) {
      getOperation().emitError("assign-stages needs the number of layers of each stage");
      return signalPassFailure();
    }
    if (failed(StageAssigner(getOperation(), counts).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace windlass::dist
