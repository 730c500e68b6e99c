// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that the newer exporter records beside nodes: gradients that ONNX cannot express.
#include "compiler/import/onnx/graph/TorchCall.h"
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

/// Marks a node as the exporter does. `call` is such as "aten.relu.default](args = (%x,)".
void mark(onnx::wire::Node &node, const std::string &call) {
  addEntry(node.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
           "%y : [num_users=1] = call_function[target=torch.ops." + call + ", kwargs = {})");
}

json opsOf(const ModelMaker &maker, const OnnxOptions &options = {}) {
  Result<OnnxDescription> description = describeModel(maker, options);
  EXPECT_TRUE(description) << description.status().message();
  return description ? description->document["ops"] : json::array();
}

json opCalled(const json &ops, const std::string &name) {
  for (const json &op : ops)
    if (op["op"] == name)
      return op;
  return nullptr;
}

TEST(OnnxTorchCall, operationsAndTheirArguments) {
  const onnx::TorchCall call =
      onnx::torchCallOf("%amax : [num_users=1] = call_function[target=torch.ops.aten.amax.default](args = "
                        "(%mul, [1, 2], True), kwargs = {})");
  EXPECT_EQ(call.operation, "aten.amax.default");
  EXPECT_EQ(call.arguments, (std::vector<std::string>{"%mul", "[1, 2]", "True"}));
  EXPECT_TRUE(call.keywords.empty());
  EXPECT_EQ(onnx::torchCallOf("%add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = "
                              "(%x, %w), kwargs = {alpha: 2})")
                .keywords,
            std::vector<std::string>{"alpha: 2"});
  EXPECT_TRUE(call.isOf("aten.amax"));
  EXPECT_TRUE(call.isOf("aten.amax.default"));
  EXPECT_FALSE(call.isOf("aten.ama"));
  const onnx::TorchCall one =
      onnx::torchCallOf("%y = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})");
  EXPECT_EQ(one.arguments, std::vector<std::string>{"%x"});
  EXPECT_EQ(onnx::torchCallOf("%x : [num_users=2] = placeholder[target=x]").operation, "");
  for (const char *damaged :
       {"", "call_function[target=torch.ops.", "call_function[target=torch.ops.a](args = (,[, kwargs = "})
    EXPECT_EQ(onnx::torchCallOf(damaged).arguments.size(), 0u) << damaged;
}

/// Max(x, bound) of rows plus a weight, with the exporter's record of the call.
ModelMaker extremum(const std::string &op, const std::string &call, const std::string &bound) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.weight("b.weight", {3}, {1, 2, 3});
  maker.weight("number", {}, {1});
  maker.node("Add", {"x", "b.weight"}, "sum");
  auto &node = maker.node(op, {"sum", bound}, "z");
  if (!call.empty())
    mark(node, call);
  maker.loss("ReduceSum", "z");
  return maker;
}

TEST(OnnxTorchCall, whatIsClampedAtANumberHasNoGradientThere) {
  const std::string clamp = "aten.clamp.Tensor](args = (%x, %b)",
                    maximum = "aten.maximum.default](args = (%x, %b)";
  for (const auto &[op, name] : {std::pair("Max", "max"), {"Min", "min"}}) {
    EXPECT_EQ(opCalled(opsOf(extremum(op, clamp, "number")), name)["ties"], "y");
    for (const auto &[call, bound] : {std::pair(clamp, "x"), {maximum, "number"}, {std::string(), "number"}})
      EXPECT_FALSE(opCalled(opsOf(extremum(op, call, bound)), name).contains("ties")) << call;
  }
}

ModelMaker reduced(const std::string &op, const std::string &call, const std::vector<int64_t> &axes) {
  ModelMaker maker;
  maker.input("x", {-1, 3, 5, 2});
  maker.weight("b.weight", {2}, {1, 2});
  maker.node("Add", {"x", "b.weight"}, "sum");
  auto &node = maker.node(op, {"sum"}, "z");
  auto *attribute = node.add_attribute();
  attribute->set_name("axes");
  attribute->set_type(7); // integers
  for (int64_t axis : axes)
    attribute->add_ints(axis);
  if (!call.empty())
    mark(node, call);
  maker.loss("ReduceSum", "z");
  return maker;
}

TEST(OnnxTorchCall, theFirstMaximumOfADimensionGetsTheGradient) {
  for (const std::string op : {"ReduceMax", "ReduceMin"}) {
    for (const std::string call : {"aten.max.dim](args = (%x, 2)", "aten.min.dim](args = (%x, 2)", ""}) {
      const json ops = opsOf(reduced(op, call, {2}));
      EXPECT_EQ(opCalled(ops, "max_pool")["kernel"], json({5, 1})) << call;
    }
    for (const ModelMaker &maker :
         {reduced(op, "aten.amax.default](args = (%x, [2])", {2}), reduced(op, "", {2, 3}),
          reduced(op, "aten.max.default](args = (%x,)", {0, 1, 2, 3}), reduced(op, "", {0, 1, 2, 3})})
      EXPECT_EQ(opCalled(opsOf(maker), "reduce")["kind"], "max");
  }
}

/// A lookup in a table. The second lookup is of positions.
ModelMaker lookup(const std::string &arguments) {
  ModelMaker maker;
  maker.input("t", {-1, 3}, onnx::DataType::Int64);
  maker.weight("table.weight", {7, 2}, std::vector<float>(14, 1));
  auto &node = maker.node("Gather", {"table.weight", "t"}, "z");
  if (!arguments.empty())
    mark(node, "aten.embedding.default](args = (" + arguments + ")");
  maker.loss("ReduceSum", "z");
  return maker;
}

TEST(OnnxTorchCall, tablesHaveTheirPaddingRow) {
  EXPECT_EQ(opCalled(opsOf(lookup("%w, %t, 4")), "embedding")["padding"], 4);
  for (const std::string none : {"%w, %t", "%w, %t, -1", "%w, %t, %u", ""})
    EXPECT_FALSE(opCalled(opsOf(lookup(none)), "embedding").contains("padding")) << none;
  Result<OnnxDescription> beyond = describeModel(lookup("%w, %t, 7"));
  ASSERT_FALSE(beyond);
  EXPECT_NE(beyond.status().message().find("table \"table.weight\" has 7 rows, and none of number 7"),
            std::string::npos)
      << beyond.status().message();
}

/// With this option PyTorch divides the gradient of a row by the number of its lookups in the batch.
TEST(OnnxTorchCall, tablesScaledByFrequencyAreRefused) {
  EXPECT_TRUE(describeModel(lookup("%w, %t, -1, False")));
  Result<OnnxDescription> refused = describeModel(lookup("%w, %t, -1, True"));
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.status().message().find("divides the gradient of a row of \"table.weight\" by how often it is "
                                      "looked up (scale_grad_by_freq), which is not supported"),
      std::string::npos)
      << refused.status().message();
}

TEST(OnnxTorchCall, usersNameThePaddingRow) {
  OnnxOptions options;
  options.padding = {{"table.weight", 2}};
  for (const std::string arguments : {"", "%w, %t, 4"})
    EXPECT_EQ(opCalled(opsOf(lookup(arguments), options), "embedding")["padding"], 2);
  Result<OnnxDescription> description = describeModel(lookup(""), options);
  ASSERT_TRUE(description);
  EXPECT_NE(description->report.find("row 2 is padding"), std::string::npos) << description->report;
  options.padding = {{"tabel.weight", 2}};
  Result<OnnxDescription> refused = describeModel(lookup(""), options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.status().message().find(
                "--padding tabel.weight: is no table that is looked up (\"table.weight\" is)"),
            std::string::npos)
      << refused.status().message();
}

/// A branch and a sum: mean(relu(x w) + other). "other" is an argument of the recorded call, which the
/// optimiser left out.
ModelMaker detaching(const std::string &op, const std::string &other, const std::string &arguments) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.weight("fc.weight", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  mark(maker.node("MatMul", {"x", "fc.weight"}, "linear"), "aten.linear.default](args = (%x, %p_fc_weight)");
  mark(maker.node("Relu", {"linear"}, "relu"), "aten.relu.default](args = (%linear,)");
  mark(maker.node(op, {"relu", other}, "sum"), "aten.add.Tensor](args = (" + arguments + ")");
  maker.loss("ReduceSum", "sum");
  return maker;
}

/// The input of the operation without a gradient.
std::string detachedIn(const ModelMaker &maker) {
  const json op = opCalled(opsOf(maker), "detach");
  return op.is_null() ? "nothing" : op["in"][0].get<std::string>();
}

TEST(OnnxDetach, isTakenFromNotesOfCalls) {
  EXPECT_EQ(detachedIn(detaching("Add", "linear", "%relu, %detach")), "linear");
  EXPECT_EQ(detachedIn(detaching("Add", "linear", "%detach_2, %linear")), "relu");
  EXPECT_EQ(detachedIn(detaching("Mul", "relu", "%relu, %detach")), "relu");
  EXPECT_EQ(detachedIn(detaching("Add", "linear", "%relu, %linear")), "nothing");
  EXPECT_EQ(detachedIn(detaching("Add", "linear", "%relu, %dropout")), "nothing");
  // An input may have this name, and has no gradient in any case.
  EXPECT_EQ(detachedIn(detaching("Add", "x", "%relu, %detach")), "nothing");
}

TEST(OnnxDetach, isAnIdentityWithoutTheOptimiser) {
  ModelMaker maker = detaching("Add", "detach", "%relu, %detach");
  auto *nodes = maker.graph().mutable_node();
  auto &identity = maker.node("Identity", {"linear"}, "detach");
  mark(identity, "aten.detach.default](args = (%linear,)");
  for (int at = nodes->size() - 1; at > 2; --at) // moves it in front of the sum
    nodes->SwapElements(at, at - 1);
  EXPECT_EQ(detachedIn(maker), "linear");
}

TEST(OnnxDetach, isRefusedWhereTheFileDoesNotSayOfWhat) {
  const Result<OnnxDescription> several = describeModel(detaching("Add", "linear", "%clone, %detach, %mul"));
  ASSERT_FALSE(several);
  EXPECT_NE(
      several.status().message().find("the file says that it reads \"detach\", the result of detach(), and "
                                      "not of which value; export with optimize=False"),
      std::string::npos)
      << several.status().message();
  ModelMaker copy = detaching("Add", "linear", "%relu, %clone");
  addEntry(copy.graph().mutable_node(2)->mutable_metadata_props(), "pkg.torch.onnx.stack_trace",
           "File \"m.py\", line 3, in forward\n    h = a + b.detach().clone()\n  File \"n.py\"");
  const Result<OnnxDescription> refused = describeModel(copy);
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.status().message().find(
          "the line it was traced from, \"h = a + b.detach().clone()\", calls detach(), and the file lacks "
          "\"clone\""),
      std::string::npos)
      << refused.status().message();
}

TEST(OnnxDetach, parametersWithoutAGradientAreFixed) {
  ModelMaker maker = detaching("Add", "b.weight", "%relu, %detach");
  maker.weight("b.weight", {3}, {1, 2, 3});
  onnx::wire::Value *info = maker.graph().add_value_info();
  info->set_name("b.weight");
  addEntry(info->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from", "['b.weight', 'detach']");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(description->document["params"]["b.weight"].value("group", ""), "frozen");
  EXPECT_FALSE(description->document["params"]["fc.weight"].contains("group"));
}

/// A mean of cross-entropies, with the exporter's record of the call.
ModelMaker smoothed(const std::string &more, bool isWeighted = false) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.input("y", {-1}, onnx::DataType::Int64);
  maker.weight("fc.weight", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  maker.node("MatMul", {"x", "fc.weight"}, "linear");
  auto &loss = maker.node("SoftmaxCrossEntropyLoss", {"linear", "y"}, "loss");
  if (isWeighted) {
    maker.weight("weights", {3}, {1, 2, 3});
    loss.add_input("weights");
  }
  mark(loss, "aten.cross_entropy_loss.default](args = (%linear, %y" + more + ")");
  maker.output("loss");
  return maker;
}

TEST(OnnxLabelSmoothing, isTakenFromTheNoteOfTheCall) {
  EXPECT_EQ(opCalled(opsOf(smoothed(", None, 1, -100, 0.25")), "cross_entropy")["smoothing"], 0.25);
  for (const std::string none : {"", ", None, 1, -100, 0.0", ", None, 1, -1"})
    EXPECT_FALSE(opCalled(opsOf(smoothed(none)), "cross_entropy").contains("smoothing")) << none;
}

TEST(OnnxLabelSmoothing, isRefusedWhereItCannotBeTaken) {
  const Result<OnnxDescription> unread = describeModel(smoothed(", None, 1, -100, %s"));
  ASSERT_FALSE(unread);
  EXPECT_NE(unread.status().message().find("label_smoothing must be from 0 to below 1, is \"%s\""),
            std::string::npos)
      << unread.status().message();
  const Result<OnnxDescription> weighted =
      describeModel(smoothed(", %w, 1, -100, 0.25", /*isWeighted=*/true));
  ASSERT_FALSE(weighted);
  EXPECT_NE(
      weighted.status().message().find("--loss cross-entropy,smoothing=0.25 for a loss without weights"),
      std::string::npos)
      << weighted.status().message();
}

TEST(OnnxFrozen, theReportSaysThatNoFileKnows) {
  Result<OnnxDescription> description = describeModel(linearModel());
  ASSERT_TRUE(description);
  EXPECT_NE(
      description->report.find("does not say what the module froze (requires_grad=False): --freeze REGEX"),
      std::string::npos)
      << description->report;
}

} // namespace
