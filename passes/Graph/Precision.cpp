// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes parameters, activations and arguments to a 16-bit type. Statistics, losses, feeds and reports keep
// their types.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Graph/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_PRECISION
#include "passes/Graph/Passes.h.inc"

namespace {

/// Changes f32 to `narrow` in states, functions and steps.
class Narrower {
public:
  Narrower(ModuleOp module, FloatType narrow)
      : module(module), symbols(module), narrow(narrow), builder(module.getContext()) {}

  void run() {
    findWide();
    for (auto state : llvm::make_early_inc_range(module.getOps<StateOp>()))
      narrowState(state);
    // Functions before their callers, which take the result types from them.
    for (auto function : module.getOps<func::FuncOp>())
      narrowFunction(function);
    for (auto step : module.getOps<StepOp>())
      narrowBlock(step.getBody().front());
  }

private:
  void findWide();
  bool isForWide(Value value);
  bool isFree(Value value);
  void narrowState(StateOp state);
  void narrowFunction(func::FuncOp function);
  void narrowBlock(Block &block);
  void narrowOp(Operation *op);
  void narrowCall(func::CallOp call);
  void narrowMap(MapOp map);
  void narrowCoarse(Operation *op);
  void castOperand(OpOperand &operand, Type element);
  void widenArguments(Operation *op);

  bool isWide(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getElementType().isF32();
  }
  bool isNarrow(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getElementType() == narrow;
  }
  Type narrowed(Type type) { return isWide(type) ? withElement(type, narrow) : type; }

  ModuleOp module;
  const SymbolTable symbols;                                      ///< as before masters are added
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> callsOf; ///< by function
  llvm::DenseMap<Value, bool> forWide, free;                      ///< answers so far
  llvm::DenseSet<Value> wide;                                     ///< values that stay f32
  FloatType narrow;
  OpBuilder builder;
};

/// Whether an operand is a mask. Masks stay f32, since the numbers of hidden elements may be beyond the range
/// of f16, or round to an infinity in either type.
bool isMask(OpOperand &operand) {
  if (auto softmax = dyn_cast<SoftmaxOp>(operand.getOwner()))
    return operand.get() == softmax.getMask() && operand.getOperandNumber() > 0;
  auto attention = dyn_cast<AttentionOp>(operand.getOwner());
  return attention && operand.getOperandNumber() >= attention.getInputs().size();
}

/// Whether an operation that narrowing changes may stay f32 on the way of such a value.
bool mayStayWide(Operation *op) { return isa_and_nonnull<ReshapeOp, MatmulOp, EmbeddingOp>(op); }

/// Finds the values that stay f32 on the way from the inputs: of masks to the operations that hide elements,
/// and of numbers that become integers, which 16 bits do not hold. They are arguments of functions, and
/// results of coarse operations. Maps of f32 stay f32 by themselves.
void Narrower::findWide() {
  module.walk([&](func::CallOp call) { callsOf[symbols.lookup(call.getCallee())].push_back(call); });
  const auto consider = [&](Value value) {
    if (isWide(value.getType()) && isForWide(value) && isFree(value))
      wide.insert(value);
  };
  for (auto function : module.getOps<func::FuncOp>())
    llvm::for_each(function.getArguments(), consider);
  module.walk([&](Operation *op) {
    if (mayStayWide(op))
      consider(op->getResult(0));
  });
}

/// Whether a value becomes a mask or an integer wherever it is used, at once or changed.
bool Narrower::isForWide(Value value) {
  if (const auto known = forWide.find(value); known != forWide.end())
    return known->second;
  const auto isOne = [&](Value part) {
    return getElementTypeOrSelf(part.getType()).isInteger() || isForWide(part);
  };
  const bool is = !value.use_empty() && llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto call = dyn_cast<func::CallOp>(user)) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      return !callee.isExternal() && isForWide(callee.getArgument(use.getOperandNumber()));
    }
    return isMask(use) ||
           ((mayStayWide(user) || isa<MapOp>(user)) && llvm::all_of(user->getResults(), isOne));
  });
  return forWide[value] = is;
}

/// Whether a value depends on inputs and constants alone, so that all it comes from is f32.
bool Narrower::isFree(Value value) {
  if (const auto known = free.find(value); known != free.end())
    return known->second;
  const auto areFree = [&](auto &&values) {
    return llvm::all_of(values, [&](Value one) { return isFree(one); });
  };
  bool is = false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const auto calls = callsOf.find(argument.getOwner()->getParentOp());
    is = calls != callsOf.end() && areFree(llvm::map_range(calls->second, [&](func::CallOp call) {
           return call.getOperand(argument.getArgNumber());
         }));
  } else if (Operation *op = value.getDefiningOp(); mayStayWide(op) || isa<MapOp>(op)) {
    is = areFree(op->getOperands());
  } else {
    is = isa<FeedOp>(op);
  }
  return free[value] = is;
}

/// Makes a parameter the rounding of a new f32 master, to which all else that the parameter had moves. A
/// frozen parameter gets no master.
void Narrower::narrowState(StateOp state) {
  if (state.getRole() != Role::Parameter || !isWide(state.getType()) || isStatistic(state))
    return;
  if (state.getGroup() == kFrozenGroup)
    return state.setType(withElement(state.getType(), narrow));
  builder.setInsertionPointAfter(state);
  StateOp::create(builder, state.getLoc(), (state.getSymName() + ".master").str(), state.getType(),
                  Role::Master, state.getInit(), state.getOriginal(), state.getGroup(),
                  FlatSymbolRefAttr::get(state.getSymNameAttr()), state.getSliceAttr(), /*decay=*/nullptr,
                  state.getLayer());
  state.setType(withElement(state.getType(), narrow));
}

/// Whether a value is a running statistic of a batch norm: these stay f32, as the changes that are added to
/// them.
bool isRunning(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), BatchNormOp::isRunning);
}

void Narrower::narrowFunction(func::FuncOp function) {
  if (function.isExternal())
    return;
  Block &block = function.front();
  for (BlockArgument argument : block.getArguments())
    if (!isRunning(argument) && !wide.contains(argument))
      argument.setType(narrowed(argument.getType()));
  narrowBlock(block);
  function.setType(
      builder.getFunctionType(block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}

void Narrower::narrowBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    narrowOp(&op);
}

void Narrower::narrowOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReadOp>([&](ReadOp read) {
        auto state = symbols.lookup<StateOp>(read.getState());
        read.getValue().setType(state.getType());
      })
      .Case<FeedOp, func::ReturnOp>([](Operation *) {})
      .Case<ReportOp>([&](ReportOp report) { castOperand(report->getOpOperand(0), builder.getF32Type()); })
      .Case<func::CallOp>([&](func::CallOp call) { narrowCall(call); })
      .Case<MapOp>([&](MapOp map) { narrowMap(map); })
      .Case<ReduceOp>([&](ReduceOp reduce) { widenArguments(reduce); })
      .Default([&](Operation *coarse) { narrowCoarse(coarse); });
}

void Narrower::narrowCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  for (auto [operand, type] : llvm::zip_equal(call->getOpOperands(), callee.getArgumentTypes()))
    castOperand(operand, cast<RankedTensorType>(type).getElementType());
  for (auto [result, type] : llvm::zip_equal(call.getResults(), callee.getResultTypes()))
    result.setType(type);
}

/// Narrows the results of a map that has a narrow input. A map of statistics alone stays f32.
void Narrower::narrowMap(MapOp map) {
  if (llvm::none_of(map.getInputs().getTypes(), [&](Type type) { return isNarrow(type); }))
    return;
  widenArguments(map);
  Operation *yield = map.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  Scalars scalars{builder, map.getLoc()};
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    result.setType(cast<RankedTensorType>(narrowed(result.getType())));
    yield->setOperand(i, scalars.cast(yield->getOperand(i), typeOf(result).getElementType()));
  }
}

/// Narrows a coarse op: its first result. The other results (mean, deviation, log-sum-exp) and losses are
/// statistics.
void Narrower::narrowCoarse(Operation *op) {
  if (mayStayWide(op) && wide.contains(op->getResult(0))) {
    for (OpOperand &operand : op->getOpOperands())
      castOperand(operand, builder.getF32Type());
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (isWide(operand.get().getType()) && !isMask(operand) && !BatchNormOp::isRunning(operand))
      castOperand(operand, narrow);
  if (!isa<CrossEntropyOp>(op))
    op->getResult(0).setType(narrowed(op->getResult(0).getType()));
}

void Narrower::castOperand(OpOperand &operand, Type element) {
  if (!isWide(operand.get().getType()) && !isNarrow(operand.get().getType()))
    return;
  builder.setInsertionPoint(operand.getOwner());
  operand.set(buildCast(builder, operand.getOwner()->getLoc(), operand.get(), element));
}

/// Widens the arguments of the body, which still computes in f32.
void Narrower::widenArguments(Operation *op) {
  Block &body = op->getRegion(0).front();
  builder.setInsertionPointToStart(&body);
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands())) {
    if (!isNarrow(operand.getType()) || !argument.getType().isF32())
      continue;
    argument.setType(narrow);
    auto wide = arith::ExtFOp::create(builder, op->getLoc(), builder.getF32Type(), argument);
    argument.replaceAllUsesExcept(wide, wide);
  }
}

struct PrecisionPass : impl::PrecisionBase<PrecisionPass> {
  using PrecisionBase::PrecisionBase;

  void runOnOperation() override {
    if (compute == "bf16")
      Narrower(getOperation(), BFloat16Type::get(&getContext())).run();
    else if (compute == "f16")
      Narrower(getOperation(), Float16Type::get(&getContext())).run();
    else if (compute != "f32") {
      getOperation().emitError("compute is \"f32\", \"bf16\" or \"f16\", not \"") << compute << "\"";
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace windlass::graph
