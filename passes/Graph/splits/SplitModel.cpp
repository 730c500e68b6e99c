// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/SplitModel.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/splits/LocalShapes.h"

using namespace mlir;

namespace windlass::graph {

Status SplitModel::run() {
  repeated = repeatKeyHeads(module, ranks);
  collectCalls();
  for (StepOp step : steps)
    markReached(step);
  for (StepOp step : steps) {
    for (auto call : step.getOps<func::CallOp>())
      if (func::FuncOp function = calleeOf(call); calls.contains(function) && !arguments.contains(function))
        WINDLASS_TRY(shareFunction(function));
    WINDLASS_TRY(shareStep(step));
  }
  if (shared == 0)
    return Status::badInput("nothing of the model can be shared out over " + std::to_string(ranks) +
                            " ranks");
  splitStates();
  OpBuilder builder(module.getContext());
  module->setAttr(kTensorRanks, builder.getI64IntegerAttr(ranks));
  layout = "version " + std::to_string(planning::kSplitVersion) + layout;
  module->setAttr(kTensorLayout, builder.getStringAttr(layout));
  return Status::ok();
}

void SplitModel::collectCalls() {
  for (auto step : module.getOps<StepOp>())
    if (step.getSymName() == "evaluate")
      steps.insert(steps.begin(), step);
    else
      steps.push_back(step);
  for (StepOp step : steps)
    for (auto call : step.getOps<func::CallOp>())
      if (func::FuncOp function = calleeOf(call); function && !function.isExternal())
        calls[function].push_back(call);
}

/// Which arguments of functions depend on a trained parameter, at any call.
void SplitModel::markReached(StepOp step) {
  llvm::DenseSet<Value> values;
  for (Operation &op : step.getBody().front()) {
    bool any = isa<ReadOp>(op);
    for (Value operand : op.getOperands())
      any |= values.contains(operand);
    if (auto call = dyn_cast<func::CallOp>(op)) {
      SmallVector<bool> &of = reached[calleeOf(call)];
      of.resize(call.getNumOperands());
      for (auto [i, operand] : llvm::enumerate(call.getOperands()))
        of[i] = of[i] || values.contains(operand);
    }
    if (any)
      values.insert(op.result_begin(), op.result_end());
  }
}

/// The settled form of the states that calls pass as this argument; nothing if it is not settled, or differs
/// between calls.
std::optional<SplitForm> SplitModel::settledForm(func::FuncOp function, unsigned argument) {
  std::optional<SplitForm> form;
  for (func::CallOp call : calls[function]) {
    auto read = call.getOperand(argument).getDefiningOp<ReadOp>();
    auto known = read ? states.find(read.getState()) : states.end();
    if (known == states.end() || (form && *form != known->second))
      return std::nullopt;
    form = known->second;
  }
  return form;
}

Status SplitModel::shareFunction(func::FuncOp function) {
  SplitSurroundings surroundings;
  surroundings.scope = {ranks, /*isStep=*/false};
  surroundings.isReached = reached.lookup(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    surroundings.settled.push_back(settledForm(function, i));
    surroundings.isParameter.push_back(llvm::all_of(calls[function], [&](func::CallOp call) {
      return call.getOperand(i).getDefiningOp<ReadOp>() != nullptr;
    }));
  }
  Block &body = function.front();
  Result<SplitChoice> choice = SplitChoice::of(body, surroundings);
  if (!choice)
    return choice.status().in("function \"" + function.getName().str() + "\"");
  for (BlockArgument argument : body.getArguments())
    arguments[function].push_back(choice->formOf(argument));
  describe(function.getName(), body, *choice);
  countReplicated(body, *choice, llvm::count_if(calls[function], [&](func::CallOp call) {
                    return call->getParentOp() == steps.front();
                  }));
  takeBackIdle(body, *choice);
  makeLocal(body, *choice, ranks);
  function.setType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), function.getResultTypes()));
  return Status::ok();
}

Status SplitModel::shareStep(StepOp step) {
  SplitSurroundings surroundings;
  surroundings.scope = {ranks, /*isStep=*/true};
  surroundings.arguments = arguments;
  surroundings.states = states;
  Block &body = step.getBody().front();
  Result<SplitChoice> choice = SplitChoice::of(body, surroundings);
  if (!choice)
    return choice.status().in("step \"" + step.getSymName().str() + "\"");
  settleStates(step, *choice);
  describe(step.getSymName(), body, *choice);
  if (step == steps.front())
    countReplicated(body, *choice, 1);
  takeBackIdle(body, *choice);
  makeLocal(body, *choice, ranks);
  return Status::ok();
}

/// Undoes the repetition of key heads for attention that the ranks do not share out.
void SplitModel::takeBackIdle(Block &block, const SplitChoice &choice) {
  for (auto attention : llvm::make_early_inc_range(block.getOps<AttentionOp>()))
    if (auto known = repeated.find(attention); known != repeated.end() && choice.wayOf(attention) == "whole")
      takeBack(attention, known->second);
}

void SplitModel::settleStates(StepOp step, const SplitChoice &choice) {
  for (auto read : step.getOps<ReadOp>())
    states.try_emplace(read.getState(), choice.formOf(read.getValue()));
}

/// Gives each split state, its master and its moments the shape of a rank's part.
void SplitModel::splitStates() {
  for (auto state : module.getOps<StateOp>()) {
    auto form = states.find(state.getOf() ? *state.getOf() : state.getSymName());
    const bool isSplit = form != states.end() && form->second.isSplit();
    auto type = cast<RankedTensorType>(state.getType());
    if (state.getRole() == Role::Parameter) {
      replicated.allElements += type.getNumElements();
      replicated.elements += isSplit ? 0 : type.getNumElements();
    }
    if (!isSplit)
      continue;
    setSplit(state, {form->second.period, form->second.width, SmallVector<int64_t>(type.getShape())});
    state.setType(tensorType(localShape(type.getShape(), form->second), type.getElementType()));
  }
}

/// The name of an op for the user: that of the parameter ("c_attn") for a product or a look-up, also through
/// reshapes; otherwise the op's own.
std::string SplitModel::nameOf(Operation *op) {
  std::string kind = op->getName().stripDialect().str();
  for (Value operand : op->getOperands()) {
    while (auto reshape = operand.getDefiningOp<ReshapeOp>())
      operand = reshape.getInput();
    auto argument = dyn_cast<BlockArgument>(operand);
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    Value parameter = function ? calls[function].front().getOperand(argument.getArgNumber()) : operand;
    auto read = parameter.getDefiningOp<ReadOp>();
    auto state = read ? module.lookupSymbol<StateOp>(read.getState()) : StateOp();
    if (!state || !isa<MatmulOp, EmbeddingOp>(op))
      continue;
    StringRef name = state.getOriginal();
    name.consume_back(".weight");
    const size_t layer = function ? name.find(state.getLayer()) : StringRef::npos;
    if (layer != StringRef::npos && !state.getLayer().empty())
      name = name.drop_front(layer + state.getLayer().size()).ltrim('.');
    return name.str();
  }
  return kind;
}

void SplitModel::describe(StringRef of, Block &block, const SplitChoice &choice) {
  std::string text;
  for (Operation &op : block)
    if (isa<MatmulOp, AttentionOp, EmbeddingOp, CrossEntropyOp>(op) && choice.wayOf(&op) != "whole")
      text += (text.empty() ? "" : ", ") + nameOf(&op) + " " + choice.wayOf(&op).str();
  if (!text.empty())
    layout += "; " + of.str() + ": " + text;
  shared += choice.countShared();
}

/// Adds the operations of a block that is run `times` times to the counts of work that all ranks do alike.
void SplitModel::countReplicated(Block &block, const SplitChoice &choice, int64_t times) {
  for (Operation &op : block) {
    auto attention = dyn_cast<AttentionOp>(op);
    if (times == 0 || (!attention && !isa<MatmulOp>(op)))
      continue;
    const double flops = static_cast<double>(times) * flopsOf(&op);
    replicated.allFlops += flops;
    if (choice.wayOf(&op) != "whole")
      continue;
    replicated.flops += flops;
    if (attention && !replicated.attentionHeads && attention.getHeads() % ranks != 0)
      replicated.attentionHeads = static_cast<int64_t>(attention.getHeads());
  }
}

} // namespace windlass::graph
