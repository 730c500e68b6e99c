// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The account of a module's parameters: its line, and the files that are refused because a parameter of the
// signature cannot be found.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/fixtures/Fixture.h"
#include "test/runtime/training/TemporaryFolder.h"

using namespace windlass;
using namespace windlass::test;

namespace {

Result<OnnxDescription> describeFixture(const std::string &name, const TrainingOptions &training = {}) {
  TrainingOptions options = training;
  options.microBatch = 4;
  return describeOnnx(Fixture::folder() + "onnx/" + name + ".onnx", options, {});
}

std::string accountOf(const std::string &name, const TrainingOptions &training = {}) {
  Result<OnnxDescription> description = describeFixture(name, training);
  EXPECT_TRUE(description) << description.status().message();
  if (!description)
    return "";
  EXPECT_NE(description->report.find("\naccount     " + description->account + "\n"), std::string::npos);
  return description->account;
}

TEST(OnnxAccount, saysWhatBecameOfEveryParameter) {
  EXPECT_EQ(
      accountOf("cloned.dynamo.20.raw"),
      "the module has 8 parameters, the file 7: 1 tied, 0 merged, 0 split, 0 lost and put back, 0 frozen, 0 "
      "constant; labels \"labels\" as they stand");
  EXPECT_EQ(
      accountOf("cloned.dynamo.20"),
      "the module has 8 parameters, the file 4: 1 tied, 3 merged, 3 split, 0 lost and put back, 0 frozen, 0 "
      "constant; labels \"labels\" as they stand");
  EXPECT_EQ(
      accountOf("merged.dynamo.20"),
      "the module has 16 parameters, the file 12: 0 tied, 4 merged, 4 split, 0 lost and put back, 0 frozen, "
      "0 constant; labels \"y\" as they stand");
  EXPECT_EQ(
      accountOf("buffers.dynamo.20"),
      "the module has 4 parameters, the file 4: 0 tied, 0 merged, 0 split, 0 lost and put back, 0 frozen, 3 "
      "constant; labels \"y\" as they stand");
  EXPECT_EQ(
      accountOf("zero_biases.dynamo.23"),
      "the module has 11 parameters, the file 8: 0 tied, 0 merged, 0 split, 3 lost and put back, 0 frozen, 0 "
      "constant; labels \"y\" as they stand");
  TrainingOptions frozen;
  frozen.freeze = {"^layers"};
  EXPECT_EQ(
      accountOf("merged.dynamo.20.raw", frozen),
      "the module has 16 parameters, the file 16: 0 tied, 0 merged, 0 split, 0 lost and put back, 4 frozen, "
      "0 constant; labels \"y\" as they stand");
}

TEST(OnnxAccount, saysHowLabelsAreRead) {
  EXPECT_TRUE(accountOf("shifted.dynamo.18").ends_with("; labels \"labels\" shifted by 1"));
  EXPECT_TRUE(accountOf("mlp_mse.dynamo.23").ends_with("; no labels"));
}

TEST(OnnxAccount, saysThatItDoesNotKnow) {
  EXPECT_TRUE(
      accountOf("merged.script.17").starts_with("how many parameters the module has is unknown, the file "));
  EXPECT_NE(
      accountOf("gpt2.dynamo.18").find("(the file lacks its calls: of tied and unread ones some may be"),
      std::string::npos);
}

/// `x * gain` and `loss * exp(-variance) + variance` leave nothing in the file if gain and variance have
/// their initial values.
TEST(OnnxAccount, refusesFilesThatDoNotBalance) {
  Result<OnnxDescription> description = describeFixture("vanished.dynamo.20");
  ASSERT_FALSE(description);
  EXPECT_EQ(description.status().code(), ExitCode::BadInput);
  const std::string &message = description.status().message();
  EXPECT_TRUE(
      message.ends_with("the module has 4 parameters, and the exporter's optimiser merged or computed away 2 "
                        "that cannot be found again; export with optimize=False:\n  gain\n  variance"))
      << message;
}

/// A tied weight is transposed for the second layer, "%t". The record of its sources shows this, and that it
/// is not the bias which was dropped there.
TEST(OnnxAccount, takesATurnedWeightForNoBias) {
  EXPECT_EQ(
      accountOf("../../exports/sample/tied-autoencoder/model"),
      "the module has 3 parameters, the file 1: 0 tied, 0 merged, 0 split, 2 lost and put back, 0 frozen, 0 "
      "constant; no labels");
}

/// The model after a simplifier: two norms with initial values follow rows of a lookup, without marks and
/// modules.
ModelMaker simplified(float last) {
  ModelMaker maker(18);
  maker.input("x", {-1, 2});
  maker.weight("n.weight", {2}, {1, last});
  maker.weight("embedding_1", {1, 2}, {3, 4});
  maker.node("Add", {"x", "embedding_1"}, "placed", "node_add");
  maker.node("MatMul", {"placed", "fc.weight"}, "h", "node_matmul");
  maker.weight("fc.weight", {2, 2}, {1, 2, 3, 4});
  maker.node("LayerNormalization", {"h", "n.weight"}, "a", "node_norm");
  maker.node("LayerNormalization", {"a", "n.weight"}, "b", "node_norm_1");
  maker.loss("ReduceMean", "b");
  maker.graph().mutable_node()->rbegin()->set_name("node_mean");
  return maker;
}

TEST(OnnxAccount, refusesFreshParametersThatAToolMayHaveMerged) {
  Result<OnnxDescription> description = describeModel(simplified(1));
  ASSERT_FALSE(description);
  EXPECT_TRUE(description.status().message().ends_with("that the module shares one:\n  n.weight"))
      << description.status().message();
  EXPECT_TRUE(describeModel(simplified(2))) << "trained, and so no chance";
  OnnxOptions options;
  options.ties = {{"n.weight", "n.weight"}};
  description = describeModel(simplified(1), options);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_TRUE(description->account.starts_with("how many parameters the module has is unknown"));
}

/// x -> a linear layer -> the mean. The module also has a parameter `unread`. `call` is the record of the
/// call of the mean.
std::string errorWith(const std::string &call) {
  ModelMaker maker(20);
  maker.input("x", {-1, 2});
  maker.weight("fc.weight", {2, 2}, {1, 2, 3, 4});
  onnx::wire::Node &product = maker.node("MatMul", {"x", "fc.weight"}, "linear");
  addEntry(product.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
           "%linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, "
           "%p_fc_weight), kwargs = {})");
  maker.loss("ReduceMean", "linear");
  addEntry(maker.graph().mutable_node(1)->mutable_metadata_props(), "pkg.torch.onnx.fx_node",
           "%mean : [num_users=1] = call_function[target=torch.ops.aten." + call + ", kwargs = {})");
  addEntry(maker.graph().mutable_metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature",
           "p_fc_weight: PARAMETER target='fc.weight'\np_unread: PARAMETER target='unread'\nx: USER_INPUT\n");
  Result<OnnxDescription> description = describeModel(maker);
  return description ? "" : description.status().message();
}

/// A parameter that no call names is not read by the loss, unless a computation is missing or another
/// parameter of its kind stands in its place.
TEST(OnnxAccount, knowsWhatIsUnreadFromWhatVanished) {
  EXPECT_EQ(errorWith("mean.default](args = (%linear,)"), "");
  EXPECT_EQ(errorWith("mean.default](args = (%view_3,)"), "");
  for (const char *call : {"mean.default](args = (%mul_1,)", "mean.default](args = (%linear_1,)",
                           "mean.default](args = (%p_unread,)", "cat.default](args = ([%linear, %exp],)"})
    EXPECT_TRUE(errorWith(call).ends_with("export with optimize=False:\n  unread")) << call;
}

} // namespace
