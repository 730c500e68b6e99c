// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attribute of another kind than ONNX defines is refused: a reader would take its default for it.
#include "compiler/import/onnx/operators/Attributes.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/support/Folders.h"
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

std::string errorOf(const ModelMaker &maker) {
  Result<OnnxDescription> description = describeModel(maker);
  const std::string message = description ? "" : description.status().message();
  return message.substr(std::min(message.size(), message.find(": ") + 2));
}

/// x -> `op` -> loss, where `set` gives the node its attributes.
template <typename Set> ModelMaker modelOf(const char *op, Set set) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("scale", {2}, {1, 2});
  maker.node("Mul", {"x", "scale"}, "scaled");
  set(maker.node(op, {"scaled"}, "y"));
  maker.loss("ReduceSum", "y");
  return maker;
}

TEST(OnnxAttributes, numbersAreOfOneKind) {
  for (bool isInteger : {false, true}) {
    const ModelMaker maker = modelOf("LeakyRelu", [&](onnx::wire::Node &node) {
      if (isInteger)
        return setAttribute(node, "alpha", int64_t(2));
      addAttribute(node, "alpha", 1).set_f(2);
    });
    EXPECT_EQ(errorOf(maker),
              isInteger ? "node \"/y\" (LeakyRelu): attribute \"alpha\" must be a float, is an integer" : "");
  }
}

TEST(OnnxAttributes, listsAreNoNumbers) {
  for (bool isNumber : {false, true}) {
    const ModelMaker maker = modelOf("ReduceMean", [&](onnx::wire::Node &node) {
      if (isNumber)
        setAttribute(node, "axes", int64_t(1));
      else
        setAttribute(node, "axes", std::vector<int64_t>{1});
    });
    EXPECT_EQ(errorOf(maker),
              isNumber
                  ? "node \"/y\" (ReduceMean): attribute \"axes\" must be a list of integers, is an integer"
                  : "");
  }
  const ModelMaker softmax =
      modelOf("Softmax", [](onnx::wire::Node &node) { setAttribute(node, "axis", std::string("1")); });
  EXPECT_EQ(errorOf(softmax), "node \"/y\" (Softmax): attribute \"axis\" must be an integer, is a string");
}

/// The names that the importer's sources read attributes by.
std::set<std::string> namesInSources() {
  const std::regex read(
      R"((?:integer|real|text|axis|axes|integers|windowList|attribute<[^"]*>)\((?:op, )?"(\w+)\")");
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           WINDLASS_SOURCE_DIR + std::string("/compiler/import/onnx"))) {
    if (entry.path().extension() != ".cpp")
      continue;
    std::ifstream file(entry.path());
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator at(source.begin(), source.end(), read), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

/// A name that is missing in the table would be read without a check.
TEST(OnnxAttributes, allThatAreReadHaveAKind) {
  // Rewrites set these; ONNX has none of them.
  const std::set<std::string> own = {"class_weights", "dropout", "first",    "heads",
                                     "ignored",       "of",      "smoothing"};
  const std::set<std::string> names = namesInSources();
  EXPECT_GT(names.size(), 40U);
  for (const std::string &name : names) {
    onnx::Node node;
    node.attributes[name] = std::monostate();
    EXPECT_EQ(onnx::checkAttributes(node).isOk(), own.contains(name)) << name;
  }
}

} // namespace
