// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/Segments.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace windlass::dist {
namespace {

/// The values that are made of parameters and constants alone, and the parameters of each.
class MadeOfParameters {
public:
  /// The parameters of a value; nothing where it is made of other values, too.
  std::optional<ArrayRef<StringRef>> find(Value value) {
    if (auto read = value.getDefiningOp<graph::ReadOp>())
      known.try_emplace(value, SmallVector<StringRef>{read.getState()});
    auto found = known.find(value);
    return found == known.end() ? std::nullopt : std::optional<ArrayRef<StringRef>>(found->second);
  }

  /// Adds the results of `op`, if they are such values. False: they are not.
  bool note(Operation &op) {
    SmallVector<StringRef> parameters;
    for (Value operand : op.getOperands()) {
      std::optional<ArrayRef<StringRef>> parts = find(operand);
      if (!parts)
        return false;
      parameters.append(parts->begin(), parts->end());
    }
    if (!isPure(&op))
      return false;
    for (Value result : op.getResults())
      known[result] = parameters;
    return true;
  }

private:
  llvm::DenseMap<Value, SmallVector<StringRef>> known;
};

/// The block that runs for a batch: the micro-batch of a training step, else the whole step.
Block &computationOf(graph::StepOp step) {
  Block &body = step.getBody().front();
  for (auto micro : body.getOps<graph::MicroBatchesOp>())
    return micro.getBody().front();
  return body;
}

} // namespace

Segments::Segments(ModuleOp module) {
  for (auto step : module.getOps<graph::StepOp>())
    walk(computationOf(step));
}

void Segments::walk(Block &forward) {
  MadeOfParameters made;
  llvm::StringSet<> called;
  for (Operation &op : forward) {
    if (made.note(op))
      continue;
    for (Value operand : op.getOperands())
      if (auto parameters = made.find(operand))
        for (StringRef parameter : *parameters)
          callsAhead.try_emplace(parameter, called.size());
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto layer = call->getAttrOfType<StringAttr>(graph::kLayer))
        if (called.insert(layer).second)
          instances.try_emplace(layer, instances.size());
  }
}

int64_t Segments::of(graph::StateOp parameter) const {
  const auto count = static_cast<int64_t>(instances.size());
  if (StringRef layer = parameter.getLayer(); !layer.empty()) {
    auto instance = instances.find(layer);
    return 2 * (instance == instances.end() ? count : instance->second) + 1;
  }
  auto ahead = callsAhead.find(parameter.getSymName());
  return 2 * (ahead == callsAhead.end() ? 0 : ahead->second);
}

} // namespace windlass::dist
