// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that exporters invent, scopes that they record, and the names of modules that follow from both.
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/support/Folders.h"

using namespace windlass;
using namespace windlass::test;

namespace {

TEST(OnnxOperators, pageHasTheTable) {
  const std::string page = readText(std::string(WINDLASS_SOURCE_DIR) + "/docs/onnx.md");
  EXPECT_NE(page.find(onnx::operatorTable()), std::string::npos) << onnx::operatorTable();
}

TEST(OnnxNames, thatExportersMakeUp) {
  for (const char *name : {"onnx::MatMul_12", "val_7", "/h.0/Constant_output_0", "123", "embedding_1"})
    EXPECT_TRUE(onnx::isGenerated(name)) << name;
  for (const char *name : {"fc.weight", "h.0.ln_1.bias", "scale", "cls_token", "w1"})
    EXPECT_FALSE(onnx::isGenerated(name)) << name;
}

TEST(OnnxNames, laterCalls) {
  using onnx::isLaterCall;
  for (const char *path : {"block.norm_1", "block_1.norm", "block_12.norm_3"})
    EXPECT_TRUE(isLaterCall(path, "block.norm")) << path;
  for (const char *path :
       {"block.norm", "block.norm_", "block.norm_a", "block.normal_1", "block", "norm_1", "block.norm_1.fc"})
    EXPECT_FALSE(isLaterCall(path, "block.norm")) << path;
  EXPECT_FALSE(isLaterCall("norm_2", "norm_1"));
}

TEST(OnnxNames, scopes) {
  EXPECT_EQ(onnx::scopeOfPath("/transformer/h.0/ln_1/Add_1"), "transformer.h.0.ln_1");
  EXPECT_EQ(onnx::scopeOfPath("/Add"), "");
  EXPECT_EQ(onnx::scopeOfPath("node_linear"), "");
  EXPECT_EQ(onnx::scopeOfList("['', 'transformer', 'transformer.h.0', 'addmm']"), "transformer.h.0");
  EXPECT_EQ(onnx::scopeOfList("['']"), "");
}

/// A container that is called repeats its name in the path, and a list of modules does not.
TEST(OnnxNames, scopesOfCalls) {
  auto isModule = [](const std::string &name) { return name == "a.a.0"; };
  EXPECT_EQ(onnx::scopeOfCalls("/blocks/blocks.0/mlp/mlp.0/MatMul", isModule), "blocks.0.mlp.0");
  EXPECT_EQ(onnx::scopeOfCalls("/net/net.1/net.1.0/Add", isModule), "net.1.0");
  EXPECT_EQ(onnx::scopeOfCalls("/transformer/h.0/ln_1/Add_1", isModule), "transformer.h.0.ln_1");
  EXPECT_EQ(onnx::scopeOfCalls("/a/a.0/Add", isModule), "a.a.0");
  EXPECT_EQ(onnx::scopeOfCalls("/Add", isModule), "");
}

/// TorchScript's exporter folded weights of linear layers inside containers that are called, and the weight
/// of an attention that has another name for it.
TEST(OnnxNames, foldedWeightsHaveTheModulesNames) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("onnx::MatMul_7", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.weight("blocks.0.mlp.0.bias", {3}, {1, 2, 3});
  maker.weight("onnx::MatMul_8", {3, 4}, std::vector<float>(12, 0.5F));
  maker.weight("blocks.0.attn.in_proj_bias", {4}, {1, 2, 3, 4});
  maker.weight("onnx::MatMul_9", {4, 5}, std::vector<float>(20, 0.25F));
  maker.node("MatMul", {"x", "onnx::MatMul_7"}, "a", "/blocks/blocks.0/mlp/mlp.0/MatMul");
  maker.node("Add", {"a", "blocks.0.mlp.0.bias"}, "b", "/blocks/blocks.0/mlp/mlp.0/Add");
  maker.node("MatMul", {"b", "onnx::MatMul_8"}, "c", "/blocks/blocks.0/attn/MatMul");
  maker.node("Add", {"blocks.0.attn.in_proj_bias", "c"}, "d", "/blocks/blocks.0/attn/Add");
  maker.node("MatMul", {"d", "onnx::MatMul_9"}, "e", "/blocks/blocks.1/proj/MatMul");
  maker.loss("ReduceMean", "e");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto &[name, param] : description->document["params"].items())
    shapes[name] = param["shape"].get<std::vector<int64_t>>();
  EXPECT_EQ(shapes, (std::map<std::string, std::vector<int64_t>>{{"blocks.0.mlp.0.weight", {3, 2}},
                                                                 {"blocks.0.mlp.0.bias", {3}},
                                                                 {"blocks.0.attn.in_proj_weight", {4, 3}},
                                                                 {"blocks.0.attn.in_proj_bias", {4}},
                                                                 {"blocks.1.proj.weight", {5, 4}}}));
  EXPECT_EQ(description->warnings, std::vector<std::string>()) << "every module is called";
}

/// A tensor computed only from a parameter has the parameter's dimensions of 1. Rows of a table lose the
/// dimensions of the positions of their lookup.
TEST(OnnxNames, foldedParametersHaveTheModulesShapes) {
  using Shape = std::vector<int64_t>;
  for (const auto &[name, others, expected] : {std::tuple("pos", "", Shape{1, 3, 2}),
                                               {"pos", ", 'val_1'", Shape{1, 3, 2}},
                                               {"pos.weight", ", 'val_1'", Shape{3, 2}}}) {
    ModelMaker maker;
    maker.input("x", {-1, 3, 2});
    maker.weight("alias", {1, 3, 2}, {1, 2, 3, 4, 5, 6});
    onnx::wire::Value *info = maker.graph().add_value_info();
    info->set_name("alias");
    addEntry(info->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from",
             "['" + std::string(name) + "'" + others + "]");
    addEntry(maker.graph().mutable_metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature",
             "p_pos: PARAMETER target='" + std::string(name) + "'");
    maker.node("Add", {"x", "alias"}, "y");
    maker.node("ReduceMean", {"y"}, "loss");
    maker.output("loss");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"][name]["shape"].get<Shape>(), expected) << name << others;
  }
}

TEST(OnnxNames, modulesWithinScopes) {
  for (const char *scope : {"", "h.0", "h.0.c_fc", "h.0.mlp", "h.0.mlp.c_fc", "t.h.0.mlp.c_fc"})
    EXPECT_TRUE(onnx::isWithin("t.h.0.mlp.c_fc", scope)) << scope;
  for (const char *scope : {"h.1.c_fc", "c_fc.mlp", "t.h.0.mlp.c_fc.x", "h.0.c"})
    EXPECT_FALSE(onnx::isWithin("t.h.0.mlp.c_fc", scope)) << scope;
}

/// nanoGPT's `transformer` is a ModuleDict, which is not called, so that paths lack it, and so do they lack
/// `mlp` within layers. Its mask is named "bias".
TEST(OnnxNames, containersThatAreNotCalled) {
  ModelMaker maker;
  maker.input("t", {-1}, onnx::DataType::Int64);
  maker.weight("transformer.wte.weight", {5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  maker.weight("transformer.h.0.attn.bias", {2}, {1, 0});
  maker.weight("transformer.h.0.fc.bias", {3}, {1, 2, 3});
  maker.weight("onnx::MatMul_7", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.weight("onnx::Equal_8", {}, {0});
  maker.node("Gather", {"transformer.wte.weight", "t"}, "x", "/wte/Gather");
  maker.node("Equal", {"transformer.h.0.attn.bias", "onnx::Equal_8"}, "hidden", "/h.0/attn/Equal");
  maker.node("Where", {"hidden", "onnx::Equal_8", "x"}, "seen", "/h.0/attn/Where");
  maker.node("MatMul", {"seen", "onnx::MatMul_7"}, "a", "/h.0/fc/MatMul");
  maker.node("Add", {"a", "transformer.h.0.fc.bias"}, "b", "/h.0/fc/Add");
  maker.weight("transformer.h.0.mlp.up.bias", {4}, {1, 2, 3, 4});
  maker.weight("onnx::MatMul_8", {3, 4}, std::vector<float>(12, 0.5F));
  maker.node("MatMul", {"b", "onnx::MatMul_8"}, "c", "/h.0/up/MatMul");
  maker.node("Add", {"transformer.h.0.mlp.up.bias", "c"}, "d", "/h.0/up/Add");
  maker.loss("ReduceMean", "d");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  std::vector<std::string> names;
  for (const auto &[name, param] : description->document["params"].items())
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"transformer.h.0.fc.bias", "transformer.h.0.fc.weight",
                                             "transformer.h.0.mlp.up.bias", "transformer.h.0.mlp.up.weight",
                                             "transformer.wte.weight"}));
}

/// The exporter's optimiser made another tensor from a parameter of the module itself. The name of the
/// parameter has no dot, but is in the file's signature.
TEST(OnnxNames, foldedParametersOfTheModuleItself) {
  for (bool isListed : {true, false}) {
    ModelMaker maker = linearModel();
    maker.weight("alias", {3}, {1, 2, 4});
    maker.node("Add", {"prediction", "alias"}, "moved");
    for (int at = 4; at > 1; --at) // moves it behind the product
      maker.graph().mutable_node()->SwapElements(at - 1, at);
    maker.graph().mutable_node(2)->set_input(0, "moved");
    const std::string kind = "pkg.torch.export.graph_signature.InputSpec.kind";
    auto *weight = maker.graph().add_value_info(), *alias = maker.graph().add_value_info();
    weight->set_name("fc.weight");
    addEntry(weight->mutable_metadata_props(), kind, "InputKind.PARAMETER");
    alias->set_name("alias");
    addEntry(alias->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from", "['pos']");
    if (isListed)
      addEntry(maker.graph().mutable_metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature",
               "p_pos: PARAMETER target='pos'");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].contains("pos"), isListed) << description->report;
  }
}

/// A norm without parameters gets ones, which are no parameter of the module.
TEST(OnnxNames, normsOfMarkedFilesMayHaveNoParameters) {
  for (bool isMarked : {true, false}) {
    ModelMaker maker = linearModel();
    maker.weight("val_3", {3}, {1, 1, 1});
    maker.node("LayerNormalization", {"prediction", "val_3"}, "normed", "/norm/LayerNormalization");
    maker.node("ReduceMean", {"normed"}, "mean");
    maker.graph().mutable_output(0)->set_name("mean");
    onnx::wire::Value *info = maker.graph().add_value_info();
    info->set_name("fc.weight");
    addEntry(info->mutable_metadata_props(),
             isMarked ? "pkg.torch.export.graph_signature.InputSpec.kind" : "other", "InputKind.PARAMETER");
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].contains("norm.weight"), !isMarked) << description->report;
  }
}

/// Without a bias the file does not show that `fc` is in `mlp`. It shows only that there are such containers.
TEST(OnnxNames, ofCallsAreToldWhereContainersAreMissing) {
  ModelMaker maker;
  maker.input("t", {-1}, onnx::DataType::Int64);
  maker.weight("transformer.wte.weight", {5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  maker.weight("onnx::MatMul_7", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.node("Gather", {"transformer.wte.weight", "t"}, "x", "/wte/Gather");
  maker.node("MatMul", {"x", "onnx::MatMul_7"}, "a", "/h.0/fc/MatMul");
  maker.loss("ReduceMean", "a");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(description->warnings,
            std::vector<std::string>{
                "named after its calls, in which modules that are not called (ModuleDict) are missing: "
                "h.0.fc.weight; export with do_constant_folding=False to keep the module's names"});
}

/// The exporter's optimiser lays the slopes of a PReLU along the channels.
TEST(OnnxNames, foldedSlopesAreVectors) {
  ModelMaker maker = linearModel();
  maker.weight("val_4", {1, 2}, {1, 2});
  onnx::wire::Value *info = maker.graph().add_value_info();
  info->set_name("val_4");
  addEntry(info->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from", "['act.weight', 'val_3']");
  maker.node("PRelu", {"x", "val_4"}, "active");
  for (int at = 4; at > 0; --at)
    maker.graph().mutable_node()->SwapElements(at - 1, at);
  maker.graph().mutable_node(1)->set_input(0, "active");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(description->document["params"]["act.weight"]["shape"], nlohmann::json({2}));
}

} // namespace
