// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets each rank compute its own rows of what lies whole between two products: sequence parallelism.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Graph/rows/RowRewrite.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_SPLITROWS
#include "passes/Graph/SplitPasses.h.inc"

namespace {

class RowModel {
public:
  RowModel(ModuleOp module, int64_t ranks, bool keepWhole, bool keepInputs)
      : module(module), ranks(ranks), keepWhole(keepWhole), keepInputs(keepInputs) {}

  void run() {
    for (auto step : module.getOps<StepOp>())
      markReached(step);
    for (auto step : module.getOps<StepOp>())
      for (auto call : step.getOps<func::CallOp>())
        if (func::FuncOp function = calleeOf(call);
            function && !function.isExternal() && !boundaries.contains(function))
          splitFunction(function, call);
    for (auto step : module.getOps<StepOp>()) {
      Block &body = step.getBody().front();
      apply(body, RowChoice(body, ranks, boundaries), {});
    }
  }

private:
  /// Which arguments of functions depend on a trained parameter, at any call.
  void markReached(StepOp step) {
    llvm::DenseSet<Value> values;
    for (Operation &op : step.getBody().front()) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        SmallVector<bool> &of = reached[calleeOf(call)];
        of.resize(call.getNumOperands());
        for (auto [i, operand] : llvm::enumerate(call.getOperands()))
          of[i] = of[i] || values.contains(operand);
      }
      if (isa<ReadOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) { return values.contains(v); }))
        values.insert(op.result_begin(), op.result_end());
    }
  }

  ArgumentKinds kindsOf(func::FuncOp function, func::CallOp call) {
    ArgumentKinds kinds;
    kinds.areReached = reached.lookup(function);
    for (Value operand : call.getOperands()) {
      auto read = operand.getDefiningOp<ReadOp>();
      kinds.areParameters.push_back(read != nullptr);
      kinds.areWhole.push_back(!read || !splitOf(module.lookupSymbol<StateOp>(read.getState())));
    }
    return kinds;
  }

  /// Splits the rows of a function: its activations come in rows, if its results leave in rows.
  void splitFunction(func::FuncOp function, func::CallOp call) {
    Block &body = function.front();
    const ArgumentKinds kinds = kindsOf(function, call);
    RowBoundary boundary;
    for (BlockArgument argument : body.getArguments()) {
      const unsigned i = argument.getArgNumber();
      boundary.arguments.push_back(kinds.areReached[i] && !kinds.areParameters[i] &&
                                   hasFloatElements(argument) && rowForm(argument, ranks));
    }
    auto choose = [&] {
      RowChoice choice(body, ranks, boundaries, kinds, boundary.arguments);
      boundary.results.clear();
      for (Value returned : body.getTerminator()->getOperands())
        boundary.results.push_back(choice.isInRows(returned));
      return choice;
    };
    RowChoice choice = choose();
    if (llvm::none_of(boundary.results, [](bool inRows) { return inRows; })) {
      boundary.arguments.assign(boundary.arguments.size(), false);
      choice = choose();
    }
    apply(body, choice, boundary);
    if (!keepWhole)
      function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                         body.getTerminator()->getOperandTypes()));
    boundaries[function] = boundary;
  }

  void apply(Block &block, const RowChoice &choice, const RowBoundary &boundary) {
    if (keepWhole)
      varyParameters(block, choice, ranks);
    else
      cutRows(block, choice, boundary, boundaries, ranks, keepInputs);
  }

  ModuleOp module;
  int64_t ranks;
  bool keepWhole, keepInputs;
  llvm::DenseMap<Operation *, SmallVector<bool>> reached;
  RowBoundaries boundaries;
};

struct SplitRowsPass : impl::SplitRowsBase<SplitRowsPass> {
  using SplitRowsBase::SplitRowsBase;

  void runOnOperation() override {
    if (const int64_t ranks = tensorRanksOf(getOperation()); ranks > 1)
      RowModel(getOperation(), ranks, keepWhole, keepInputs).run();
  }
};

} // namespace
} // namespace windlass::graph
