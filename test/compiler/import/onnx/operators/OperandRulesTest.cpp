// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands and sizes that break a rule of their operator are refused, and their neighbours are not.
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

/// A scale of another shape is broadcast along other dimensions, even if it has as many elements.
TEST(OnnxOperandRules, scalesOfNormsLieAlongWhatIsNormalised) {
  const std::vector<std::pair<std::vector<int64_t>, std::string>> cases = {
      {{4}, ""},
      {{1, 4}, ""},
      {{4, 1}, "scale and shift must have the shape 4 of what is normalised, are 4x1"},
      {{2, 2}, "scale and shift must have the shape 4 of what is normalised, are 2x2"},
      {{1}, "scale and shift must have the shape 4 of what is normalised, are 1"}};
  for (const char *op : {"LayerNormalization", "RMSNormalization"})
    for (const auto &[shape, rule] : cases) {
      ModelMaker maker(23);
      maker.input("x", {-1, 4, 4});
      const auto count = static_cast<size_t>(shape.size() == 1 ? shape[0] : shape[0] * shape[1]);
      maker.weight("norm.weight", shape, std::vector<float>(count, 2));
      maker.node(op, {"x", "norm.weight"}, "y");
      maker.loss("ReduceSum", "y");
      EXPECT_EQ(errorOf(maker), rule.empty() ? "" : "node \"/y\" (" + std::string(op) + "): " + rule);
    }
}

/// The exporter writes a pool with divisor_override like one without it.
TEST(OnnxOperandRules, poolsDivideByTheSizeOfTheirWindow) {
  const std::string rule = "node \"/y\" (AveragePool): the call has a divisor_override, which ONNX lacks: "
                           "multiply the mean by a number instead";
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"avg_pool2d.default](args = (%x, [3, 3], [2, 2], [1, 1], False, True), kwargs = {})", ""},
      {"avg_pool2d.default](args = (%x, [3, 3], [2, 2], [1, 1], False, True, None), kwargs = {})", ""},
      {"avg_pool2d.default](args = (%x, [3, 3], [2, 2], [1, 1], False, True, 5), kwargs = {})", rule},
      {"avg_pool2d.default](args = (%x, [3, 3]), kwargs = {divisor_override: 5})", rule}};
  for (const auto &[call, error] : calls) {
    ModelMaker maker;
    maker.input("x", {-1, 1, 4, 4});
    maker.weight("scale", {4}, {1, 2, 3, 4});
    maker.node("Mul", {"x", "scale"}, "scaled");
    onnx::wire::Node &pool = maker.node("AveragePool", {"scaled"}, "y");
    setAttribute(pool, "kernel_shape", std::vector<int64_t>{2, 2});
    addEntry(pool.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
             "%y : [num_users=1] = call_function[target=torch.ops.aten." + call);
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker), error) << call;
  }
}

/// The exporter writes an instance norm in training without the running statistics by which it evaluates.
TEST(OnnxOperandRules, instanceNormsHaveNoStatisticsOfTheirOwn) {
  const std::string rule =
      "node \"/y\" (InstanceNormalization): the call has running statistics, by which PyTorch "
      "evaluates and which ONNX lacks: make the norm with track_running_stats=False";
  const std::string begin = "instance_norm.default](args = (%x, %w, %b, ", end = ", True, 0.1, 1e-05, False)";
  const std::vector<std::pair<std::string, std::string>> calls = {
      {begin + "None, None" + end + ", kwargs = {})", ""},
      {begin + "%mean, %var" + end + ", kwargs = {})", rule},
      {"instance_norm.default](args = (%x,), kwargs = {running_mean: %mean, running_var: %var})", rule}};
  for (const auto &[call, error] : calls) {
    ModelMaker maker;
    maker.input("x", {-1, 2, 4, 4});
    maker.weight("norm.weight", {2}, {1, 2});
    maker.weight("norm.bias", {2}, {0, 1});
    onnx::wire::Node &norm = maker.node("InstanceNormalization", {"x", "norm.weight", "norm.bias"}, "y");
    addEntry(norm.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
             "%y : [num_users=1] = call_function[target=torch.ops.aten." + call);
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker), error) << call;
  }
}

/// Part `at` of 4 columns that are split by `sizes`; one size for all parts if `isList` is false.
ModelMaker partOf(const std::vector<int64_t> &sizes, bool isList, int64_t at) {
  ModelMaker maker;
  maker.input("x", {-1, 4});
  maker.weight("scale", {4}, {1, 2, 3, 4});
  maker.integers("sizes", isList ? std::vector<int64_t>{std::ssize(sizes)} : std::vector<int64_t>{}, sizes);
  maker.integers("at", {}, {at});
  maker.node("Mul", {"x", "scale"}, "scaled");
  setAttribute(maker.node("SplitToSequence", {"scaled", "sizes"}, "parts"), "axis", int64_t(1));
  maker.node("SequenceAt", {"parts", "at"}, "y");
  maker.loss("ReduceSum", "y");
  return maker;
}

TEST(OnnxOperandRules, partsOfASequenceAreTheWhole) {
  struct Case {
    std::vector<int64_t> sizes;
    bool isList;
    int64_t at;
    std::string rule;
  };
  const std::vector<Case> cases = {
      {{0}, false, 0, "the size of all parts must be positive, is 0"},
      {{-1}, false, 0, "the size of all parts must be positive, is -1"},
      {{3}, false, 2, "takes part 2 of 2"},
      {{-3, 2, 5}, true, 0, "sizes of parts must be from 0, and 4 together; part 0 of -3 begins at 0"},
      {{1, 1}, true, 0, "sizes of parts must be 4 together, are 2"},
      {{3, 2}, true, 0, "sizes of parts must be from 0, and 4 together; part 1 of 2 begins at 3"},
      {{1, 3}, true, -3, "takes part -3 of 2"}};
  for (const Case &wrong : cases)
    EXPECT_EQ(errorOf(partOf(wrong.sizes, wrong.isList, wrong.at)),
              "node \"/y\" (SequenceAt): " + wrong.rule);
}

TEST(OnnxOperandRules, partsOfASequenceAreSlices) {
  struct Case {
    std::vector<int64_t> sizes;
    bool isList;
    int64_t at, begin, end;
  };
  for (const Case &sound : {Case{{3}, false, 0, 0, 3}, {{3}, false, -1, 3, 4}, {{1, 0, 3}, true, 2, 1, 4}}) {
    Result<OnnxDescription> description = describeModel(partOf(sound.sizes, sound.isList, sound.at));
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    const auto slice =
        std::find_if(ops.begin(), ops.end(), [](const json &op) { return op["op"] == "slice"; });
    ASSERT_NE(slice, ops.end());
    EXPECT_EQ((*slice)["starts"], json({sound.begin}));
    EXPECT_EQ((*slice)["ends"], json({sound.end}));
  }
}

TEST(OnnxOperandRules, elementsAreGatheredAlongADimension) {
  struct Case {
    std::vector<int64_t> data, indices;
    int64_t axis;
    std::string rule;
  };
  const std::vector<Case> cases = {
      {{-1, 3}, {-1, 2}, 1, ""},
      {{-1, 3}, {-1, 5}, -1, ""},
      {{-1, 3}, {-1, 2}, 1000000000, "an axis must be from -2 to 1, is 1000000000"},
      {{-1, 3}, {-1, 5}, 0, "indices must lie within the data, 4x3, but for dimension 0, are 4x5"}};
  for (const Case &one : cases) {
    ModelMaker maker;
    maker.input("x", one.data);
    maker.input("places", one.indices, onnx::DataType::Int64);
    maker.weight("scale", {3}, {1, 2, 3});
    maker.node("Mul", {"x", "scale"}, "scaled");
    setAttribute(maker.node("GatherElements", {"scaled", "places"}, "y"), "axis", one.axis);
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker), one.rule.empty() ? "" : "node \"/y\" (GatherElements): " + one.rule);
  }
  ModelMaker number = linearModel();
  number.integers("place", {}, {0});
  number.node("GatherElements", {"place", "place"}, "taken");
  number.output("taken");
  EXPECT_EQ(errorOf(number), "node \"/taken\" (GatherElements): a number has no axis 0");
}

TEST(OnnxOperandRules, headsOfARotationDivideTheColumns) {
  for (int64_t heads : {2, 8}) {
    ModelMaker maker(23);
    maker.input("x", {-1, 3, 4});
    maker.weight("scale", {4}, {1, 2, 3, 4});
    maker.input("cosines", {-1, 3, 1});
    maker.input("sines", {-1, 3, 1});
    maker.node("Mul", {"x", "scale"}, "scaled");
    setAttribute(maker.node("RotaryEmbedding", {"scaled", "cosines", "sines"}, "y"), "num_heads", heads);
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker),
              heads == 2 ? "" : "node \"/y\" (RotaryEmbedding): num_heads must divide the columns");
  }
}

TEST(OnnxOperandRules, aRangeIsOfOneType) {
  for (bool isMixed : {false, true}) {
    ModelMaker maker;
    maker.input("x", {-1, 3});
    maker.integers("start", {}, {0});
    maker.integers("limit", {}, {3});
    maker.integers("whole", {}, {1});
    maker.weight("real", {}, {1});
    maker.node("Range", {"start", "limit", isMixed ? "real" : "whole"}, "places");
    setAttribute(maker.node("Cast", {"places"}, "reals"), "to", static_cast<int64_t>(onnx::DataType::Float));
    maker.node("Mul", {"x", "reals"}, "y");
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker),
              isMixed
                  ? "node \"/places\" (Range): start, limit and step must be of one type, are int64 and float"
                  : "");
  }
}

/// Where the lower bound is above the upper one, every element is the upper one.
TEST(OnnxOperandRules, aClipMayHaveItsBoundsInAnyOrder) {
  for (float high : {3.0F, 1.0F}) {
    ModelMaker maker;
    maker.input("x", {-1, 3});
    maker.weight("scale", {3}, {1, 2, 3});
    maker.weight("low", {}, {2});
    maker.weight("high", {}, {high});
    maker.node("Mul", {"x", "scale"}, "scaled");
    maker.node("Clip", {"scaled", "low", "high"}, "y");
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker), "") << high;
  }
}

/// An operation of integers, for people: "min 10" for one that is bounded by 10.
std::vector<std::string> boundsWritten(const ModelMaker &maker) {
  Result<OnnxDescription> description = describeModel(maker);
  EXPECT_TRUE(description) << description.status().message();
  std::vector<std::string> bounds;
  std::map<std::string, int64_t> constants;
  if (description)
    for (const nlohmann::json &op : description->document["ops"]) {
      if (op["op"] == "constant" && op.value("type", "") == "i32")
        constants[op["out"]] = op["value"];
      if (op["op"] == "min" || op["op"] == "max")
        bounds.push_back(op["op"].get<std::string>() + " " + std::to_string(constants.at(op["in"][1])));
    }
  return bounds;
}

TEST(OnnxOperandRules, aClipOfIntegersIsAMinimumAndAMaximum) {
  using Texts = std::vector<std::string>;
  for (const auto &[inputs, bounds] :
       std::vector<std::pair<Texts, Texts>>{{{"t", "two", "ten"}, {"min 10", "max 2"}},
                                            {{"t", "ten", "two"}, {"min 2", "max 2"}},
                                            {{"t", "two"}, {"max 2"}},
                                            {{"t", "", "ten"}, {"min 10"}},
                                            {{"t", "least", "most"}, {"min 2147483647", "max -2147483648"}},
                                            {{"t"}, {}}}) {
    ModelMaker maker;
    maker.input("t", {-1, 3}, onnx::DataType::Int64);
    maker.weight("scale", {3}, {1, 2, 3});
    for (const auto &[name, value] :
         {std::pair("two", int64_t(2)), {"ten", 10}, {"least", INT64_MIN}, {"most", INT64_MAX}})
      maker.integers(name, {}, {value});
    maker.node("Clip", inputs, "clipped");
    setAttribute(maker.node("Cast", {"clipped"}, "reals"), "to", static_cast<int64_t>(onnx::DataType::Float));
    maker.node("Mul", {"reals", "scale"}, "y");
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(boundsWritten(maker), bounds);
  }
}

} // namespace
