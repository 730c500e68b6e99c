// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which losses take an example of zeros whose labels are all ignored without a change.
#include "compiler/driver/facts/PaddedExamples.h"

#include "compiler/driver/facts/Facts.h"
#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/graphjson/LossShares.h"
#include "test/compiler/import/ImportTesting.h"
#include <algorithm>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

bool mayCount(ModuleOp module) { return paddingMayCount(module.lookupSymbol<graph::StepOp>("evaluate")); }

/// What a plan says of a model with classes and features, of which the operations make a "loss".
bool mayCount(const char *ops) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 3]},
               "y": {"role": "classes", "shape": ["B"], "bound": 3, "ignored": 1},
               "z": {"role": "other_labels", "shape": ["B"], "bound": 3}},
    "params": {"w": {"shape": [3, 3], "init": {"normal": 0.5}}, "b": {"shape": [3], "init": 1}},
    "loss": "loss"
  })");
  document["ops"] = nlohmann::json::parse(std::string(R"([
    {"op": "matmul", "in": ["x", "w"], "out": "h"}, {"op": "add", "in": ["h", "b"], "out": "s"},
    {"op": "cross_entropy", "in": ["s", "y"], "out": "e"}, {"op": "cross_entropy", "in": ["s", "z"], "out": "f"},)") +
                                          ops + "]");
  document["ops"].push_back(
      nlohmann::json::parse(R"({"op": "reduce", "kind": "sum", "in": ["f"], "dims": [0], "out": "used"})"));
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
  plan::Plan plan;
  const Status described = module ? describeModel(**module, plan) : module.status();
  EXPECT_TRUE(described) << described.message();
  return plan.paddingCounts;
}

TEST(PaddedExamples, sumsOfCrossEntropiesTakeThem) {
  EXPECT_FALSE(mayCount(R"({"op": "add", "in": ["e", "f"], "out": "loss"})"));
  EXPECT_FALSE(mayCount(
      R"({"op": "mean_over", "in": ["f", "z"], "out": "m"}, {"op": "add", "in": ["e", "m"], "out": "loss"})"));
  EXPECT_FALSE(mayCount(R"({"op": "reduce", "kind": "sum", "in": ["e"], "dims": [0], "out": "t"},
                           {"op": "mean_over", "in": ["t", "z"], "out": "loss"})"));
}

/// The features of padding are zero, and so are their squares.
TEST(PaddedExamples, whatIsZeroForZerosTakesThem) {
  EXPECT_FALSE(mayCount(R"({"op": "mul", "in": ["x", "x"], "out": "q"},
                           {"op": "reduce", "kind": "sum", "in": ["q"], "dims": [0, 1], "out": "r"},
                           {"op": "reduce", "kind": "sum", "in": ["e"], "dims": [0], "out": "t"},
                           {"op": "add", "in": ["t", "r"], "out": "loss"})"));
}

TEST(PaddedExamples, aTermOfEveryExampleDoesNot) {
  EXPECT_TRUE(mayCount(R"({"op": "mul", "in": ["s", "s"], "out": "q"},
                          {"op": "reduce", "kind": "sum", "in": ["q"], "dims": [1], "out": "r"},
                          {"op": "add", "in": ["e", "r"], "out": "loss"})"));
}

/// "y" is padded with 1, which is a class for this loss.
TEST(PaddedExamples, aLossOfAnotherIgnoredLabelDoesNot) {
  EXPECT_TRUE(mayCount(R"({"op": "cross_entropy", "in": ["s", "y"], "ignore_index": 2, "out": "g"},
                          {"op": "mean_over", "in": ["g"], "of": "batches", "out": "mean"},
                          {"op": "add", "in": ["e", "mean"], "out": "loss"})"));
}

/// Examples of padding add nothing to the first sum, and scale it.
TEST(PaddedExamples, aSumTimesWhatPaddingChangesDoesNot) {
  const std::string sums = R"({"op": "reduce", "kind": "sum", "in": ["e"], "dims": [0], "out": "t"},
                              {"op": "reduce", "kind": "sum", "in": ["s"], "dims": [0, 1], "out": "u"},)";
  EXPECT_TRUE(mayCount((sums + R"({"op": "mul", "in": ["t", "u"], "out": "loss"})").c_str()));
  EXPECT_TRUE(mayCount((sums + R"({"op": "add", "in": ["e", "t"], "out": "loss"})").c_str()))
      << "it is added for each example";
}

TEST(PaddedExamples, modelsOfEveryFamilyTakeThem) {
  for (const char *family : {"gpt2", "llama", "mistral", "qwen2", "qwen3", "bert", "vit"}) {
    SCOPED_TRACE(family);
    MLIRContext context;
    OwningOpRef<ModuleOp> module =
        importOrFail(context, fixturePath(family) + "/config.json", trainingOf(2, 8));
    ASSERT_TRUE(module);
    EXPECT_FALSE(mayCount(*module));
  }
}

/// Whether each term is a mean over labels, and there are such.
bool isOfLabels(graph::StepOp evaluate) {
  const std::vector<LossShare> shares = lossShares(evaluate);
  return std::ranges::all_of(shares, [](const LossShare &share) { return share.of == "labels"; }) &&
         llvm::any_of(evaluate.getOps<graph::FeedOp>(), [](graph::FeedOp feed) {
           return feed.getInputRole() && (*feed.getInputRole() == plan::InputRole::Labels ||
                                          *feed.getInputRole() == plan::InputRole::Classes);
         });
}

/// Labels that the graph shifts, weights of classes, smoothing, other spellings of a cross-entropy.
TEST(PaddedExamples, crossEntropiesOfOnnxFilesTakeThem) {
  int64_t found = 0;
  for (const auto &file : std::filesystem::directory_iterator(fixturePath("onnx"))) {
    if (file.path().extension() != ".onnx")
      continue;
    SCOPED_TRACE(file.path().string());
    MLIRContext context;
    Result<OwningOpRef<ModuleOp>> module = importModel(context, file.path().string(), trainingOf(2, 8), {});
    auto evaluate = module ? (*module)->lookupSymbol<graph::StepOp>("evaluate") : graph::StepOp();
    if (!evaluate || !isOfLabels(evaluate))
      continue;
    EXPECT_FALSE(mayCount(**module));
    ++found;
  }
  EXPECT_GT(found, 50);
}

} // namespace
