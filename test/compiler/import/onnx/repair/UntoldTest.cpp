// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files whose metadata a tool dropped: tensors that are refused, trained or reported, and tensors that are
// clearly computed.
#include "runtime/base/File.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr int kRows = 8, kColumns = 4;

std::vector<float> drawn() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(kRows * kColumns);
  for (float &value : values)
    value = normal(random);
  return values;
}

std::vector<float> sines() {
  std::vector<float> values;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column)
      values.push_back(std::sin(static_cast<float>(row) / static_cast<float>(1 + column)));
  return values;
}

/// Adds a table to the value of a layer. The tensor of the table is in a node with this name, or is an
/// initializer.
ModelMaker placed(const std::string &table, const std::vector<float> &values, const std::string &node = "") {
  ModelMaker maker(18);
  maker.model.set_producer_name("pytorch");
  maker.input("x", {-1, kRows, kColumns});
  maker.weight("fc.weight", {kColumns, kColumns}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  onnx::wire::Tensor &tensor = maker.weight(table, {kRows, kColumns}, values);
  if (!node.empty()) {
    onnx::wire::Attribute *held = maker.node("Constant", {}, table, node).add_attribute();
    held->set_name("value");
    held->set_type(4); // a tensor
    *held->mutable_t() = tensor;
    maker.graph().mutable_initializer()->RemoveLast();
  }
  maker.node("MatMul", {"x", "fc.weight"}, "h", "node_matmul");
  maker.node("Add", {"h", table}, "moved", "node_add");
  maker.loss("ReduceMean", "moved");
  return maker;
}

class OnnxUntold : public ::testing::Test {
protected:
  TemporaryFolder folder;

  Result<OnnxDescription> describe(const ModelMaker &maker, const std::string &trainable = "",
                                   const std::string &freeze = "") {
    TrainingOptions training;
    training.microBatch = 2;
    if (!trainable.empty())
      training.trainable = {trainable};
    if (!freeze.empty())
      training.freeze = {freeze};
    return describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
  }
  std::string error(const ModelMaker &maker) {
    const Result<OnnxDescription> description = describe(maker);
    return description ? "" : description.status().message();
  }
};

TEST_F(OnnxUntold, tablesThatMayBeLearnedAreRefused) {
  for (const char *node : {"", "Constant_0"}) {
    const ModelMaker maker = placed("embedding_1", drawn(), node);
    EXPECT_TRUE(error(maker).ends_with("which are parameters, and with --freeze REGEX which are none:\n"
                                       "  embedding_1, 8x4"))
        << error(maker);
    const Result<OnnxDescription> trained = describe(maker, "embedding_1"),
                                  fixed = describe(maker, "", "embedding_1");
    ASSERT_TRUE(trained) << trained.status().message();
    ASSERT_TRUE(fixed) << fixed.status().message();
    EXPECT_TRUE(trained->document["params"].contains("embedding_1"));
    EXPECT_FALSE(fixed->document["params"].contains("embedding_1"));
    EXPECT_EQ(fixed->warnings, std::vector<std::string>());
  }
}

/// A run starts from a tensor of a node as from an initializer, at its place in the file.
TEST_F(OnnxUntold, tensorsOfNodesHaveTheirPlace) {
  const std::vector<float> values = drawn();
  const Result<OnnxDescription> trained =
      describe(placed("embedding_1", values, "Constant_0"), "embedding_1");
  ASSERT_TRUE(trained) << trained.status().message();
  const auto first = std::ranges::find(trained->values, "embedding_1", &onnx::FirstValues::parameter);
  ASSERT_NE(first, trained->values.end());
  const Result<std::string> bytes = readFile(first->file);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(std::memcmp(bytes->data() + first->offset, values.data(), values.size() * sizeof(float)), 0);
}

TEST_F(OnnxUntold, tablesOfAFormulaAreComputed) {
  for (const char *node : {"", "Constant_0"}) {
    const Result<OnnxDescription> description = describe(placed("embedding_1", sines(), node));
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_FALSE(description->document["params"].contains("embedding_1"));
    EXPECT_EQ(description->warnings, std::vector<std::string>());
  }
}

/// A constant that PyTorch's exporters write themselves is a constant of the module.
TEST_F(OnnxUntold, constantsOfTheExporterAreConstants) {
  for (const char *node : {"node_Constant_7", "/Constant_3"}) {
    const std::string result = node[0] == '/' ? "/Constant_3_output_0" : "val_7";
    EXPECT_EQ(error(placed(result, drawn(), node)), "");
  }
}

TEST_F(OnnxUntold, namesOfOperationsAreMadeUp) {
  EXPECT_TRUE(error(placed("embedding", drawn())).ends_with("\n  embedding, 8x4"));
  const Result<OnnxDescription> description = describe(placed("places", drawn()));
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_TRUE(description->document["params"].contains("places"));
}

/// Zeros may be initial rows, or a mask that hides nothing. A named number may be a learned scale.
TEST_F(OnnxUntold, whatCannotBeToldStaysAndIsNamed) {
  const Result<OnnxDescription> zeros = describe(placed("embedding_1", std::vector<float>(kRows * kColumns)));
  ASSERT_TRUE(zeros) << zeros.status().message();
  ASSERT_EQ(zeros->warnings.size(), 1u);
  EXPECT_NE(zeros->warnings[0].find("as it stands: fixed embedding_1;"), std::string::npos)
      << zeros->warnings[0];
  for (const auto &[name, isTrained, count] :
       {std::tuple("scale", false, 1u), std::tuple("exp", false, 0u), std::tuple("head.scale", true, 0u)}) {
    ModelMaker maker = placed("places", drawn());
    maker.weight(name, {}, {3});
    maker.graph().mutable_node()->RemoveLast();
    maker.graph().clear_output();
    maker.node("Mul", {"moved", name}, "scaled", "node_mul");
    maker.loss("ReduceMean", "scaled");
    const Result<OnnxDescription> description = describe(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].contains(name), isTrained) << name;
    EXPECT_EQ(description->warnings.size(), count) << name;
  }
}

/// The account of two products with one matrix, in nodes with these names.
std::string accountOfShared(const std::string &first, const std::string &second, bool isSimplified,
                            const OnnxOptions &options = {}) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("a.weight", {2, 2}, {1, 2, 3, 4});
  maker.node("MatMul", {"x", "a.weight"}, "h", first);
  maker.node("Relu", {"h"}, "active", first.starts_with('/') ? "/Relu" : "node_relu");
  maker.node("Transpose", {"a.weight"}, "turned", first.starts_with('/') ? "/Transpose" : "node_transpose");
  maker.node("Transpose", {"turned"}, "again", first.starts_with('/') ? "/Transpose_1" : "node_transpose_1");
  maker.node("MatMul", {"active", "again"}, "k", second);
  maker.loss("ReduceMean", "k");
  maker.graph().mutable_node()->rbegin()->set_name(first.starts_with('/') ? "/ReduceMean" : "node_mean");
  if (isSimplified)
    addEntry(maker.model.mutable_metadata_props(), "onnxsim.constant_folding", "true");
  const Result<OnnxDescription> description = describeModel(maker, options);
  EXPECT_TRUE(description) << description.status().message();
  const size_t at = description ? description->account.find("; read") : std::string::npos;
  return at == std::string::npos ? "" : description->account.substr(at, description->account.rfind(';') - at);
}

TEST(OnnxShared, matricesThatLayersShareAreTold) {
  const std::string told = "; read by several layers, and perhaps merged of as many: a.weight";
  EXPECT_EQ(accountOfShared("node_linear", "node_linear_1", false), told);
  EXPECT_EQ(accountOfShared("/a/MatMul", "/b/MatMul", true), told);
  EXPECT_EQ(accountOfShared("/a/MatMul", "/b/MatMul", false), "") << "the exporter notes what it merges";
  EXPECT_EQ(accountOfShared("/a/MatMul", "/a_1/MatMul", true), "") << "called again";
  OnnxOptions options;
  options.ties = {{"a.weight", "a.weight"}};
  EXPECT_EQ(accountOfShared("node_linear", "node_linear_1", false, options), "");
}

/// Two gates of one number each, both 0 at the start, of which the file has one name.
ModelMaker gated(bool isSimplified) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("a.weight", {2, 2}, {1, 2, 3, 4});
  maker.weight("b.weight", {2, 2}, {5, 6, 7, 8});
  maker.weight("gates.first", {}, {0});
  maker.node("MatMul", {"x", "a.weight"}, "h", "node_linear");
  maker.node("Mul", {"gates.first", "h"}, "k", "node_mul");
  maker.node("MatMul", {"k", "b.weight"}, "l", "node_linear_1");
  maker.node("Mul", {"gates.first", "l"}, "m", "node_mul_1");
  maker.loss("ReduceMean", "m");
  maker.graph().mutable_node()->rbegin()->set_name("node_mean");
  if (isSimplified)
    addEntry(maker.model.mutable_metadata_props(), "onnxsim.constant_folding", "true");
  return maker;
}

TEST(OnnxShared, gatesOfOneNumberAreRefused) {
  for (bool isSimplified : {false, true}) {
    const Result<OnnxDescription> description = describeModel(gated(isSimplified));
    ASSERT_FALSE(description);
    EXPECT_TRUE(description.status().message().ends_with("that the module shares one:\n  gates.first"))
        << description.status().message();
  }
  OnnxOptions shared;
  shared.ties = {{"gates.first", "gates.first"}};
  EXPECT_TRUE(describeModel(gated(false), shared));
}

/// The zeros of a norm and of a layer are not one parameter, though different operations read them.
TEST(OnnxShared, freshOnesAreRefusedWhereverTheyAreRead) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("a.weight", {2, 2}, {1, 2, 3, 4});
  maker.weight("n.weight", {2}, {1, 2});
  maker.weight("n.bias", {2}, {0, 0});
  maker.node("Gemm", {"x", "a.weight", "n.bias"}, "h", "node_linear");
  maker.node("LayerNormalization", {"h", "n.weight", "n.bias"}, "k", "node_norm");
  maker.loss("ReduceMean", "k");
  maker.graph().mutable_node()->rbegin()->set_name("node_mean");
  const Result<OnnxDescription> description = describeModel(maker);
  ASSERT_FALSE(description);
  EXPECT_TRUE(description.status().message().ends_with("that the module shares one:\n  n.bias"))
      << description.status().message();
}

} // namespace
