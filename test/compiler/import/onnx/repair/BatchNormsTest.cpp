// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch norms that train, and the report on them.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/fixtures/Fixture.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

Result<OnnxDescription> describeFixture(const std::string &file, const OnnxOptions &options = {}) {
  TrainingOptions training;
  training.microBatch = 2;
  return describeOnnx(Fixture::folder() + "onnx/" + file + ".onnx", training, options);
}

/// The batch norms of all operations. Those in blocks are repeated as often as the blocks.
std::vector<nlohmann::json> normsOf(const nlohmann::json &document) {
  std::vector<nlohmann::json> norms;
  for (const auto &op : document["ops"]) {
    if (op.value("op", "") == "batch_norm")
      norms.push_back(op);
    for (int64_t i = 0; op.contains("block") && i < op["repeat"]; ++i)
      for (const auto &inner : document["blocks"][op["block"]]["ops"])
        if (inner["op"] == "batch_norm")
          norms.push_back(inner);
  }
  return norms;
}

int64_t statisticsIn(const nlohmann::json &params) {
  int64_t count = 0;
  for (const auto &[name, param] : params.items()) {
    const bool isStatistic = param.value("group", "") == "statistics";
    EXPECT_EQ(isStatistic, name.ends_with("running_mean") || name.ends_with("running_var")) << name;
    count += isStatistic;
  }
  return count;
}

OnnxOptions withBatchNorm(const std::string &word) {
  OnnxOptions options;
  options.batchNorm = word;
  return options;
}

/// Training is shown by the node's attribute, by its results (operator set 13), or by its name (the newer
/// exporter).
TEST(OnnxBatchNorms, ofModulesInTrainingTrain) {
  for (const char *file : {"resnet.script.17.raw", "resnet.script.13.raw", "resnet.dynamo.20.raw"}) {
    SCOPED_TRACE(file);
    Result<OnnxDescription> description = describeFixture(file);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(normsOf(description->document).size(), 8u);
    int64_t statistics = statisticsIn(description->document["params"]);
    for (const auto &[name, block] : description->document["blocks"].items())
      statistics += 2 * statisticsIn(block["params"]); // two equal layers
    EXPECT_EQ(statistics, 16);
    EXPECT_NE(description->report.find("batch norms 8 normalise with the batch"), std::string::npos)
        << description->report;
    EXPECT_EQ(description->report.find("are frozen"), std::string::npos) << description->report;
    EXPECT_NE(description->report.find("running statistic, updated"), std::string::npos)
        << description->report;
  }
}

TEST(OnnxBatchNorms, canBeFrozenAndTrained) {
  for (const auto &[file, options, trains] :
       {std::tuple("resnet_frozen.script.13.raw", OnnxOptions(), false),
        std::tuple("resnet_frozen.dynamo.23.raw", OnnxOptions(), false),
        std::tuple("resnet.script.17.raw", withBatchNorm("frozen"), false),
        std::tuple("resnet.dynamo.20.raw", withBatchNorm("frozen"), false),
        std::tuple("resnet_frozen.dynamo.23.raw", withBatchNorm("train"), true)}) {
    SCOPED_TRACE(file);
    Result<OnnxDescription> description = describeFixture(file, options);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(normsOf(description->document).size(), trains ? 8u : 0u);
    EXPECT_EQ(description->document["params"].contains("bn1.running_mean"), trains);
    EXPECT_NE(description->report.find(trains ? "batch norms 8 normalise" : "batch norms 8 are frozen"),
              std::string::npos)
        << description->report;
  }
}

TEST(OnnxBatchNorms, haveTheVarianceThatIsAskedFor) {
  OnnxOptions torch;
  torch.unbiased = true;
  for (const OnnxOptions &options : {OnnxOptions(), torch}) {
    Result<OnnxDescription> description = describeFixture("dropped.script.17.raw", options);
    ASSERT_TRUE(description) << description.status().message();
    const std::vector<nlohmann::json> norms = normsOf(description->document);
    ASSERT_EQ(norms.size(), 2u);
    for (const nlohmann::json &norm : norms)
      EXPECT_EQ(norm.value("unbiased", false), options.unbiased);
    EXPECT_NEAR(norms[0]["momentum"], 0.1, 1e-7);
    EXPECT_NEAR(norms[1]["momentum"], 0.3, 1e-7);
  }
}

TEST(OnnxBatchNorms, thatWereFoldedAreRefused) {
  for (const auto &[file, first] :
       {std::pair("resnet.dynamo.18.folded", "bn1"), std::pair("resnet.script.17.folded", "conv1")}) {
    SCOPED_TRACE(file);
    for (const OnnxOptions &options : {OnnxOptions(), withBatchNorm("train")}) {
      Status refused = describeFixture(file, options).status();
      EXPECT_EQ(refused.code(), ExitCode::BadInput);
      EXPECT_NE(refused.message().find("batch norms that the exporter folded into 8 layers"),
                std::string::npos)
          << refused.message();
      for (const std::string &said : {std::string("optimize=False"), std::string("--accept-folded"),
                                      "\n  " + std::string(first) + "\n"})
        EXPECT_NE(refused.message().find(said), std::string::npos) << refused.message();
    }
  }
  Status refused = describeFixture("mlp_mse.script.17.raw", withBatchNorm("train")).status();
  EXPECT_EQ(refused.code(), ExitCode::BadInput);
  EXPECT_TRUE(refused.message().ends_with("--batch-norm, --bn-stats: the file has no batch norms"))
      << refused.message();
}

OnnxOptions acceptingFolded() {
  OnnxOptions options;
  options.acceptFolded = true;
  return options;
}

TEST(OnnxBatchNorms, thatWereFoldedAreTakenWhereThatIsMeant) {
  for (const auto &[file, first] :
       {std::pair("resnet.dynamo.18.folded", "bn1"), std::pair("resnet.script.17.folded", "conv1")}) {
    SCOPED_TRACE(file);
    Result<OnnxDescription> description = describeFixture(file, acceptingFolded());
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_TRUE(normsOf(description->document).empty());
    EXPECT_NE(description->report.find("batch norms of 8 layers were folded, and do not train "
                                       "(--accept-folded): " +
                                       std::string(first) + ", ..."),
              std::string::npos)
        << description->report;
    EXPECT_TRUE(description->warnings.empty());
  }
  Result<OnnxDescription> plain = describeFixture("mlp_mse.script.17.raw");
  ASSERT_TRUE(plain) << plain.status().message();
  EXPECT_EQ(plain->report.find("batch norm"), std::string::npos) << plain->report;
  Status idle = describeFixture("mlp_mse.script.17.raw", acceptingFolded()).status();
  EXPECT_EQ(idle.code(), ExitCode::BadInput);
  EXPECT_TRUE(idle.message().ends_with("--accept-folded: no batch norms of the file were folded"))
      << idle.message();
}

/// The error about a model's folded batch norms; empty if the model is accepted.
std::string refusalOf(ModelMaker &maker) {
  const Status status = describeModel(maker).status();
  return status.message();
}

/// A layer with a bias keeps its name, so that only the rule that the optimiser records shows the folded
/// norm.
TEST(OnnxBatchNorms, thatWereFoldedIntoABiasAreRefused) {
  for (const auto &[rule, isFolded] :
       {std::pair("FuseBatchNormIntoGemm", true), std::pair("TransposeFusion", false)}) {
    ModelMaker maker = linearModel();
    addEntry(maker.graph().mutable_node(0)->mutable_metadata_props(), "pkg.onnxscript.rewriter.rule_name",
             rule);
    const std::string refusal = refusalOf(maker);
    EXPECT_EQ(refusal.find("batch norms that the exporter folded into 1 layer:") != std::string::npos,
              isFolded)
        << refusal;
    EXPECT_EQ(refusal.empty(), !isFolded) << refusal;
  }
}

/// If neither the layer nor the norm has a bias, there are no such names, and the last rule is another one.
/// The recorded call of the layer is then that of the norm.
TEST(OnnxBatchNorms, thatWereFoldedWithoutABiasAreRefused) {
  for (const auto &[operation, isFolded] :
       {std::pair("_native_batch_norm_legit_no_training", true), std::pair("linear", false)}) {
    ModelMaker maker = linearModel();
    onnx::wire::Node &layer = *maker.graph().mutable_node(0);
    layer.mutable_input()->RemoveLast();
    addEntry(layer.mutable_metadata_props(), "pkg.onnxscript.rewriter.rule_name",
             "RemoveOptionalBiasFromGemm");
    addEntry(layer.mutable_metadata_props(), "pkg.torch.onnx.name_scopes", "['', 'bn', 'call']");
    addEntry(layer.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
             std::string("%n : [num_users=1] = call_function[target=torch.ops.aten.") + operation +
                 ".default](args = (%x,), kwargs = {})");
    const std::string refusal = refusalOf(maker);
    EXPECT_EQ(refusal.ends_with(":\n  bn"), isFolded) << refusal;
    EXPECT_EQ(refusal.empty(), !isFolded) << refusal;
  }
}

/// x -> the norm of a module "l", as the newer exporter writes it: statistics are called as results of the
/// call, or a fresh variance is the very tensor of the scale. `given`: the arguments of the call for both.
ModelMaker normOfModule(const std::string &given, bool isFresh) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("l.weight", {2}, {1, 1});
  maker.weight("l.bias", {2}, {0, 0});
  if (!isFresh) {
    maker.weight("getitem_3", {2}, {0.5F, 0.25F});
    maker.weight("getitem_4", {2}, {2, 3});
  }
  addEntry(maker.graph().mutable_metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature",
           "# inputs\np_l_weight: PARAMETER target='l.weight'\np_l_bias: PARAMETER target='l.bias'\n"
           "b_l_running_mean: BUFFER target='l.running_mean' persistent=True\n"
           "b_l_running_var: BUFFER target='l.running_var' persistent=True\nx: USER_INPUT\n\n# outputs\n"
           "loss: USER_OUTPUT\n");
  onnx::wire::Node &norm = maker.node(
      "BatchNormalization",
      {"x", "l.weight", "l.bias", isFresh ? "l.bias" : "getitem_3", isFresh ? "l.weight" : "getitem_4"},
      "scaled", "node__native_batch_norm_legit_functional_0");
  addEntry(norm.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
           "%norm : [num_users=3] = call_function[target=torch.ops.aten._native_batch_norm_legit_functional."
           "default](args = (%x, %p_l_weight, %p_l_bias, " +
               given + ", True, 0.1, 1e-05), kwargs = {})");
  addEntry(norm.mutable_metadata_props(), "pkg.torch.onnx.name_scopes", "['', 'l', 'norm']");
  maker.node("Mul", {"scaled", "scaled"}, "square");
  maker.loss("ReduceMean", "square");
  return maker;
}

TEST(OnnxBatchNorms, haveStatisticsOfTheNamesInTheModule) {
  for (const char *given : {"%b_l_running_mean, %b_l_running_var", "%getitem_3, %getitem_4"})
    for (bool isFresh : {false, true}) {
      Result<OnnxDescription> description = describeModel(normOfModule(given, isFresh));
      ASSERT_TRUE(description) << description.status().message();
      const nlohmann::json &params = description->document["params"];
      EXPECT_EQ(params.size(), 4u) << params.dump(2);
      EXPECT_EQ(statisticsIn(params), 2);
      EXPECT_TRUE(params.contains("l.running_mean") && params.contains("l.running_var")) << params.dump(2);
      EXPECT_TRUE(params.contains("l.weight") && params.contains("l.bias")) << params.dump(2);
    }
}

} // namespace
