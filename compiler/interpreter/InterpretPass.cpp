// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/interpreter/InterpretPass.h"

#include "compiler/interpreter/Interpreter.h"
#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;

namespace windlass {
namespace {

using interpreter::Tensor;

/// "name: [2x2] 1 2 3 4": shape, then elements in row-major order.
void print(llvm::raw_ostream &out, const std::string &name, const Tensor &tensor) {
  out << name << ": [";
  llvm::interleave(tensor.shape, out, "x");
  out << "]";
  for (double value : tensor.data)
    out << " " << llvm::format("%.9g", value);
  out << "\n";
}

/// A deterministic feed for tests: integers count from 0, modulo their bound; floats are the sine of their
/// index.
Tensor foreseeable(const interpreter::FeedRequest &request) {
  Tensor tensor(request.type.getShape());
  int64_t first = (request.rank + request.microBatch) * tensor.size();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (isa<FloatType>(request.type.getElementType()))
      tensor.data[i] = std::sin(static_cast<double>(first + i + 1));
    else
      tensor.data[i] = static_cast<double>(request.bound > 0 ? (first + i) % request.bound : first + i);
  }
  return tensor;
}

struct InterpretPass : PassWrapper<InterpretPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InterpretPass)

  InterpretPass() = default;
  InterpretPass(const InterpretPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "interpret"; }
  StringRef getDescription() const override {
    return "runs the functions without arguments and the steps of a module in f64 and prints their results";
  }

  Option<int> ranks{*this, "ranks", llvm::cl::desc("virtual ranks"), llvm::cl::init(1)};
  Option<bool> round{*this, "round", llvm::cl::desc("round results to their types"), llvm::cl::init(false)};
  Option<std::string> step{*this, "step", llvm::cl::desc("the step to run; all of them if empty")};
  Option<bool> states{*this, "states", llvm::cl::desc("print the states at the end"), llvm::cl::init(false)};

  void runOnOperation() override {
    if (ranks < 1) {
      getOperation().emitError("there must be at least one rank, but ranks is ") << int(ranks);
      return signalPassFailure();
    }
    interpreter::Options options;
    options.ranks = ranks;
    options.roundToTypes = round;
    options.sumOverRanks = getOperation().getOps<dist::MeshOp>().empty();
    interpreter::Interpreter interpreter(getOperation(), options);
    if (Status run = runAll(interpreter); !run.isOk()) {
      getOperation().emitError() << run.message();
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  Status runAll(interpreter::Interpreter &interpreter) {
    llvm::raw_ostream &out = llvm::outs();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.getNumArguments() != 0 || function.isExternal() || !step.empty())
        continue;
      auto results = interpreter.call(function.getName(), {});
      if (!results)
        return results.status();
      for (auto [number, tensor] : llvm::enumerate(*results))
        print(out, (function.getName() + "#" + Twine(number)).str(), tensor);
    }
    for (auto graphStep : getOperation().getOps<graph::StepOp>()) {
      if (!step.empty() && graphStep.getSymName() != step)
        continue;
      auto reports = interpreter.runStep(graphStep.getSymName(), foreseeable);
      if (!reports)
        return reports.status();
      for (const interpreter::Report &report : *reports)
        print(out, (graphStep.getSymName() + " " + report.item + " rank " + Twine(report.rank)).str(),
              report.value);
    }
    for (int rank = 0; states && rank < ranks; ++rank)
      for (auto &[name, value] : interpreter.states(rank))
        print(out, ("state " + name + " rank " + Twine(rank)).str(), value);
    return Status::ok();
  }
};

} // namespace

void registerInterpretPass() { PassRegistration<InterpretPass>(); }

} // namespace windlass
