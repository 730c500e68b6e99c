// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recomputation problem of a model's layers, and the module of every choice on its front.

#include "passes/Graph/recompute/RecomputeChoices.h"
#include "model/InstructionTime.h"
#include "passes/Graph/gradients/LayerCalls.h"
#include "planning/Recompute/RecomputeChecker.h"
#include "planning/Recompute/RecomputeSolver.h"
#include "test/passes/Graph/TrainingModule.h"
#include "test/support/Folders.h"

namespace windlass::graph {
namespace {

model::Machine quickstart() {
  Result<model::Machine> machine =
      model::readMachine(WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/machine.json");
  EXPECT_TRUE(machine) << machine.status().message();
  return machine.take();
}

RecomputeChoices describeTwoLayers(const Edits &edits = {}) {
  TrainingModule model("materialize-dropout,differentiate", edits);
  return describeRecompute(*model.module, quickstart());
}

const planning::RecomputeValue &valueOf(const planning::RecomputeProblem &problem, const std::string &id) {
  return *std::ranges::find(problem.values, id, &planning::RecomputeValue::id);
}

/// Of two layers only the first has choices: the last layer keeps everything.
TEST(RecomputeChoices, areThoseOfAllLayersButTheLast) {
  const RecomputeChoices choices = describeTwoLayers();
  const planning::RecomputeProblem &problem = choices.problem;
  EXPECT_EQ(problem.ops.size(), 10u);
  EXPECT_EQ(problem.values.front().bytes, 12 * 8 * 4); // the input
  EXPECT_TRUE(problem.values.front().isNeeded);        // by the gradient of the norm over it
  EXPECT_EQ(problem.values[1].bytes, 0);               // a parameter exists in any case
  EXPECT_EQ(valueOf(problem, "block:matmul.0").bytes, 12 * 24 * 4);
  EXPECT_TRUE(valueOf(problem, "block:attention.0#1").isNeeded);
  EXPECT_FALSE(valueOf(problem, "block:matmul.3").isNeeded); // a product's gradients read its operands
  EXPECT_EQ(valueOf(problem, "block:map.3").bytes, 0);       // the result: its user keeps it
  const planning::RecomputeOp &product = problem.ops[1];
  EXPECT_EQ(product.id, "block:matmul");
  const double bytes = 4 * (12 * 8 + 8 * 24 + 12 * 24);
  EXPECT_DOUBLE_EQ(product.seconds, model::secondsOf(quickstart(), {.bytes = bytes,
                                                                    .flops = 2.0 * 12 * 8 * 24,
                                                                    .product = model::Product{}}));
  for (const planning::RecomputeOp &op : problem.ops)
    EXPECT_GT(op.seconds, 0) << op.id;
}

TEST(RecomputeChoices, goFromEverythingToTheInputs) {
  const RecomputeChoices choices = describeTwoLayers();
  const planning::RecomputeProblem &problem = choices.problem;
  Result<planning::RecomputeFront> front = planning::solveRecomputeFront(problem);
  ASSERT_TRUE(front) << front.status().message();
  EXPECT_TRUE(planning::checkRecompute(problem, *front));
  EXPECT_GT(front->choices.size(), 4u);
  EXPECT_EQ(front->choices.front().seconds, 0);
  EXPECT_EQ(choices.kept(front->choices.back()), (KeptNames{{"block", {}}}));
}

TEST(RecomputeChoices, mayBeOfFunctionsWithColonsInTheirNames) {
  const Edits renamed = {{"@block", "@\"enc:self\""}};
  const RecomputeChoices choices = describeTwoLayers(renamed);
  Result<planning::RecomputeFront> front = planning::solveRecomputeFront(choices.problem);
  ASSERT_TRUE(front) << front.status().message();
  const KeptNames names = choices.kept(front->choices.front());
  ASSERT_GT(names.at("enc:self").size(), 0u);
  TrainingModule model("differentiate", renamed);
  const llvm::SmallVector<LayerCalls> layers = findLayers(model.module->lookupSymbol<StepOp>("train"));
  Result<KeptActivations> kept = findKept(layers, names);
  ASSERT_TRUE(kept) << kept.status().message();
  EXPECT_EQ(kept->front().second.size(), names.at("enc:self").size());
}

Reports trained(const std::string &recompute) {
  TrainingModule model("materialize-dropout,differentiate{micro-batches=2}" + recompute +
                           ",apply-optimizer{clip=0.5}",
                       kWithDropout);
  auto interpreter = model.interpret();
  runStep(interpreter, "train");
  return runStep(interpreter, "train");
}

TEST(RecomputeChoices, allTrainTheSameNumbers) {
  const RecomputeChoices choices = describeTwoLayers(kWithDropout);
  Result<planning::RecomputeFront> front = planning::solveRecomputeFront(choices.problem);
  ASSERT_TRUE(front) << front.status().message();
  const Reports expected = trained("");
  for (const planning::RecomputeChoice &choice : front->choices) {
    const KeptNames kept = choices.kept(choice);
    std::string names = "block.train:";
    for (const std::string &name : kept.at("block.train"))
      names += ",block.train:" + name;
    expectSame(trained(",recompute{mode=kept keep=" + names + "}"), expected, 0);
  }
}

} // namespace
} // namespace windlass::graph
