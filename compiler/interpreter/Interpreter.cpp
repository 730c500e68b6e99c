// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/interpreter/Interpreter.h"

#include "compiler/interpreter/Evaluators.h"

using namespace mlir;

namespace windlass::interpreter {

Interpreter::Interpreter(ModuleOp module, Options options)
    : module(module), options(options), rankStates(options.ranks) {
  addStepEvaluators(*this);
  addLoopEvaluators(*this);
  addRowEvaluators(*this);
  addMatrixEvaluators(*this);
  addAttentionEvaluators(*this);
  addExchangeEvaluators(*this);
  addDistEvaluators(*this);
}

Result<Tensors> Interpreter::call(StringRef function, Tensors arguments) {
  auto results = callOnRanks(function, std::vector<Tensors>(options.ranks, std::move(arguments)));
  if (!results)
    return results.status();
  return std::move(results->front());
}

Result<std::vector<Tensors>> Interpreter::callOnRanks(StringRef function, std::vector<Tensors> arguments) {
  FeedFn none;
  Execution execution(*this, none);
  func::FuncOp callee = execution.lookup(function);
  if (!callee)
    return Status::badInput("there is no function '" + function.str() + "'");
  return execution.call(callee, std::move(arguments));
}

Result<std::vector<Report>> Interpreter::runStep(StringRef name, const FeedFn &feed) {
  auto step = module.lookupSymbol<graph::StepOp>(name);
  if (!step)
    return Status::badInput("there is no graph.step '" + name.str() + "'");
  Execution execution(*this, feed);
  WINDLASS_TRY(execution.runBlock(step.getBody().front()));
  execution.commitWrites();
  return execution.takeReports();
}

void Execution::set(int rank, Value value, Tensor tensor) {
  if (options().roundToTypes)
    roundTo(tensor, cast<RankedTensorType>(value.getType()).getElementType());
  values[rank][value] = std::move(tensor);
}

Status Execution::runBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return Status::ok();
    StringRef name = op.getName().getStringRef();
    auto evaluator = interpreter.evaluators.find(name);
    if (evaluator == interpreter.evaluators.end())
      return Status::badInput(("the interpreter has no evaluator for '" + name + "'").str());
    if (Status evaluated = evaluator->second(&op, *this); !evaluated.isOk())
      return evaluated.in(("'" + name + "'").str());
  }
  return Status::ok();
}

func::FuncOp Execution::lookup(StringRef name) const {
  return interpreter.module.lookupSymbol<func::FuncOp>(name);
}

Result<std::vector<Tensors>> Execution::call(func::FuncOp function, std::vector<Tensors> arguments) {
  std::string name = function.getName().str();
  if (function.isExternal())
    return Status::badInput("function '" + name + "' has no body");
  // The callee has its own values; the caller's come back after it.
  auto callers = std::exchange(values, std::vector<DenseMap<Value, Tensor>>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank) {
    if (arguments[rank].size() != function.getNumArguments())
      return Status::badInput("function '" + name + "' takes " + std::to_string(function.getNumArguments()) +
                              " tensors, but gets " + std::to_string(arguments[rank].size()));
    for (auto [argument, tensor] : llvm::zip_equal(function.getArguments(), arguments[rank])) {
      if (cast<RankedTensorType>(argument.getType()).getShape() != ArrayRef(tensor.shape))
        return Status::badInput("function '" + name + "': argument " +
                                std::to_string(argument.getArgNumber()) + " has another shape than its type");
      set(rank, argument, std::move(tensor));
    }
  }
  Block &body = function.getBody().front();
  WINDLASS_TRY(runBlock(body).in("in function '" + name + "'"));
  std::vector<Tensors> results(ranks());
  for (int rank = 0; rank < ranks(); ++rank)
    for (Value value : body.getTerminator()->getOperands())
      results[rank].push_back(get(rank, value));
  values = std::move(callers);
  return results;
}

void Execution::commitWrites() {
  for (int rank = 0; rank < ranks(); ++rank)
    for (auto &[name, value] : written[rank])
      states(rank)[name] = std::move(value);
}

Result<Tensor> Execution::takeFeed(FeedRequest request) const {
  if (!feed)
    return Status::badInput("item '" + request.item + "' is fed by nobody");
  auto tensor = feed(request);
  if (tensor && ArrayRef(tensor->shape) != request.type.getShape())
    return Status::badInput("item '" + request.item + "' is fed in another shape than its type");
  return tensor;
}

} // namespace windlass::interpreter
