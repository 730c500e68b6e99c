// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drops, doubles and swaps exchanges. A module that verify-splits accepts computes the same as before.

#include "dialects/Graph/IR/GraphExchange.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Graph/SplitPasses.h"
#include "test/passes/Graph/TrainingModule.h"
#include <random>

namespace windlass::graph {
namespace {

constexpr int kRanks = 2;

bool runPasses(mlir::ModuleOp module, const std::string &pipeline) {
  auto manager = mlir::PassManager::on<mlir::ModuleOp>(module.getContext());
  return succeeded(mlir::parsePassPipeline(pipeline, manager)) && succeeded(manager.run(module));
}

mlir::SmallVector<mlir::Operation *> exchangesOf(mlir::ModuleOp module) {
  mlir::SmallVector<mlir::Operation *> found;
  module.walk([&](mlir::Operation *op) {
    if (isa<VaryOp, AllReduceOp, AllGatherOp, ReduceScatterOp, OwnPartOp>(op))
      found.push_back(op);
  });
  return found;
}

/// Drops an exchange, adds another one, or replaces it. Returns false if the types do not permit it.
bool mutate(mlir::Operation *op, unsigned way) {
  mlir::OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  mlir::Value operand = op->getOperand(0), result = op->getResult(0);
  const bool isAlike = operand.getType() == result.getType();
  auto over = op->getAttrOfType<mlir::StringAttr>("over");
  auto ranks = op->getAttrOfType<mlir::IntegerAttr>("ranks");
  switch (way) {
  case 0: // dropped
    if (isAlike)
      result.replaceAllUsesWith(operand);
    return isAlike;
  case 1: { // another one behind it
    mlir::Operation *again = VaryOp::create(builder, op->getLoc(), result, over, ranks);
    result.replaceAllUsesExcept(again->getResult(0), again);
    return true;
  }
  case 2: {
    mlir::Operation *again = AllReduceOp::create(builder, op->getLoc(), result, over, ranks);
    result.replaceAllUsesExcept(again->getResult(0), again);
    return true;
  }
  default: // another one in its place
    if (auto gather = dyn_cast<AllGatherOp>(op)) {
      gather.setVaried(!gather.getVaried());
      return true;
    }
    if (!isAlike)
      return false;
    mlir::Operation *other =
        isa<VaryOp>(op) ? AllReduceOp::create(builder, op->getLoc(), operand, over, ranks).getOperation()
                        : VaryOp::create(builder, op->getLoc(), operand, over, ranks).getOperation();
    result.replaceAllUsesWith(other->getResult(0));
    return true;
  }
}

/// The loss and the gradients of all ranks.
std::vector<interpreter::Report> train(mlir::ModuleOp module) {
  interpreter::Interpreter interpreter(module, {.ranks = kRanks, .seed = 7});
  auto reports = interpreter.runStep("train", drawFeed);
  EXPECT_TRUE(reports) << reports.status().message();
  return reports ? reports.take() : std::vector<interpreter::Report>();
}

bool isSame(const std::vector<interpreter::Report> &a, const std::vector<interpreter::Report> &b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i)
    for (int64_t j = 0; same && j < a[i].value.size(); ++j)
      same = std::fabs(a[i].value.data[j] - b[i].value.data[j]) <= 1e-12;
  return same;
}

/// Makes mutants of a model after these passes, and expects that no accepted mutant computes something else.
void expectNoneAccepted(const std::string &passes, int mutants) {
  SCOPED_TRACE(passes);
  registerGraphSplitPasses();
  const std::string differentiate = "differentiate{micro-batches=1},split-row-sums,verify-splits";
  TrainingModule model(passes);
  mlir::OwningOpRef<mlir::ModuleOp> sound = model.module->clone();
  ASSERT_TRUE(runPasses(*sound, "verify-splits," + differentiate));
  const std::vector<interpreter::Report> expected = train(*sound);
  mlir::ScopedDiagnosticHandler quiet(&model.context, [](mlir::Diagnostic &) { return mlir::success(); });

  std::mt19937 random(3);
  int refused = 0, accepted = 0;
  for (int i = 0; i < mutants; ++i) {
    mlir::OwningOpRef<mlir::ModuleOp> mutant = model.module->clone();
    const unsigned mutations = 1 + random() % 2;
    bool isMutated = false;
    for (unsigned m = 0; m < mutations; ++m) {
      auto exchanges = exchangesOf(*mutant);
      const auto place = random() % exchanges.size(), way = random() % 4;
      isMutated |= mutate(exchanges[place], way);
    }
    if (!isMutated)
      continue;
    if (!runPasses(*mutant, "verify-splits") || !runPasses(*mutant, differentiate)) {
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_TRUE(isSame(train(*mutant), expected))
        << "mutant " << i << " is accepted and computes something else";
  }
  EXPECT_GT(refused, mutants * 3 / 5);
  EXPECT_LT(accepted, mutants / 5);
}

TEST(VerifySplits, AcceptsNoMutationThatComputesSomethingElse) {
  const std::string split = "parallelise{ranks=" + std::to_string(kRanks) + "}";
  expectNoneAccepted(split, 1000);
  expectNoneAccepted(split + ",split-rows", 500);
  expectNoneAccepted(split + ",split-rows{keep-whole=1}", 500);
}

/// After differentiate the exchanges of adjoints are checked, too.
TEST(VerifySplits, RefusesAdjointsWithoutTheirSums) {
  registerGraphSplitPasses();
  TrainingModule model("parallelise{ranks=2},differentiate{micro-batches=1}");
  mlir::ScopedDiagnosticHandler quiet(&model.context, [](mlir::Diagnostic &) { return mlir::success(); });
  int sums = 0;
  for (size_t i = 0, e = exchangesOf(*model.module).size(); i < e; ++i) {
    mlir::OwningOpRef<mlir::ModuleOp> mutant = model.module->clone();
    mlir::Operation *op = exchangesOf(*mutant)[i];
    if (!isa<AllReduceOp>(op) || op->use_empty())
      continue;
    ++sums;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    EXPECT_FALSE(runPasses(*mutant, "verify-splits")) << "exchange " << i;
  }
  EXPECT_GE(sums, 8); // of a layer forward and backward, and of tables and logits
}

} // namespace
} // namespace windlass::graph
