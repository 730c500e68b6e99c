// What the newer exporter says beside nodes: gradients that ONNX has no word for.
#include "compiler/import/onnx/TorchCall.h"
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

/// As the exporter marks a node: `call` is "aten.relu.default](args = (%x,)".
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

/// Max(x, bound) of rows that a weight was added to, with the words of the exporter beside it.
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

/// Rows of a table, looked up; the second lookup is of positions.
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

} // namespace
