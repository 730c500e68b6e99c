// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms and their parameters in the calls that the newer exporter records.
#include "compiler/import/onnx/repair/NormCalls.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

std::string callOf(const std::string &operation, const std::string &arguments) {
  return "%n : [num_users=1] = call_function[target=torch.ops.aten." + operation + "](args = (" + arguments +
         "), kwargs = {})";
}

onnx::Node nodeOf(const std::string &op, const std::string &operation, const std::string &arguments) {
  onnx::Node node;
  node.op = op;
  node.call = onnx::torchCallOf(callOf(operation, arguments));
  return node;
}

/// Records the module and the call for which a node was written.
void note(onnx::wire::Node &node, const std::string &module, const std::string &call) {
  addEntry(node.mutable_metadata_props(), "pkg.torch.onnx.name_scopes", "['', '" + module + "', 'call']");
  addEntry(node.mutable_metadata_props(), "pkg.torch.onnx.fx_node", call);
}

/// Lists the module's parameters as the newer exporter does, and marks those that are in the file.
void sign(ModelMaker &maker, const std::vector<std::string> &parameters) {
  std::string list = "# inputs\n";
  for (const std::string &name : parameters) {
    std::string traced = "p_" + name;
    std::ranges::replace(traced, '.', '_');
    list += traced + ": PARAMETER target='" + name + "'\n";
    onnx::wire::Value *info = maker.graph().add_value_info();
    info->set_name(name);
    addEntry(info->mutable_metadata_props(), "pkg.torch.export.graph_signature.InputSpec.kind",
             "InputKind.PARAMETER");
  }
  addEntry(maker.graph().mutable_metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature", list);
}

void integers(ModelMaker &maker, const std::string &name, const std::vector<int64_t> &values) {
  onnx::wire::Tensor &tensor = maker.weight(name, {std::ssize(values)}, {});
  tensor.set_data_type(static_cast<int>(onnx::DataType::Int64));
  tensor.set_raw_data(
      std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(int64_t)));
}

/// x -> a layer norm for each (module, the scale and shift of its call). All of them read `a.weight` and
/// `a.bias`.
ModelMaker normsOfOneTensor(const std::vector<std::pair<std::string, std::string>> &norms) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.weight("a.weight", {3}, {1, 1, 1});
  maker.weight("a.bias", {3}, {0, 0, 0});
  std::string last = "x";
  for (const auto &[module, operands] : norms) {
    note(maker.node("LayerNormalization", {last, "a.weight", "a.bias"}, "of_" + module), module,
         callOf("layer_norm.default", "%x, [3], " + operands + ", 1e-05"));
    last = "of_" + module;
  }
  maker.loss("ReduceMean", last);
  return maker;
}

TEST(OnnxNormCalls, operands) {
  EXPECT_EQ(
      operandOfNorm(nodeOf("LayerNormalization", "layer_norm.default", "%x, [3, 4], %p_w, None, 1e-05"), 1),
      "%p_w");
  EXPECT_EQ(
      operandOfNorm(nodeOf("LayerNormalization", "layer_norm.default", "%x, [3, 4], %p_w, None, 1e-05"), 2),
      "None");
  EXPECT_EQ(operandOfNorm(nodeOf("LayerNormalization", "layer_norm.default", "%x, [3, 4]"), 1), "None");
  const onnx::Node batch = nodeOf("BatchNormalization", "_native_batch_norm_legit_functional.default",
                                  "%x, None, None, %m, %v, True");
  EXPECT_EQ(operandOfNorm(batch, 2), "None");
  EXPECT_EQ(operandOfNorm(batch, 3), ""); // a statistic
  EXPECT_EQ(operandOfNorm(nodeOf("Add", "group_norm.default", "%x, 2, %p_w, %p_b"), 1), "%p_b");
  EXPECT_EQ(operandOfNorm(nodeOf("Mul", "group_norm.default", "%x, 2, None, None"), 0), "None");
  EXPECT_EQ(operandOfNorm(nodeOf("InstanceNormalization", "group_norm.default", "%x, 2, %p_w, %p_b"), 1), "");
  EXPECT_EQ(operandOfNorm(nodeOf("Conv", "_native_batch_norm_legit_functional.default", "%x, None, None"), 1),
            "");
  EXPECT_EQ(operandOfNorm(nodeOf("LayerNormalization", "relu.default", "%x"), 1), "");
}

/// A norm without parameters (affine=False) gets ones. The parameters of other norms are still trained.
TEST(OnnxNormCalls, normsWithoutParametersStayFixed) {
  for (const bool isPlain : {true, false}) {
    ModelMaker maker = linearModel();
    for (const char *name : {"val_5", "val_6", "mean", "var"})
      maker.weight(name, {3}, {1, 1, 1});
    note(maker.node("BatchNormalization", {"prediction", "val_5", "val_6", "mean", "var"}, "normed"), "b",
         callOf("batch_norm.default", isPlain ? "%x, None, None" : "%x, %p_b_weight, %p_b_bias"));
    maker.graph().mutable_output(0)->set_name("normed");
    OnnxOptions options;
    options.losses = {"mse"};
    Result<OnnxDescription> description = describeModel(maker, options);
    ASSERT_TRUE(description) << description.status().message();
    for (const char *name : {"b.weight", "b.bias"})
      EXPECT_EQ(description->document["params"].contains(name), !isPlain) << description->report;
    EXPECT_EQ(description->report.find("of a norm without parameters") != std::string::npos, isPlain)
        << description->report;
  }
}

/// The optimiser stores equal vectors once, so that a norm without parameters reads the parameter of another
/// norm.
TEST(OnnxNormCalls, normsWithoutParametersShareNone) {
  ModelMaker maker = normsOfOneTensor({{"a", "%p_a_weight, %p_a_bias"}, {"plain", "None, None"}});
  sign(maker, {"a.weight", "a.bias"});
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(description->document["params"].size(), 2u) << description->report;
  EXPECT_TRUE(description->document["params"].contains("a.weight"));
  EXPECT_NE(description->report.find("of a norm without parameters"), std::string::npos)
      << description->report;
}

/// The signature has the names of both norms. The calls show whether the norms share their parameters.
TEST(OnnxNormCalls, tiedNormsStayTied) {
  for (const bool isTied : {true, false}) {
    ModelMaker maker =
        normsOfOneTensor({{"a", "%p_a_weight, %p_a_bias"},
                          {"b", isTied ? "%p_a_weight, %p_a_bias" : "%p_b_weight, %p_b_bias"}});
    sign(maker, {"a.weight", "a.bias", "b.weight", "b.bias"});
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].size(), isTied ? 2u : 4u) << description->report;
    EXPECT_EQ(description->document["params"].contains("b.weight"), !isTied) << description->report;
  }
}

/// Group norms with initial values, whose weights were folded to one tensor of channels x 1 x 1: the tensor
/// of the first norm, or one that was written for a norm without parameters.
TEST(OnnxNormCalls, foldedGroupNormsHaveParametersOfTheirOwn) {
  for (const auto &[isTied, isOfFirst] :
       {std::pair(true, true), {false, true}, {true, false}, {false, false}}) {
    ModelMaker maker;
    maker.input("x", {-1, 4, 2, 2});
    maker.weight("val_1", {2}, {1, 1});
    maker.weight("val_2", {2}, {0, 0});
    maker.weight("val_3", {4, 1, 1}, {1, 1, 1, 1});
    integers(maker, "val_8", {0, 2, -1});
    integers(maker, "val_9", {-1, 4, 2, 2});
    onnx::wire::Value *info = maker.graph().add_value_info();
    info->set_name("val_3");
    addEntry(info->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from",
             isOfFirst ? "['a.weight', 'val_1']" : "['val_1']");
    std::string last = "x";
    for (const std::string module : {"a", "b"}) {
      const std::string call =
          callOf("group_norm.default", "%x, 2, %p_" + std::string(isTied ? "a" : module) + "_weight, None");
      note(maker.node("Reshape", {last, "val_8"}, module + "1"), module, call);
      note(maker.node("InstanceNormalization", {module + "1", "val_1", "val_2"}, module + "2"), module, call);
      note(maker.node("Reshape", {module + "2", "val_9"}, module + "3"), module, call);
      note(maker.node("Mul", {module + "3", "val_3"}, module + "4"), module, call);
      last = module + "4";
    }
    maker.loss("ReduceMean", last);
    sign(maker, {"a.weight", "b.weight"});
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const nlohmann::json &parameters = description->document["params"];
    EXPECT_EQ(parameters.size(), isTied ? 1u : 2u) << description->report;
    EXPECT_EQ(parameters.contains("b.weight"), !isTied) << description->report;
    ASSERT_TRUE(parameters.contains("a.weight")) << description->report;
    EXPECT_EQ(parameters["a.weight"]["shape"], nlohmann::json({4}));
  }
}

/// A call with a parameter as its argument reads this parameter, whichever node does so for another call.
TEST(OnnxNormCalls, tiedParametersBehindViewsStayTied) {
  for (const bool isTied : {true, false}) {
    ModelMaker maker;
    maker.input("x", {-1, 3, 2});
    maker.weight("a.weight", {3}, {1, 1, 1});
    integers(maker, "axes", {1});
    std::string last = "x";
    for (const std::string module : {"a", "b"}) {
      const std::string call =
          callOf("group_norm.default", "%x, 1, %p_" + std::string(isTied ? "a" : module) + "_weight, None");
      note(maker.node("Unsqueeze", {"a.weight", "axes"}, module + "1"), module, call);
      note(maker.node("Mul", {last, module + "1"}, module + "2"), module, call);
      last = module + "2";
    }
    maker.loss("ReduceMean", last);
    sign(maker, {"a.weight", "b.weight"});
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].contains("b.weight"), !isTied) << description->report;
  }
}

/// An Identity stands for a parameter of its own if the signature has one of its name.
TEST(OnnxNormCalls, identitiesOfSignedFilesAreNoParameters) {
  for (const bool isListed : {true, false}) {
    ModelMaker maker;
    maker.input("x", {-1, 3});
    maker.weight("bias", {3}, {1, 2, 3});
    maker.node("Identity", {"bias"}, "alias");
    maker.node("Add", {"x", "bias"}, "first");
    maker.node("Add", {"first", "alias"}, "second");
    maker.loss("ReduceMean", "second");
    sign(maker, isListed ? std::vector<std::string>{"bias", "alias"} : std::vector<std::string>{"bias"});
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].contains("alias"), isListed) << description->report;
  }
}

} // namespace
