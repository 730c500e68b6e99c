// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The newer exporter's optimiser leaves parts of parameters, or parameters with another shape, in place of
// the parameters.
#include "test/compiler/import/onnx/ModelMaker.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

using Shape = std::vector<int64_t>;

const std::string kSignature = "pkg.torch.export.ExportedProgram.graph_signature";

/// A tensor of 1, 2, 3, ..., which the optimiser computed from `sources`, such as "['p', 'val_1']".
void computed(ModelMaker &maker, const std::string &name, const Shape &shape, const std::string &sources) {
  std::vector<float> values(static_cast<size_t>(onnx::elementsOf(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i + 1);
  maker.weight(name, shape, values);
  onnx::wire::Value *info = maker.graph().add_value_info();
  info->set_name(name);
  addEntry(info->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from", sources);
}

/// The shape of parameter `p` in a description, or the error: "1x6", "a part (select) of p".
std::string outcomeOf(const Result<OnnxDescription> &description) {
  if (description)
    return description->document["params"].contains("p")
               ? onnx::describe(description->document["params"]["p"]["shape"].get<Shape>())
               : "none";
  const std::string message = description.status().message();
  EXPECT_NE(message.find("cannot be trained; export with optimize=False:"), std::string::npos) << message;
  return message.substr(message.rfind("\", ") + 3);
}

/// The outcome for a model that adds a tensor computed from `p` to its input, in a call with these operands.
std::string outcome(const std::string &name, const Shape &shape, const std::string &sources,
                    const std::string &operands = "%x, %made") {
  ModelMaker maker(18);
  maker.input("x", {-1, 1, 1, 1});
  computed(maker, name, shape, sources);
  addEntry(maker.graph().mutable_metadata_props(), kSignature, "p_p: PARAMETER target='p'\n");
  onnx::wire::Node &sum = maker.node("Add", {"x", name}, "sum");
  addEntry(sum.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
           "%y : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (" + operands +
               "), kwargs = {})");
  maker.loss("ReduceMean", "sum");
  return outcomeOf(describeModel(maker));
}

TEST(OnnxFolding, partsAreRefused) {
  EXPECT_EQ(outcome("select", {6}, "['p', 'val_0']"), "a part (select) of p");
  EXPECT_EQ(outcome("slice_2", {1, 4, 6}, "['p', 'slice_1', 'val_0']"), "a part (slice) of p");
  EXPECT_EQ(outcome("getitem_1", {6}, "['p', 'val_0']"), "a part (getitem) of p");
  EXPECT_EQ(outcome("val_7", {2, 3}, "['p', 'slice_1', 'val_0']"), "a part (slice) of p"); // transposed
  EXPECT_EQ(outcome("alias", {1, 4, 6}, "['p']"), "1x4x6");                                // all of it
  // Within a call the tensor that a part was taken of is data, and its shape was used.
  EXPECT_EQ(outcome("val_7", {2, 1, 3}, "['p', 'slice_1', 'val_0']", "%x, %p_p"), "2x1x3");
}

TEST(OnnxFolding, otherShapesAreRefused) {
  EXPECT_EQ(outcome("view", {6, 6}, "['p', 'val_1', 'val_2']"), "another shape (view) of p");
  EXPECT_EQ(outcome("val_7", {6, 6}, "['p', 'val_1', 'view']"), "another shape (view) of p");
  EXPECT_EQ(outcome("squeeze", {6}, "['p']"), "another shape (squeeze) of p");
  EXPECT_EQ(outcome("view", {6, 6}, "['p']"), "6x6"); // its own shape, for which none was computed
}

TEST(OnnxFolding, addedDimensionsAreDropped) {
  EXPECT_EQ(outcome("unsqueeze", {1, 6}, "['p', 'val_1']"), "6");
  EXPECT_EQ(outcome("unsqueeze_1", {6, 1, 1}, "['p', 'unsqueeze', 'val_1', 'val_2']"), "6");
  EXPECT_EQ(outcome("unsqueeze", {1, 1, 6}, "['p', 'val_1']"), "1x6"); // whichever dimension it was
  EXPECT_EQ(outcome("unsqueeze", {1, 6, 1}, "['p', 'val_1']"), "another shape (unsqueeze) of p");
  EXPECT_EQ(outcome("val_3", {1, 6}, "['p', 'unsqueeze', 'val_1']"), "another shape (unsqueeze) of p");
}

TEST(OnnxFolding, rowsAreTheFirstOnesInTheirOrder) {
  EXPECT_EQ(outcome("embedding", {2, 6}, "['p', 'lifted_tensor_0', 'val_1']"),
            "rows in an order that is not said, of p");
  EXPECT_EQ(outcome("index", {6}, "['p', 'perm', 'val_1']"), "rows in an order that is not said, of p");
  EXPECT_EQ(outcome("embedding", {2, 6}, "['arange', 'p', 'val_1']"), "2x6");
  EXPECT_EQ(outcome("embedding", {2, 6}, "['m.position_ids', 'p', 'slice_1', 'val_1']"), "2x6");
  EXPECT_EQ(outcome("view", {1, 2, 6}, "['arange', 'embedding', 'p', 'val_1']"), "1x2x6");
  EXPECT_EQ(outcome("view", {2, 2, 3}, "['arange', 'embedding', 'p', 'val_1']"),
            "another shape (view) of rows of p");
}

TEST(OnnxFolding, copiesThatAreNotJoinedAreRefused) {
  EXPECT_EQ(outcome("repeat", {6}, "['p', 'val_1']"), "copies of p");
  EXPECT_EQ(outcome("expand", {6}, "['p']"), "6"); // no copies were made
}

/// Each tensor would be trained by itself. Equal matrices are joined.
TEST(OnnxFolding, severalOfOneParameterAreOneOrRefused) {
  for (const auto &[shape, expected] :
       {std::pair(Shape{3, 3}, "3x3"), std::pair(Shape{3}, "one of several made of p")}) {
    ModelMaker maker(18);
    maker.input("x", {-1, 3});
    addEntry(maker.graph().mutable_metadata_props(), kSignature, "p_p: PARAMETER target='p'\n");
    for (const char *name : {"val_1", "val_2"})
      computed(maker, name, shape, "['p']");
    maker.node(shape.size() == 2 ? "MatMul" : "Mul", {"x", "val_1"}, "a", "/p/first");
    maker.node(shape.size() == 2 ? "MatMul" : "Mul", {"a", "val_2"}, "b", "/p/second");
    maker.loss("ReduceMean", "b");
    Result<OnnxDescription> description = describeModel(maker);
    EXPECT_EQ(outcomeOf(description), expected);
    if (description) {
      EXPECT_EQ(description->document["params"].size(), 1u) << description->report;
    }
  }
}

/// The matrix of a linear layer was transposed within its call ("val"). A tensor of another operation is as
/// this operation left it.
TEST(OnnxFolding, onlyMatricesOfCallsWereTurned) {
  for (const auto &[name, expected] : {std::pair("val_1", "3x2"), std::pair("alias_1", "2x3")}) {
    ModelMaker maker(18);
    maker.input("x", {-1, 2});
    addEntry(maker.graph().mutable_metadata_props(), kSignature, "p_p: PARAMETER target='p'\n");
    computed(maker, name, {2, 3}, "['p']");
    maker.node("MatMul", {"x", name}, "a");
    maker.loss("ReduceMean", "a");
    EXPECT_EQ(outcomeOf(describeModel(maker)), expected);
  }
}

} // namespace
