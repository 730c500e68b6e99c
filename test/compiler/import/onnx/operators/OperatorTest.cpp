// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of single operators: the operations that a node becomes, and errors with its name.
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

std::string errorOf(const ModelMaker &maker) {
  Result<OnnxDescription> description = describeModel(maker);
  const std::string message = description ? "" : description.status().message();
  return message.substr(std::min(message.size(), message.find(": ") + 2));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// A transposed convolution of 8 elements and a window of 3, with strides of 2, gives 17 elements, of which
/// 16 are wanted.
ModelMaker transposedModel(const std::string &autoPad) {
  ModelMaker maker;
  maker.input("x", {-1, 1, 8});
  maker.weight("k.weight", {1, 1, 3}, {1, 2, 3});
  auto &node = maker.node("ConvTranspose", {"x", "k.weight"}, "y");
  setAttribute(node, "strides", std::vector<int64_t>{2});
  if (autoPad.empty())
    setAttribute(node, "output_shape", std::vector<int64_t>{16});
  else
    setAttribute(node, "auto_pad", autoPad);
  maker.loss("ReduceSum", "y");
  return maker;
}

/// ONNX defines: "If (auto_pads == SAME_UPPER) start = total / 2; else start = total - total / 2".
TEST(OnnxOperator, oddPaddingOfATransposedConvolutionStandsBefore) {
  for (auto [autoPad, pads] : {std::pair("", json({1, 0})), std::pair("SAME_LOWER", json({1, 0})),
                               std::pair("SAME_UPPER", json({0, 1}))}) {
    Result<OnnxDescription> description = describeModel(transposedModel(autoPad));
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["ops"][0]["pads"], pads) << autoPad;
  }
}

TEST(OnnxOperator, transposedConvolutionsKnowTheirPadding) {
  EXPECT_EQ(errorOf(transposedModel("bogus")),
            "node \"/y\" (ConvTranspose): auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, is "
            "\"bogus\"");
}

//===----------------------------------------------------------------------===//
// Empty tensors and missing inputs
//===----------------------------------------------------------------------===//

TEST(OnnxOperator, nothingHasNoMean) {
  for (const char *op :
       {"LayerNormalization", "RMSNormalization", "InstanceNormalization", "GroupNormalization"}) {
    const bool isOfChannels = std::string(op).starts_with("I") || std::string(op).starts_with("G");
    ModelMaker maker(23);
    maker.input("x", isOfChannels ? std::vector<int64_t>{-1, 2, 0} : std::vector<int64_t>{-1, 0});
    maker.weight("scale", {isOfChannels ? 2 : 0}, std::vector<float>(isOfChannels ? 2 : 0, 1));
    std::vector<std::string> inputs = {"x", "scale"};
    if (isOfChannels)
      inputs.push_back("scale");
    maker.node(op, inputs, "y");
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker), "node \"/y\" (" + std::string(op) + "): input 0 must have elements, is " +
                                  (isOfChannels ? "4x2x0" : "4x0"));
  }
}

TEST(OnnxOperator, nothingIsNoFactor) {
  ModelMaker maker;
  maker.input("x", {-1, 0});
  maker.weight("fc.weight", {0, 3}, {});
  maker.node("MatMul", {"x", "fc.weight"}, "y");
  maker.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(maker), "node \"/y\" (MatMul): input 0 must have elements, is 4x0");
}

TEST(OnnxOperator, nothingIsCopied) {
  ModelMaker maker;
  maker.input("x", {-1, 0});
  maker.integers("repeats", {2}, {1, 2});
  maker.node("Tile", {"x", "repeats"}, "y");
  maker.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(maker), "node \"/y\" (Tile): input 0 must have elements, is 4x0");
}

TEST(OnnxOperator, aNumberHasNoAxisToResize) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.loss("ReduceSum", "x");
  maker.weight("scales", {1}, {2});
  setAttribute(maker.node("Resize", {"loss", "", "scales"}, "y"), "axes", std::vector<int64_t>{0});
  maker.output("y");
  EXPECT_EQ(errorOf(maker), "node \"/y\" (Resize): a number has no axis 0");
}

/// RoBERTa takes types of tokens from a buffer of integers, at places that depend on data.
TEST(OnnxOperator, integersAreTakenAsNumbers) {
  ModelMaker maker;
  maker.input("x", {-1, 2}, onnx::DataType::Int64);
  maker.integers("types", {4, 3}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  maker.weight("table.weight", {3, 2}, {1, 2, 3, 4, 5, 6});
  auto *axis = maker.node("GatherElements", {"types", "x"}, "taken").add_attribute();
  axis->set_name("axis");
  axis->set_type(2); // an integer
  axis->set_i(1);
  maker.node("Gather", {"table.weight", "taken"}, "y");
  maker.loss("ReduceSum", "y");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  const json &ops = description->document["ops"];
  auto taken =
      std::find_if(ops.begin(), ops.end(), [](const json &op) { return op["op"] == "gather_elements"; });
  ASSERT_NE(taken, ops.end());
  EXPECT_EQ((taken - 1)->at("type"), "f32");
  EXPECT_EQ((taken + 1)->at("type"), "i32");
  EXPECT_EQ((taken + 1)->at("in"), json::array({taken->at("out")}));
}

/// The names of weights come from the nodes around them.
TEST(OnnxOperator, reshapesOfNothingAreNoGroupNorm) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("onnx::Mul_7", {2}, {1, 2});
  maker.node("Reshape", {}, "r", "/m/Reshape");
  maker.node("Mul", {"r", "onnx::Mul_7"}, "y", "/m/Mul");
  maker.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(maker), "node \"/m/Reshape\" (Reshape) in m: must have 2 inputs, has 0");
}

TEST(OnnxOperator, lookupsHaveATable) {
  ModelMaker nothing;
  nothing.input("x", {-1, 2});
  nothing.node("Gather", {}, "y");
  nothing.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(nothing), "node \"/y\" (Gather): must have 2 inputs, has 0");
  ModelMaker number;
  number.input("x", {-1, 2}, onnx::DataType::Int64);
  number.weight("fc.weight", {}, {1});
  number.node("Gather", {"fc.weight", "x"}, "y");
  number.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(number), "node \"/y\" (Gather): a number has no axis 0");
}

/// The biases of layers show which layers exporters folded into them.
TEST(OnnxOperator, biasesStandBesideWeights) {
  auto modelOf = [](const std::vector<std::string> &inputs) {
    ModelMaker maker;
    maker.input("x", {-1, 1, 8});
    maker.weight("onnx::Conv_1", {1, 1, 3}, {1, 2, 3});
    maker.weight("onnx::Conv_2", {1}, {1});
    maker.node("Conv", inputs, "y");
    maker.loss("ReduceSum", "y");
    return maker;
  };
  EXPECT_EQ(errorOf(modelOf({"x", "", "onnx::Conv_2"})), "node \"/y\" (Conv): input 1 must be given");
  EXPECT_EQ(errorOf(modelOf({"x", "onnx::Conv_1", ""})), "");
}

TEST(OnnxOperator, nodesHaveAFirstResult) {
  for (const std::vector<std::string> &results : {std::vector<std::string>{}, {""}, {"", "b"}}) {
    ModelMaker maker = linearModel();
    onnx::wire::Node &node = maker.node("Split", {"x"}, "a", "/split");
    node.clear_output();
    for (const std::string &result : results)
      node.add_output(result);
    EXPECT_EQ(errorOf(maker), "node \"/split\" (Split): must have a first result, has none");
  }
}

/// All errors are reported at once.
TEST(OnnxOperator, nodesWithoutTheirInputsAreListed) {
  ModelMaker maker = linearModel();
  maker.node("Add", {"x"}, "a");
  maker.node("Add", {"x"}, "b");
  maker.node("LSTM", {"x"}, "c");
  EXPECT_EQ(errorOf(maker), "operators that are not supported:\n"
                            "  Add, 2 nodes: must have 2 inputs, has 1\n"
                            "    node \"/a\" (Add)\n"
                            "    node \"/b\" (Add)\n"
                            "  LSTM, 1 node\n"
                            "    node \"/c\" (LSTM)\n"
                            "  docs/onnx.md says which are, and how to export so that a file has no others");
}

TEST(OnnxOperator, modelsHaveAnInput) {
  ModelMaker maker;
  maker.weight("fc.weight", {2, 2}, {1, 2, 3, 4});
  maker.node("MatMul", {"fc.weight", "fc.weight"}, "y");
  maker.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(maker), "must have an input, whose first dimension is the batch, and has none");
}

//===----------------------------------------------------------------------===//
// Known values, indices and results
//===----------------------------------------------------------------------===//

const json *findOp(const json &ops, const std::string &key, const json &value) {
  const auto found =
      std::ranges::find_if(ops, [&](const json &op) { return op.contains(key) && op.at(key) == value; });
  return found == ops.end() ? nullptr : &*found;
}

/// Inputs are checked before the run; what is computed from them may count from the end of a table.
TEST(OnnxOperator, computedIndicesMayBeNegative) {
  for (bool isComputed : {false, true}) {
    ModelMaker maker;
    maker.input("x", {-1, 2}, onnx::DataType::Int64);
    maker.integers("one", {}, {1});
    maker.weight("table.weight", {3, 2}, {1, 2, 3, 4, 5, 6});
    maker.node("Sub", {"x", "one"}, "before");
    maker.node("Gather", {"table.weight", isComputed ? "before" : "x"}, "y");
    maker.loss("ReduceSum", "y");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    const json *lookup = findOp(ops, "op", "embedding");
    ASSERT_TRUE(lookup);
    const json *rows = findOp(ops, "out", lookup->at("in")[1]);
    EXPECT_EQ(rows && rows->at("op") == "where", isComputed) << ops.dump(1);
  }
}

TEST(OnnxOperator, relusOfKnownIntegersAreKnown) {
  ModelMaker maker;
  maker.input("x", {-1, 4});
  maker.integers("numbers", {4}, {-2, -1, 0, 1});
  maker.weight("table.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.node("Relu", {"numbers"}, "rows");
  maker.node("Gather", {"table.weight", "rows"}, "taken");
  maker.node("MatMul", {"x", "taken"}, "y");
  maker.loss("ReduceSum", "y");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  const json &ops = description->document["ops"];
  EXPECT_TRUE(findOp(ops, "value", json({0, 0, 0, 1}))) << ops.dump(1);
}

/// An operator of real numbers is not computed of integers.
TEST(OnnxOperator, exponentialsOfIntegersAreRefused) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.integers("numbers", {2}, {1, 2});
  maker.node("Exp", {"numbers"}, "powers");
  maker.node("Add", {"x", "powers"}, "y");
  maker.loss("ReduceSum", "y");
  EXPECT_EQ(errorOf(maker), "node \"/powers\" (Exp): must be floating-point numbers");
}

/// As PyTorch's norm: the derivative of the root is not asked for where it is infinite.
TEST(OnnxOperator, aLengthOfZeroHasNoGradient) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("scale", {2}, {1, 2});
  maker.node("Mul", {"x", "scale"}, "scaled");
  maker.node("ReduceL2", {"scaled"}, "y");
  maker.loss("ReduceSum", "y");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  const json &ops = description->document["ops"];
  const json *root = findOp(ops, "op", "sqrt");
  ASSERT_TRUE(root) << ops.dump(1);
  const json *under = findOp(ops, "out", root->at("in")[0]);
  ASSERT_TRUE(under && under->at("op") == "where") << ops.dump(1);
  const json *length = findOp(ops, "in", {under->at("in")[0], under->at("in")[1], root->at("out")});
  EXPECT_FALSE(length) << "1 where the sum is 0";
  EXPECT_EQ(findOp(ops, "op", "equal")->at("out"), under->at("in")[0]);
}

/// Scales are f32, in which 6 / 1.2 and 10 * 0.7 are whole.
TEST(OnnxOperator, scalesAreMultipliedAsF32) {
  for (auto [scale, in, out, to, from] :
       {std::tuple(1.2F, 6, 7, 6, 5), std::tuple(0.7F, 10, 7, 6, 8), std::tuple(2.3F, 10, 23, 22, 9)}) {
    ModelMaker maker;
    maker.input("x", {-1, 1, in});
    onnx::wire::Attribute &value = addAttribute(maker.node("Constant", {}, "scales"), "value_floats", 6);
    for (float each : {1.0F, 1.0F, scale})
      value.add_floats(each);
    auto &node = maker.node("Resize", {"x", "", "scales"}, "y");
    setAttribute(node, "mode", "nearest");
    setAttribute(node, "coordinate_transformation_mode", "asymmetric");
    setAttribute(node, "nearest_mode", "floor");
    maker.loss("ReduceSum", "y");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const json *matrix = findOp(description->document["ops"], "op", "constant");
    ASSERT_TRUE(matrix);
    ASSERT_EQ(matrix->at("value").size(), static_cast<size_t>(out)) << scale;
    EXPECT_EQ(matrix->at("value")[static_cast<size_t>(to)][static_cast<size_t>(from)], 1) << scale;
  }
}

/// The last parts of a split need no names.
TEST(OnnxOperator, aSplitMayLeaveOutItsLastParts) {
  ModelMaker maker(18);
  maker.input("x", {-1, 6});
  auto &node = maker.node("Split", {"x"}, "a");
  node.add_output("b");
  setAttribute(node, "axis", int64_t(1));
  setAttribute(node, "num_outputs", int64_t(3));
  maker.node("Mul", {"a", "b"}, "y");
  maker.loss("ReduceSum", "y");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  const json &ops = description->document["ops"];
  EXPECT_TRUE(findOp(ops, "ends", {2}) && findOp(ops, "ends", {4})) << ops.dump(1);
}

/// Exporters may name all results of ONNX's attention.
TEST(OnnxOperator, onlyTheFirstResultOfAttentionIsMade) {
  for (bool isRead : {false, true}) {
    ModelMaker maker(23);
    maker.input("x", {-1, 2, 3, 4});
    maker.weight("scale", {4}, {1, 2, 3, 4});
    maker.node("Mul", {"x", "scale"}, "q");
    auto &node = maker.node("Attention", {"q", "x", "x"}, "mixed");
    for (const char *name : {"keys", "values", "scores"})
      node.add_output(name);
    maker.node("Add", {"mixed", isRead ? "keys" : "x"}, "y");
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker),
              isRead ? "node \"/mixed\" (Attention): only its first result is supported" : "");
  }
}

/// A second reader of dropped probabilities reads the same ones.
TEST(OnnxOperator, probabilitiesThatAreReadTwiceAreDroppedOnce) {
  for (bool isReadTwice : {false, true}) {
    ModelMaker maker;
    maker.input("q", {-1, 2, 3, 4});
    maker.input("k", {-1, 2, 4, 3});
    maker.input("v", {-1, 2, 3, 4});
    maker.weight("ratio", {}, {0.5});
    maker.weight("scale", {4}, {1, 2, 3, 4});
    auto *training = maker.graph().add_initializer();
    training->set_name("training");
    training->set_data_type(static_cast<int>(onnx::DataType::Bool));
    training->set_raw_data(std::string(1, '\1'));
    maker.node("Mul", {"q", "scale"}, "scaled");
    maker.node("MatMul", {"scaled", "k"}, "scores");
    setAttribute(maker.node("Softmax", {"scores"}, "p"), "axis", int64_t(-1));
    maker.node("Dropout", {"p", "ratio", "training"}, "dropped");
    maker.node("MatMul", {"dropped", "v"}, "mixed");
    maker.node("ReduceSum", {"mixed"}, "a");
    maker.node("ReduceSum", {isReadTwice ? "dropped" : "mixed"}, "b");
    maker.node("Add", {"a", "b"}, "y");
    maker.loss("ReduceSum", "y");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    EXPECT_EQ(findOp(ops, "op", "attention") != nullptr, !isReadTwice) << ops.dump(1);
    EXPECT_EQ(findOp(ops, "op", "dropout") != nullptr, isReadTwice) << ops.dump(1);
  }
}

/// F.logsigmoid: the sigmoid of -200 rounds to 0, whose logarithm has no gradient.
TEST(OnnxOperator, theLogarithmOfASigmoidIsStable) {
  for (const char *inner : {"Sigmoid", "Tanh"}) {
    ModelMaker maker;
    maker.input("x", {-1, 2});
    maker.weight("scale", {2}, {1, 2});
    maker.node("Mul", {"x", "scale"}, "scaled");
    maker.node(inner, {"scaled"}, "share");
    maker.node("Log", {"share"}, "y");
    maker.loss("ReduceSum", "y");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    const bool isSigmoid = std::string(inner) == "Sigmoid";
    EXPECT_EQ(findOp(ops, "op", "log") == nullptr, isSigmoid) << ops.dump(1);
    const json *softplus = findOp(ops, "op", "softplus");
    ASSERT_EQ(softplus != nullptr, isSigmoid) << ops.dump(1);
    if (isSigmoid) {
      EXPECT_EQ(findOp(ops, "out", softplus->at("in")[0])->at("op"), "neg");
      EXPECT_EQ(findOp(ops, "in", json::array({softplus->at("out")}))->at("op"), "neg");
    }
  }
}

/// F.binary_cross_entropy_with_logits of TorchScript: 1 - sigmoid rounds to 0 from 17 on.
TEST(OnnxOperator, theLogarithmOfTheRestOfASigmoidIsStable) {
  for (float whole : {1.0f, 2.0f}) {
    ModelMaker maker;
    maker.input("x", {-1, 2});
    maker.weight("scale", {2}, {1, 2});
    addAttribute(maker.node("Constant", {}, "whole"), "value_float", 1).set_f(whole);
    maker.node("Mul", {"x", "scale"}, "scaled");
    maker.node("Sigmoid", {"scaled"}, "share");
    maker.node("Sub", {"whole", "share"}, "rest");
    maker.node("Log", {"rest"}, "y");
    maker.loss("ReduceSum", "y");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    EXPECT_EQ(findOp(ops, "op", "log") == nullptr, whole == 1) << ops.dump(1);
    const json *softplus = findOp(ops, "op", "softplus");
    ASSERT_EQ(softplus != nullptr, whole == 1) << ops.dump(1);
    if (softplus) {
      EXPECT_NE(findOp(ops, "out", softplus->at("in")[0])->at("op"), "neg");
      EXPECT_EQ(findOp(ops, "in", json::array({softplus->at("out")}))->at("op"), "neg");
    }
  }
}

/// Queries that all examples share, as latents of parameters are, stay as they are spelt.
TEST(OnnxOperator, attentionHasQueriesOfEachExample) {
  for (int64_t examples : {1, 4}) {
    ModelMaker maker;
    maker.weight("q", {examples, 2, 3, 4}, std::vector<float>(static_cast<size_t>(examples * 24), 0.5f));
    maker.input("k", {-1, 2, 4, 3});
    maker.input("v", {-1, 2, 3, 4});
    maker.node("MatMul", {"q", "k"}, "scores");
    setAttribute(maker.node("Softmax", {"scores"}, "p"), "axis", int64_t(-1));
    maker.node("MatMul", {"p", "v"}, "y");
    maker.loss("ReduceSum", "y");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    EXPECT_EQ(findOp(ops, "op", "attention") != nullptr, examples == 4) << ops.dump(1);
  }
}

//===----------------------------------------------------------------------===//
// Pow
//===----------------------------------------------------------------------===//

/// ONNX lets a power of floats have an integer exponent.
TEST(OnnxOperator, aPowerMayHaveAnIntegerExponent) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("scale", {2}, {1, 2});
  maker.integers("three", {}, {3});
  maker.node("Mul", {"x", "scale"}, "scaled");
  maker.node("Pow", {"scaled", "three"}, "cube");
  maker.loss("ReduceMean", "cube");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  const json &ops = description->document["ops"];
  const auto power = std::ranges::find_if(ops, [](const json &op) { return op["op"] == "pow"; });
  ASSERT_NE(power, ops.end());
  const auto exponent =
      std::ranges::find_if(ops, [&](const json &op) { return op["out"] == (*power)["in"][1]; });
  ASSERT_NE(exponent, ops.end());
  EXPECT_EQ((*exponent)["value"], 3);
}

} // namespace
