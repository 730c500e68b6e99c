// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/recompute/RecomputeChoices.h"

#include "passes/Graph/Attributes.h"
#include "passes/Graph/gradients/LayerCalls.h"
#include "passes/Graph/gradients/LayerGradient.h"
#include "passes/Graph/recompute/OpSeconds.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;

namespace windlass::graph {
namespace {

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) / 8;
}

class ProblemBuilder {
public:
  explicit ProblemBuilder(const model::Machine &machine) : machine(machine) {}

  /// Adds a layer function; `calls`: all its calls.
  void add(ArrayRef<LayerCalls> calls) {
    LayerCalls layer = calls.front();
    const std::string function = layer.plain.getSymName().str();
    const auto names = nameActivations(layer.forward);
    const int64_t count = static_cast<int64_t>(calls.size());
    for (BlockArgument argument : layer.forward.getArguments())
      addValue(argument, {function, ""}, bytesOfArgument(calls, argument.getArgNumber()));
    // Results of a layer take no bytes here: they are arguments of the layers that read them.
    auto results =
        layer.forward.front().getTerminator()->getOperands().take_front(layer.plain.getNumResults());
    for (const auto &[value, name] : names)
      addValue(value, {function, name}, llvm::is_contained(results, value) ? 0 : count * bytesOf(value));
    for (Value residual : findResiduals(layer.forward, layer.backward))
      problem.values[indexOf.at(residual)].isNeeded = true;
    for (unsigned i = 0; i < layer.backward.getNumArguments(); ++i)
      if (auto argument = argumentIndex(layer.backward, i, kArgument))
        problem.values[indexOf.at(layer.forward.getArgument(*argument))].isNeeded = true;
    std::vector<Operation *> ops;
    for (Operation &op : layer.forward.front().without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops) {
      planning::RecomputeOp repeated{function + ":" + op->getName().stripDialect().str(),
                                     static_cast<double>(count) * secondsOf(op, machine),
                                     {},
                                     {}};
      for (Value operand : op->getOperands())
        repeated.reads.push_back(indexOf.at(operand));
      for (Value result : op->getResults())
        repeated.makes.push_back(indexOf.at(result));
      problem.ops.push_back(std::move(repeated));
    }
  }

  RecomputeChoices choices;

private:
  void addValue(Value value, LayerValue named, int64_t bytes) {
    indexOf[value] = static_cast<uint32_t>(problem.values.size());
    problem.values.push_back({named.function + ":" + named.activation, bytes, false});
    choices.values.push_back(std::move(named));
  }

  /// The bytes of an argument over all calls. An activation counts once, however many calls take it; states
  /// and feeds count 0, as they are in memory in any case.
  static int64_t bytesOfArgument(ArrayRef<LayerCalls> calls, unsigned argument) {
    llvm::SmallSetVector<Value, 8> activations;
    for (LayerCalls layer : calls)
      if (Value operand = layer.forwardCall.getOperand(argument);
          operand.getDefiningOp() && !isa<ReadOp, FeedOp>(operand.getDefiningOp()))
        activations.insert(operand);
    int64_t bytes = 0;
    for (Value activation : activations)
      bytes += bytesOf(activation);
    return bytes;
  }

  const model::Machine &machine;
  planning::RecomputeProblem &problem = choices.problem;
  llvm::DenseMap<Value, uint32_t> indexOf; ///< of problem.values
};

} // namespace

RecomputeChoices describeRecompute(ModuleOp module, const model::Machine &machine) {
  SmallVector<LayerCalls> layers;
  if (auto train = module.lookupSymbol<StepOp>("train"))
    layers = findLayers(train);
  if (!layers.empty())
    layers.pop_back();
  llvm::MapVector<Operation *, SmallVector<LayerCalls>> byFunction;
  for (LayerCalls layer : layers)
    byFunction[layer.forward].push_back(layer);
  ProblemBuilder builder(machine);
  for (auto &[function, calls] : byFunction)
    builder.add(calls);
  return std::move(builder.choices);
}

KeptNames RecomputeChoices::kept(const planning::RecomputeChoice &choice) const {
  KeptNames names;
  for (const planning::RecomputeOp &op : problem.ops)
    for (uint32_t made : op.makes) {
      std::vector<std::string> &kept = names[values[made].function];
      if (choice.isKept[made])
        kept.push_back(values[made].activation);
    }
  for (auto &[function, activations] : names)
    llvm::sort(activations);
  return names;
}

} // namespace windlass::graph
