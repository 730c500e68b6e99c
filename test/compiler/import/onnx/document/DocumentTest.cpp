// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs and the name of the document.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/runtime/training/TemporaryFolder.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

json documentOf(const ModelMaker &maker, const std::string &name = "made.onnx") {
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 4;
  Result<OnnxDescription> description = describeOnnx(folder.write(name, maker.bytes()), training, {});
  EXPECT_TRUE(description) << description.status().message();
  return description ? description->document : json::object();
}

void addLoss(ModelMaker &maker, const std::string &a, const std::string &b) {
  maker.node("Add", {a, b}, "sum");
  maker.loss("ReduceMean", "sum");
}

/// Two tables look up the same rows, and two losses have the same classes, in either order.
TEST(OnnxDocument, idsAreBelowTheLeastThatReadsThem) {
  for (bool smallFirst : {true, false}) {
    ModelMaker tables;
    tables.input("t", {-1}, onnx::DataType::Int64);
    tables.weight("small.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
    tables.weight("large.weight", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    tables.node("Gather", {smallFirst ? "small.weight" : "large.weight", "t"}, "a");
    tables.node("Gather", {smallFirst ? "large.weight" : "small.weight", "t"}, "b");
    addLoss(tables, "a", "b");
    EXPECT_EQ(documentOf(tables)["inputs"]["t"]["bound"], 2);

    ModelMaker classes;
    classes.input("x", {-1, 3});
    classes.input("y", {-1}, onnx::DataType::Int64);
    classes.weight("few.weight", {3, 2}, {1, 2, 3, 4, 5, 6});
    classes.node("MatMul", {"x", "few.weight"}, "few");
    classes.node("SoftmaxCrossEntropyLoss", {smallFirst ? "few" : "x", "y"}, "a");
    classes.node("SoftmaxCrossEntropyLoss", {smallFirst ? "x" : "few", "y"}, "b");
    addLoss(classes, "a", "b");
    EXPECT_EQ(documentOf(classes)["inputs"]["y"]["bound"], 2);
  }
}

void setAxis(onnx::wire::Node &node, int64_t axis) {
  auto *attribute = node.add_attribute();
  attribute->set_name("axis");
  attribute->set_type(2); // an integer
  attribute->set_i(axis);
}

/// Indices pick from any dimension of a table or of data.
TEST(OnnxDocument, idsAreBelowTheDimensionThatTheyPickFrom) {
  for (int64_t axis : {1, -1, 0}) {
    ModelMaker maker;
    maker.input("x", {-1, 3});
    maker.input("t", {-1}, onnx::DataType::Int64);
    maker.input("p", {-1, 1}, onnx::DataType::Int64);
    maker.weight("table.weight", {7, 5}, std::vector<float>(35, 1));
    setAxis(maker.node("Gather", {"table.weight", "t"}, "rows"), axis);
    setAxis(maker.node("GatherElements", {"x", "p"}, "picked"), 1);
    maker.node("ReduceMean", {"rows"}, "mean");
    addLoss(maker, "picked", "mean");
    const nlohmann::json inputs = documentOf(maker)["inputs"];
    EXPECT_EQ(inputs["t"]["bound"], axis == 0 ? 7 : 5);
    EXPECT_EQ(inputs["p"]["bound"], 3);
  }
}

/// Each column of tuples picks from a dimension.
TEST(OnnxDocument, tuplesAreBelowTheDimensionsThatTheyPickFrom) {
  ModelMaker maker;
  maker.input("x", {-1, 3, 5});
  maker.input("p", {-1, 1}, onnx::DataType::Int64);
  maker.input("q", {-1, 1}, onnx::DataType::Int64);
  maker.weight("w", {5}, {1, 2, 3, 4, 5});
  maker.node("Mul", {"x", "w"}, "scaled");
  setAxis(maker.node("Concat", {"p", "q"}, "tuples"), -1);
  maker.node("GatherND", {"scaled", "tuples"}, "picked");
  addLoss(maker, "picked", "picked");
  const json inputs = documentOf(maker)["inputs"];
  EXPECT_EQ(inputs["p"]["bound"], 4);
  EXPECT_EQ(inputs["q"]["bound"], 3);
}

/// Labels that are also looked up are tokens, and none of them is ignored.
TEST(OnnxDocument, labelsThatAreLookedUpAreTokens) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.input("y", {-1}, onnx::DataType::Int64);
  maker.weight("table.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.node("Gather", {"table.weight", "y"}, "row");
  maker.node("Add", {"x", "row"}, "scores");
  maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "loss");
  maker.output("loss");
  const json document = documentOf(maker);
  EXPECT_EQ(document["inputs"]["y"], json({{"role", "tokens"}, {"bound", 2}, {"shape", {"B"}}}));
}

/// Stored scales and shifts that differ from each other start at 1 and 0 without the file's weights.
TEST(OnnxDocument, normsStartAsPyTorchMakesThem) {
  const auto begin = [](int64_t operatorSet) {
    ModelMaker maker(operatorSet);
    maker.input("x", {-1, 4, 3, 3});
    maker.weight("norm.weight", {4}, {1, 2, 3, 4});
    maker.weight("norm.bias", {4}, {0, 1, 2, 3});
    return maker;
  };
  const auto expectInitial = [](ModelMaker &maker, const char *form) {
    maker.loss("ReduceSum", "y");
    const json params = documentOf(maker)["params"];
    EXPECT_EQ(params["norm.weight"]["init"], 1) << form;
    EXPECT_EQ(params["norm.bias"]["init"], 0) << form;
  };
  for (const char *op : {"InstanceNormalization", "GroupNormalization"}) {
    ModelMaker maker = begin(21);
    onnx::wire::Node &norm = maker.node(op, {"x", "norm.weight", "norm.bias"}, "y");
    if (op == std::string("GroupNormalization"))
      setAttribute(norm, "num_groups", int64_t(2));
    expectInitial(maker, op);
  }
  // As exporters write a group norm that has no operator.
  ModelMaker maker = begin(18);
  maker.weight("ones", {2}, {1, 1});
  maker.weight("zeros", {2}, {0, 0});
  maker.integers("grouped", {3}, {-1, 2, 18});
  maker.integers("image", {4}, {-1, 4, 3, 3});
  maker.integers("behind", {2}, {1, 2});
  const std::string call =
      "%y : [num_users=1] = call_function[target=torch.ops.aten.group_norm.default](args = "
      "(%x, 2, %p_norm_weight, %p_norm_bias), kwargs = {})";
  for (const auto &[op, inputs, output] :
       std::vector<std::tuple<const char *, std::vector<std::string>, const char *>>{
           {"Reshape", {"x", "grouped"}, "rows"},
           {"InstanceNormalization", {"rows", "ones", "zeros"}, "normed"},
           {"Reshape", {"normed", "image"}, "again"},
           {"Unsqueeze", {"norm.weight", "behind"}, "scale"},
           {"Unsqueeze", {"norm.bias", "behind"}, "shift"},
           {"Mul", {"again", "scale"}, "scaled"},
           {"Add", {"scaled", "shift"}, "y"}})
    addEntry(maker.node(op, inputs, output).mutable_metadata_props(), "pkg.torch.onnx.fx_node", call);
  expectInitial(maker, "in parts");
}

/// The name of a file may be no UTF-8, and JSON must be.
TEST(OnnxDocument, hasANameInUtf8) { EXPECT_EQ(documentOf(linearModel(), "a\xff.onnx")["name"], "a\uFFFD"); }

/// Layers that norm their sums, as PyTorch's encoder layers do: a layer takes the result of a norm, and the
/// first one takes another value, or an input. Each looks at its tokens in another order meanwhile.
TEST(OnnxDocument, findsLayersThatNormTheirSums) {
  for (const bool isInput : {false, true}) {
    ModelMaker maker;
    maker.input(isInput ? "h0" : "x", {-1, 3, 2});
    maker.weight("place", {3, 2}, {1, 2, 3, 4, 5, 6});
    if (!isInput)
      maker.node("Add", {"x", "place"}, "h0");
    constexpr int kLayers = 3;
    for (int i = 0; i < kLayers; ++i) {
      const std::string at = std::to_string(i), layer = "layers." + at + ".";
      maker.weight(layer + "weight", {2, 2}, {1, 2, 3, 4});
      maker.weight(layer + "norm.weight", {2}, {1, 2});
      maker.weight(layer + "norm.bias", {2}, {1, 2});
      setAttribute(maker.node("Transpose", {"h" + at}, "turned" + at), "perm", std::vector<int64_t>{1, 0, 2});
      maker.node("MatMul", {"turned" + at, layer + "weight"}, "product" + at);
      setAttribute(maker.node("Transpose", {"product" + at}, "back" + at), "perm",
                   std::vector<int64_t>{1, 0, 2});
      maker.node("Add", {"h" + at, "back" + at}, "sum" + at);
      maker.node("LayerNormalization", {"sum" + at, layer + "norm.weight", layer + "norm.bias"},
                 "h" + std::to_string(i + 1));
    }
    maker.loss("ReduceMean", "h" + std::to_string(kLayers));
    const json document = documentOf(maker);
    ASSERT_TRUE(document.contains("blocks")) << document.dump(1);
    EXPECT_EQ(document["blocks"]["layers"]["params"].size(), 3u);
  }
}

} // namespace
