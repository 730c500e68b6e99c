// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of a file that are one parameter: unnamed copies of a named matrix, and matrices that the user
// ties.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/fixtures/Fixture.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

std::set<std::string> namesIn(const nlohmann::json &object) {
  std::set<std::string> names;
  for (const auto &[name, value] : object.items())
    names.insert(name);
  return names;
}

/// The line of a report about a tensor.
std::string lineAbout(const std::string &report, const std::string &name) {
  const size_t begin = report.find("\n" + name + " ");
  return begin == std::string::npos ? "" : report.substr(begin + 1, report.find('\n', begin + 1) - begin - 1);
}

TEST(OnnxTies, canBeSwitchedOff) {
  OnnxOptions options;
  options.tie = false;
  TrainingOptions training;
  training.microBatch = 4;
  training.sequence = 16;
  Result<OnnxDescription> description =
      describeOnnx(Fixture::folder() + "onnx/gpt2.script.17.onnx", training, options);
  ASSERT_TRUE(description) << description.status().message();
  const auto names = namesIn(description->document["params"]);
  EXPECT_TRUE(names.contains("lm_head.weight"));
  EXPECT_TRUE(names.contains("transformer.wte.weight"));
}

/// Matrices too large for memory are compared in the file, piece by piece.
TEST(OnnxTies, largeMatricesAreTied) {
  constexpr int64_t kRows = 700, kColumns = 600; // 1.6 MiB
  std::vector<float> table, turned(kRows * kColumns);
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    table.push_back(static_cast<float>(i % 1013) - 500);
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    turned[static_cast<size_t>(i % kColumns * kRows + i / kColumns)] = table[static_cast<size_t>(i)];
  for (bool isSame : {true, false}) {
    if (!isSame)
      std::swap(turned[0], turned[1]); // the same elements in another order
    ModelMaker maker;
    maker.input("x", {-1, kRows});
    maker.weight("first.weight", {kRows, kColumns}, table);
    maker.weight("onnx::MatMul_7", {kColumns, kRows}, turned);
    maker.node("MatMul", {"x", "first.weight"}, "h", "/first/MatMul");
    maker.node("MatMul", {"h", "onnx::MatMul_7"}, "o", "/second/MatMul");
    maker.node("ReduceMean", {"o"}, "loss");
    maker.output("loss");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].size(), isSame ? 1u : 2u) << description->report;
    EXPECT_EQ(description->report.find("tied to first.weight") != std::string::npos, isSame);
  }
}

/// Matrices with the same elements are equal only if the elements are in the same places, or transposed.
TEST(OnnxTies, elementsInOtherPlacesAreNoTie) {
  const std::vector<float> swapped = {0, 1, 0, 1, 0, 0, 0, 0, 1}, turned = {0, 1, 0, 0, 0, 1, 1, 0, 0},
                           back = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  ModelMaker maker;
  maker.input("x", {-1, 3});
  std::string before = "x";
  for (const auto &[name, elements] :
       {std::pair("a.weight", swapped), {"b.weight", turned}, {"onnx::MatMul_9", back}}) {
    maker.weight(name, {3, 3}, elements);
    maker.node("MatMul", {before, name}, std::string("of ") + name);
    before = std::string("of ") + name;
  }
  maker.loss("ReduceMean", before);
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(namesIn(description->document["params"]), (std::set<std::string>{"a.weight", "b.weight"}));
  EXPECT_NE(lineAbout(description->report, "onnx::MatMul_9").find("tied to b.weight, transposed"),
            std::string::npos)
      << description->report;
}

/// x -> a product with each matrix in turn. The loss is the mean of the last product.
ModelMaker productsWith(const std::vector<std::pair<std::string, std::string>> &weights) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  std::string before = "x";
  for (const auto &[module, name] : weights) {
    maker.weight(name, {2, 2}, {1, 2, 3, 4});
    maker.node("MatMul", {before, name}, "of " + name, "/" + module + "/MatMul");
    before = "of " + name;
  }
  maker.loss("ReduceMean", before);
  return maker;
}

std::set<std::string> namesOf(const ModelMaker &maker, const OnnxOptions &options = {}) {
  Result<OnnxDescription> description = describeModel(maker, options);
  EXPECT_TRUE(description) << description.status().message();
  return description ? namesIn(description->document["params"]) : std::set<std::string>();
}

/// Copies of a layer are equal at the start, and are different parameters: two names are two parameters. An
/// unnamed matrix is a copy of a named one, or of one that the same module read before.
TEST(OnnxTies, equalMatricesOfTwoNamesAreTwo) {
  using Names = std::set<std::string>;
  const ModelMaker named = productsWith({{"a", "a.weight"}, {"b", "b.weight"}});
  EXPECT_EQ(namesOf(named), (Names{"a.weight", "b.weight"}));
  Result<OnnxDescription> description = describeModel(named);
  ASSERT_TRUE(description);
  EXPECT_NE(lineAbout(description->report, "b.weight").find("equal to a.weight and apart"), std::string::npos)
      << description->report;
  EXPECT_EQ(namesOf(productsWith({{"a", "a.weight"}, {"b", "onnx::MatMul_7"}})), Names{"a.weight"});
  EXPECT_EQ(namesOf(productsWith({{"a", "onnx::MatMul_6"}, {"b", "onnx::MatMul_7"}})).size(), 2u);
  EXPECT_EQ(namesOf(productsWith({{"a", "onnx::MatMul_6"}, {"a_1", "onnx::MatMul_7"}})).size(), 1u)
      << "one module that is called twice";
}

TEST(OnnxTies, parametersThatTheUserTiesAreOne) {
  const ModelMaker named = productsWith({{"a", "a.weight"}, {"b", "b.weight"}});
  OnnxOptions options;
  options.ties = {{"a.weight", "b.weight"}};
  EXPECT_EQ(namesOf(named, options), std::set<std::string>{"a.weight"});
  options.tie = false;
  EXPECT_EQ(namesOf(named, options), std::set<std::string>{"a.weight"});
  auto errorOf = [&](const std::string &name, const ModelMaker &maker) {
    options.ties = {{"a.weight", name}};
    Result<OnnxDescription> description = describeModel(maker, options);
    const std::string message = description ? "" : description.status().message();
    return message.substr(std::min(message.size(), message.find(": ") + 2));
  };
  EXPECT_EQ(errorOf("b.weigth", named),
            "--tie: the file has no parameter \"b.weigth\" (\"b.weight\" is one)");
  ModelMaker differing = named;
  differing.graph().mutable_initializer(1)->mutable_raw_data()->at(2) = 1;
  EXPECT_EQ(errorOf("b.weight", differing),
            "--tie a.weight=b.weight: must be equal, and differ (2x2 and 2x2)");
}

} // namespace
