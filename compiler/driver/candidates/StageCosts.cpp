// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/StageCosts.h"

#include "dialects/Graph/IR/kernels/GraphKernelCost.h"
#include "model/InstructionTime.h"
#include "passes/Dist/Stages.h"
#include "passes/Graph/recompute/OpSeconds.h"
#include "llvm/ADT/StringMap.h"
#include <set>

using namespace mlir;

namespace windlass {
namespace {

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

class CostCounter {
public:
  CostCounter(ModuleOp module, const model::Machine &machine) : symbols(module), machine(machine) {}

  /// The seconds of a launch, or of all launches in a called function.
  double secondsOf(Operation *op) {
    if (auto launch = dyn_cast<dist::LaunchOp>(op))
      return ofFunction(launch.getKernel(), [&](func::FuncOp kernel) { return ofKernel(kernel); });
    if (auto call = dyn_cast<func::CallOp>(op))
      return ofFunction(call.getCallee(), [&](func::FuncOp function) {
        double seconds = 0;
        for (Operation &inner : function.getBody().front())
          seconds += secondsOf(&inner);
        return seconds;
      });
    return 0;
  }

private:
  double ofFunction(StringRef name, llvm::function_ref<double(func::FuncOp)> count) {
    if (auto found = known.find(name); found != known.end())
      return found->second;
    auto function = symbols.lookup<func::FuncOp>(name);
    const double seconds = function ? count(function) : 0;
    return known[name] = seconds;
  }

  double ofKernel(func::FuncOp kernel) {
    FailureOr<graph::KernelCost> cost = graph::describeKernel(kernel);
    if (failed(cost))
      return 0;
    model::InstructionWork work{plan::Opcode::Launch, plan::Lane::Compute, static_cast<double>(cost->bytes),
                                static_cast<double>(cost->flops)};
    if (auto matmul = dyn_cast<graph::MatmulOp>(kernel.getBody().front().front()))
      work.product = graph::productOf(matmul);
    work.kernel = kernel.getSymName();
    return model::secondsOf(machine, work);
  }

  SymbolTable symbols;
  const model::Machine &machine;
  llvm::StringMap<double> known; ///< seconds, by function
};

} // namespace

planning::StageCutProblem describeStageCut(ModuleOp layers, const std::vector<int64_t> &slots,
                                           const model::Machine &machine) {
  planning::StageCutProblem problem;
  problem.capacity = machine.capacity(plan::Tier::Device);
  problem.slots = slots;
  CostCounter counter(layers, machine);
  std::set<std::pair<int64_t, void *>> counted; // values that a layer's backward pass reads, each once
  for (auto step : layers.getOps<graph::StepOp>()) {
    graph::MicroBatchesOp micro = dist::microBatchesOf(step);
    if (!micro)
      continue;
    for (Operation &op : micro.getBody().front()) {
      const std::optional<int64_t> stage = dist::stageOf(&op);
      if (!stage)
        continue;
      problem.layers.resize(std::max<size_t>(problem.layers.size(), *stage + 1));
      planning::CutLayer &layer = problem.layers[*stage];
      layer.seconds += counter.secondsOf(&op);
      if (!dist::isBackward(&op))
        continue;
      for (Value operand : op.getOperands()) {
        Operation *maker = operand.getDefiningOp();
        const std::optional<int64_t> from = dist::stageOf(operand);
        if (!from || isa<dist::ReadOp>(maker))
          continue;
        if (!dist::isBackward(maker)) {
          if (counted.insert({*stage, operand.getAsOpaquePointer()}).second)
            layer.kept += bytesOf(operand);
          for (int64_t below = *stage; below < *from;
               ++below) // values of forward passes are sent to later stages alone
            problem.layers[below].joined = true;
          continue;
        }
        for (int64_t below = *from; below < *stage;
             ++below) // that layer repeats the value, and this layer reads it
          problem.layers[below].joined = true;
      }
    }
  }
  return problem;
}

} // namespace windlass
