// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds @train: forward and backward pass of a micro-batch.

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphCalls.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/gradients/Gradients.h"
#include "passes/Graph/gradients/LayerGradient.h"
#include "passes/Graph/gradients/RepeatOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Graph/Passes.h.inc"

namespace {

bool isFrozen(StateOp state) {
  return state.getRole() == Role::Parameter && state.getGroup() == kFrozenGroup;
}
bool isTrained(StateOp state) { return state.getRole() == Role::Parameter && !isFrozen(state); }

/// The reads of trained parameters, in program order.
SmallVector<ReadOp> findParameterReads(Block &block) {
  SymbolTable symbols(block.getParentOp()->getParentOfType<ModuleOp>());
  SmallVector<ReadOp> reads;
  for (auto read : block.getOps<ReadOp>()) {
    auto state = symbols.lookup<StateOp>(read.getState());
    if (state && isTrained(state) && isFloatTensor(read.getValue()))
      reads.push_back(read);
  }
  return reads;
}

FailureOr<ReportOp> findLoss(StepOp step) {
  for (auto report : step.getOps<ReportOp>()) {
    if (report.getItem() != "loss")
      continue;
    auto type = cast<RankedTensorType>(report.getValue().getType());
    if (type.getRank() != 0 || !type.getElementType().isF32())
      return report.emitOpError("\"loss\" must be a tensor<f32>, is ") << type;
    return report;
  }
  return step.emitOpError("reports no \"loss\" to differentiate");
}

/// Builds @train from a step: its forward pass and its gradients, micro-batch by micro-batch.
class TrainBuilder {
public:
  TrainBuilder(StepOp step, int64_t microBatches, bool repeatCore)
      : step(step), microBatches(microBatches), repeatCore(repeatCore), builder(step.getContext()) {}

  LogicalResult build();

private:
  LogicalResult differentiateLayers(ReportOp loss);
  func::FuncOp copyOf(func::FuncOp function, size_t number);
  void cloneForward(Block *body);
  LogicalResult buildBackward(Value loss);
  void differentiateCall(func::CallOp call);
  void yieldGradients();
  void reportGradients(MicroBatchesOp micro, ArrayRef<StringRef> states);
  void warnOfUnused();

  StepOp step;
  int64_t microBatches;
  bool repeatCore;
  OpBuilder builder;
  llvm::MapVector<Operation *, LayerGradient> layers; ///< by layer function
  llvm::DenseSet<Operation *> differentiated;         ///< calls through which a gradient flows
  llvm::DenseMap<Operation *, Operation *> layerOf;   ///< call of @f.fwd -> @f
  IRMapping mapping;                                  ///< `step` -> @train
  SmallVector<Operation *> forwardOps;
  SmallVector<ReadOp> reads; ///< of @train, one per parameter
  std::optional<Gradients> gradients;
  MicroBatchesOp micro;
  llvm::StringSet<> trained;
};

LogicalResult TrainBuilder::build() {
  if (microBatches < 1)
    return step.emitOpError("cannot train with ") << microBatches << " micro-batches, at least 1 is needed";
  FailureOr<ReportOp> loss = findLoss(step);
  if (failed(loss) || failed(differentiateLayers(*loss)))
    return failure();

  builder.setInsertionPointAfter(step);
  auto train = StepOp::create(builder, step.getLoc(), "train");
  builder.setInsertionPointToStart(&train.getBody().emplaceBlock());
  Value seed = FeedOp::create(builder, train.getLoc(), tensorType({}, builder.getF32Type()), "loss_seed");
  micro = MicroBatchesOp::create(builder, train.getLoc(), TypeRange{}, microBatches, ArrayAttr(),
                                 DenseI64ArrayAttr());
  cloneForward(&micro.getBody().emplaceBlock());

  SmallVector<Value> sources;
  for (ReadOp read : reads)
    sources.push_back(read.getValue());
  gradients.emplace(findReached(micro.getBody().front(), sources));
  for (Value source : sources)
    gradients->keepApart(source);
  Value trainLoss = mapping.lookup(loss->getValue());
  gradients->add(builder, trainLoss, seed);
  if (failed(buildBackward(trainLoss)))
    return failure();
  yieldGradients();
  warnOfUnused();
  return success();
}

/// Splits each layer function into its forward and backward function, with the gradients that its calls need.
/// With frozen parameters (or tensor ranks), calls that need different gradients get functions of their own:
/// below the lowest trained parameter no gradient is needed.
LogicalResult TrainBuilder::differentiateLayers(ReportOp loss) {
  Block &block = step.getBody().front();
  SmallVector<Value> sources;
  for (ReadOp read : findParameterReads(block))
    sources.push_back(read.getValue());
  ValueSet reached = findReached(block, sources), reaching = findReaching(block, loss.getValue());

  // Unneeded gradients cost time. They are many with frozen parameters, and with tensor ranks no plan may
  // have an exchange that is not needed.
  auto module = step->getParentOfType<ModuleOp>();
  const bool areApart = tensorRanksOf(module) > 1 || llvm::any_of(module.getOps<StateOp>(), isFrozen);
  llvm::MapVector<Operation *, SmallVector<std::pair<func::FuncOp, LayerUse>>> ways; // by what is called
  for (auto call : block.getOps<func::CallOp>()) {
    func::FuncOp function = calleeOf(call);
    if (!function || function.isExternal() || !function.getOps<func::CallOp>().empty())
      return call.emitOpError("must call a layer function with a body that calls no other");
    LayerUse use;
    for (Value operand : call.getOperands())
      use.argumentNeeded.push_back(reached.contains(operand));
    for (Value result : call.getResults())
      use.resultReaches.push_back(reached.contains(result) && reaching.contains(result));
    if (!llvm::is_contained(use.resultReaches, true))
      continue;
    auto &known = ways[function];
    auto way = llvm::find_if(known, [&](auto &other) { return !areApart || other.second == use; });
    if (way == known.end()) {
      known.emplace_back(known.empty() ? function : copyOf(function, known.size()), use);
      way = std::prev(known.end());
    }
    way->second.add(use);
    call.setCallee(way->first.getSymName());
    differentiated.insert(call);
  }
  for (auto &[callee, known] : ways)
    for (auto &[function, use] : known) {
      FailureOr<LayerGradient> layer = differentiateLayer(function, use, repeatCore);
      if (failed(layer))
        return failure();
      layers[function] = *layer;
    }
  return success();
}

/// A copy of the function, for calls that need other gradients.
func::FuncOp TrainBuilder::copyOf(func::FuncOp function, size_t number) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(function);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName((function.getName() + ".way" + Twine(number)).str());
  return copy;
}

/// Repeats the step inside `micro_batches`: each parameter read once, layers by their `.fwd`.
void TrainBuilder::cloneForward(Block *body) {
  builder.setInsertionPointToStart(body);
  llvm::StringMap<ReadOp> readOf;
  for (Operation &op : step.getBody().front()) {
    if (auto read = dyn_cast<ReadOp>(op))
      if (auto known = readOf.find(read.getState()); known != readOf.end()) {
        mapping.map(read.getValue(), known->second.getValue());
        continue;
      }
    auto call = dyn_cast<func::CallOp>(op);
    auto layer = differentiated.contains(&op) ? layers.find(calleeOf(call)) : layers.end();
    if (layer == layers.end()) {
      Operation *clone = builder.clone(op, mapping);
      forwardOps.push_back(clone);
      if (auto read = dyn_cast<ReadOp>(clone))
        readOf[read.getState()] = read;
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : call.getOperands())
      operands.push_back(mapping.lookup(operand));
    auto forward = func::CallOp::create(builder, op.getLoc(), layer->second.forward, operands);
    forward->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    mapping.map(call.getResults(), forward.getResults().take_front(call.getNumResults()));
    forwardOps.push_back(forward);
    layerOf[forward] = layer->first;
  }
  reads = findParameterReads(*body);
}

LogicalResult TrainBuilder::buildBackward(Value loss) {
  for (Operation *op : llvm::reverse(forwardOps)) {
    if (auto call = dyn_cast<func::CallOp>(op); call && layerOf.contains(op)) {
      differentiateCall(call);
      continue;
    }
    if (failed(gradients->differentiate(builder, op)))
      return failure();
  }
  Operation *last = forwardOps.back();
  Block &body = micro.getBody().front();
  for (auto op = std::next(last->getIterator()); op != body.end(); ++op)
    setPhase(&*op, Phase::Backward);
  repeatForBackward(forwardOps);
  return success();
}

void TrainBuilder::differentiateCall(func::CallOp call) {
  const LayerGradient &layer = layers[layerOf[call]];
  SmallVector<Value> resultGradients;
  for (Value result : call.getResults())
    resultGradients.push_back(gradients->take(builder, result));
  if (llvm::none_of(resultGradients, [](Value v) { return v; }))
    return;
  SmallVector<Value> operands = backwardOperands(builder, layer, call, resultGradients);
  auto backward = func::CallOp::create(builder, call.getLoc(), layer.backward, operands);
  backward->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  func::FuncOp function = layer.backward;
  for (unsigned i = backward.getNumResults(); i-- > 0;)
    gradients->add(builder, call.getOperand(*resultIndex(function, i, kArgumentGradient)),
                   backward.getResult(i));
}

/// Ends the micro-batch with a yield of the gradients, whose types are known only now. Sums over several
/// micro-batches have the compute type of bodies, so that a 16-bit gradient is rounded once per micro-batch,
/// and the sum never.
void TrainBuilder::yieldGradients() {
  SmallVector<Value> yielded;
  SmallVector<StringRef> states;
  SmallVector<Attribute> names;
  for (ReadOp read : reads)
    for (Value gradient : gradients->takeUses(read.getValue())) {
      yielded.push_back(gradient);
      states.push_back(read.getState());
      names.push_back(read.getStateAttr());
    }
  builder.setInsertionPointToEnd(&micro.getBody().front());
  YieldOp::create(builder, micro.getLoc(), yielded);
  builder.setInsertionPoint(micro);
  SmallVector<Type> sums;
  for (Value value : yielded)
    sums.push_back(microBatches > 1
                       ? withElement(value.getType(), computeType(typeOf(value).getElementType()))
                       : value.getType());
  auto typed = MicroBatchesOp::create(builder, micro.getLoc(), sums, microBatches,
                                      builder.getArrayAttr(names), DenseI64ArrayAttr());
  typed.getBody().takeBody(micro.getBody());
  micro.erase();
  reportGradients(typed, states);
}

/// Adds the uses of each parameter in program order, and reports the sum.
void TrainBuilder::reportGradients(MicroBatchesOp micro, ArrayRef<StringRef> states) {
  builder.setInsertionPointAfter(micro);
  llvm::MapVector<StringRef, Value> sums;
  for (auto [state, gradient] : llvm::zip_equal(states, micro.getResults())) {
    Value &sum = sums[state];
    sum = sum ? buildAdd(builder, gradient.getLoc(), sum, gradient) : Value(gradient);
  }
  for (auto &[state, sum] : sums) {
    ReportOp::create(builder, sum.getLoc(), ("gradient/" + state).str(), sum,
                     FlatSymbolRefAttr::get(builder.getContext(), state));
    trained.insert(state);
  }
}

void TrainBuilder::warnOfUnused() {
  for (auto state : step->getParentOfType<ModuleOp>().getOps<StateOp>())
    if (isTrained(state) && !trained.contains(state.getSymName()))
      state.emitWarning("parameter \"")
          << state.getSymName() << "\" does not reach the loss and is not trained";
}

struct DifferentiatePass : impl::DifferentiateBase<DifferentiatePass> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<StepOp>("train"), evaluate = module.lookupSymbol<StepOp>("evaluate");
    if (!evaluate) {
      module.emitError("has no graph.step @evaluate to differentiate");
      return signalPassFailure();
    }
    if (forward) // the step that is built takes the name
      forward.setName("train.forward");
    if (failed(TrainBuilder(forward ? forward : evaluate, microBatches, repeatCore).build()))
      return signalPassFailure();
    if (forward)
      forward.erase();
    module.walk([](Operation *op) {
      op->removeAttr(kRepeat);
      op->removeAttr(kDetached);
    });
  }
};

} // namespace
} // namespace windlass::graph
