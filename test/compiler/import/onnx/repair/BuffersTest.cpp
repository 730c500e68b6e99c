// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named tensors in files that mark no buffers: the values with which they are combined show possible buffers.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

/// (x - center) / spread, a layer, a quotient, and a weighted loss.
class Buffers : public ::testing::Test {
protected:
  ModelMaker maker;

  Buffers() {
    maker.input("x", {-1, 2});
    maker.input("y", {-1, 3});
  }

  void normalise(const std::string &center, const std::string &spread) {
    maker.weight(center, {1, 2}, {1, 2});
    maker.weight(spread, {2}, {3, 4});
    maker.node("Unsqueeze", {spread, axis()}, "wide");
    maker.node("Sub", {"x", center}, "centered");
    maker.node("Div", {"centered", "wide"}, "normal");
  }

  void layer(const std::string &input) {
    maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
    maker.weight("shift", {3}, {1, 2, 3});
    maker.node("MatMul", {input, "fc.weight"}, "product");
    maker.node("Add", {"product", "shift"}, "logits");
  }

  /// The mean of y * sigmoid(logits / temperature) * scale.
  void loss(const std::string &temperature, const std::string &scale) {
    maker.weight(temperature, {1}, {2});
    maker.weight(scale, {3}, {1, 2, 3});
    maker.node("Div", {"logits", temperature}, "cold");
    maker.node("Sigmoid", {"cold"}, "p");
    maker.node("Mul", {"y", "p"}, "plain");
    maker.node("Mul", {"plain", scale}, "weighted");
    maker.loss("ReduceMean", "weighted");
  }

  OnnxDescription described(const std::vector<std::string> &freeze = {},
                            const std::vector<std::string> &trainable = {}) const {
    TemporaryFolder folder;
    TrainingOptions training;
    training.microBatch = 4;
    training.freeze = freeze;
    training.trainable = trainable;
    Result<OnnxDescription> found = describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
    EXPECT_TRUE(found) << found.status().message();
    return found ? found.take() : OnnxDescription();
  }

  static std::vector<std::string> paramsOf(const OnnxDescription &description) {
    std::vector<std::string> names;
    for (const auto &[name, param] : description.document.at("params").items())
      names.push_back(name);
    return names;
  }

  static std::vector<std::string> warningOf(const std::string &names) {
    return {"trained, but no layer reads it, so it may be a buffer: " + names +
            "; --freeze REGEX keeps it, --trainable REGEX says that it is none"};
  }

private:
  std::string axis() {
    onnx::wire::Tensor *tensor = maker.graph().add_initializer();
    tensor->set_name("axis");
    tensor->set_data_type(static_cast<int>(onnx::DataType::Int64));
    tensor->add_dims(1);
    tensor->set_raw_data(std::string(8, '\0'));
    return "axis";
  }
};

using Names = std::vector<std::string>;

TEST_F(Buffers, areKnownByNameAndUse) {
  normalise("mean", "std");
  layer("normal");
  loss("temperature", "crit.pos_weight");
  const OnnxDescription description = described();
  EXPECT_EQ(paramsOf(description), (Names{"fc.weight", "shift", "temperature"}));
  EXPECT_EQ(description.warnings, warningOf("temperature"));
  EXPECT_NE(description.report.find("note        " + description.warnings.at(0)), std::string::npos);
  EXPECT_NE(description.report.find("a buffer by its name, meets data before any layer"), std::string::npos);
  EXPECT_NE(description.report.find("a buffer by its name, read by the loss alone"), std::string::npos);
}

TEST_F(Buffers, areNamedWhereOnlyTheUseSpeaksForThem) {
  normalise("center", "spread");
  layer("normal");
  loss("temperature", "scale");
  EXPECT_EQ(described().warnings, warningOf("center, spread, temperature, scale"));
  EXPECT_EQ(described({"center", "scale"}, {"temperature"}).warnings, warningOf("spread"));
  EXPECT_EQ(described({"center|scale|spread|temperature"}).warnings, Names());
}

/// A learned deviation divides errors. A mean that is subtracted from a layer's value is a parameter of the
/// model.
TEST_F(Buffers, areNotKnownByNameAlone) {
  layer("x");
  maker.weight("mean", {3}, {1, 2, 3});
  maker.weight("std", {3}, {1, 2, 3});
  maker.node("Sub", {"logits", "mean"}, "prediction");
  maker.node("Sub", {"y", "prediction"}, "error");
  maker.node("Div", {"error", "std"}, "scaled");
  maker.loss("ReduceMean", "scaled");
  const OnnxDescription description = described();
  EXPECT_EQ(paramsOf(description), (Names{"fc.weight", "mean", "shift", "std"}));
  EXPECT_EQ(description.warnings, warningOf("std"));
}

/// The message about tensors that TorchScript's exporter computed: "trained a; fixed b". The model multiplies
/// x by `early`, then by a matrix, in a product of this name, and adds `late`.
std::string computedOf(const std::string &early, const std::string &matrix, const std::string &product,
                       const std::string &late, bool isTransposed = false,
                       const std::vector<std::string> &freeze = {}) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.weight(early, {3}, {1, 2, 3});
  maker.weight(matrix, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  maker.weight("fc.bias", {3}, {1, 2, 3});
  maker.weight(late, {3}, {1, 2, 3});
  maker.node("Mul", {"x", early}, "scaled");
  onnx::wire::Attribute *turns =
      maker.node("Gemm", {"scaled", matrix, "fc.bias"}, "logits", product).add_attribute();
  turns->set_name("transB");
  turns->set_type(2); // an integer
  turns->set_i(isTransposed);
  maker.node("Relu", {"logits"}, "active");
  maker.node("Add", {"active", late}, "moved");
  maker.loss("ReduceMean", "moved");
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 4;
  training.freeze = freeze;
  Result<OnnxDescription> found = describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
  EXPECT_TRUE(found) << found.status().message();
  for (const std::string &warning : found ? found->warnings : std::vector<std::string>())
    if (const size_t at = warning.find(" stand"), colon = warning.find(": ", at); at != std::string::npos) {
      EXPECT_NE(found->report.find("note        " + warning), std::string::npos) << found->report;
      EXPECT_TRUE(warning.ends_with("; export with do_constant_folding=False, the newer exporter with "
                                    "optimize=False"));
      return warning.substr(0, 1) + " " + warning.substr(colon + 2, warning.find("; export") - colon - 2);
    }
  return "";
}

TEST(OnnxComputed, weightsAreTold) {
  EXPECT_EQ(computedOf("g", "fc.weight", "/fc/Gemm", "b"), "");
  // Transposed as in a linear layer, and named after the layer that reads it.
  EXPECT_EQ(computedOf("g", "onnx::Gemm_7", "/fc/Gemm", "b"), "");
  // A product that transposes its matrix itself needs no computed matrix: this one is of weight norm.
  EXPECT_EQ(computedOf("g", "onnx::Gemm_7", "/fc/Gemm", "b", true), "1 trained fc.weight");
}

TEST(OnnxComputed, constantsBehindLayersAreTold) {
  EXPECT_EQ(computedOf("g", "fc.weight", "/fc/Gemm", "onnx::Add_9"), "1 fixed onnx::Add_9");
  EXPECT_EQ(computedOf("g", "fc.weight", "/fc/Gemm", "onnx::Add_9", false, {"Add_9"}), "");
  EXPECT_EQ(computedOf("onnx::Mul_5", "onnx::Gemm_7", "/fc/Gemm", "onnx::Add_9", true),
            "2 trained fc.weight; fixed onnx::Add_9"); // the first tensor that meets data normalises the data
}

/// Nothing shows the name of a weight of the module itself, transposed or not.
TEST(OnnxComputed, weightsWithoutAModuleAreTold) {
  for (const auto &[product, count] : {std::pair("/MatMul", 1u), std::pair("/fc/MatMul", 0u)}) {
    ModelMaker maker;
    maker.input("x", {-1, 2});
    maker.weight("onnx::MatMul_7", {2, 3}, {1, 2, 3, 4, 5, 6});
    maker.node("MatMul", {"x", "onnx::MatMul_7"}, "a", product);
    maker.loss("ReduceMean", "a");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    ASSERT_EQ(description->warnings.size(), count) << product;
    if (count > 0) {
      EXPECT_NE(description->warnings[0].find("as it stands: trained onnx::MatMul_7; export"),
                std::string::npos);
    }
  }
}

/// Slopes to which TorchScript's exporter adds dimensions of 1 are the module's, and are trained.
TEST(OnnxComputed, slopesAreTheModules) {
  ModelMaker maker;
  maker.input("x", {-1, 3, 2, 2});
  maker.weight("onnx::PRelu_7", {3, 1, 1}, {1, 2, 3});
  maker.node("PRelu", {"x", "onnx::PRelu_7"}, "a", "/act/PRelu");
  maker.loss("ReduceMean", "a");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(description->document["params"]["act.weight"]["shape"], nlohmann::json({3}))
      << description->report;
  EXPECT_EQ(description->warnings, std::vector<std::string>());
}

} // namespace
