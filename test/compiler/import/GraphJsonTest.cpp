// Graph JSON: what is built, and what is refused with the place in the file.
#include "compiler/import/GraphJson.h"

#include "compiler/import/GraphJsonOps.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "runtime/base/File.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// A linear layer, then a mean squared error; a test edits it.
nlohmann::json linear() {
  return nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "I": 3, "O": 2},
    "inputs": {"x": {"role": "features", "shape": ["B", "I"]}, "y": {"role": "targets", "shape": ["B", "O"]}},
    "params": {"w": {"shape": ["I", "O"], "init": {"normal": 0.5}}},
    "ops": [{"op": "matmul", "in": ["x", "w"], "out": "z"}, {"op": "mse", "in": ["z", "y"], "out": "e"}],
    "loss": "e"
  })");
}

std::string refusal(const nlohmann::json &document, const TrainingOptions &training = trainingOf(4)) {
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", training);
  EXPECT_FALSE(module) << document.dump(1);
  EXPECT_EQ(module.status().code(), ExitCode::BadInput) << module.status().message();
  return module.status().message();
}

nlohmann::json edited(const std::string &pointer, const nlohmann::json &value) {
  nlohmann::json document = linear();
  document[nlohmann::json::json_pointer(pointer)] = value;
  return document;
}

TEST(GraphJson, aLinearLayerIsBuilt) {
  MLIRContext context;
  auto module = buildGraph(context, linear(), "m.json", "text", trainingOf(4));
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_EQ((**module)->getAttrOfType<StringAttr>("windlass.config"), "text");
  EXPECT_EQ((**module)->getAttrOfType<StringAttr>("windlass.model"), "m");
  auto step = (*module)->lookupSymbol<graph::StepOp>("evaluate");
  SmallVector<graph::MatmulOp> matmuls(step.getOps<graph::MatmulOp>());
  ASSERT_EQ(matmuls.size(), 1u);
  EXPECT_EQ(cast<RankedTensorType>(matmuls[0].getType()).getShape(), ArrayRef<int64_t>({4, 2}));
  EXPECT_FALSE((*module)->lookupSymbol("sample"));
}

TEST(GraphJson, theExampleIsBuilt) {
  MLIRContext context;
  auto module =
      importOrFail(context, std::string(WINDLASS_SOURCE_DIR) + "/examples/mlp/model.json", trainingOf(16));
  ASSERT_TRUE(module);
  EXPECT_EQ((*module)->getAttrOfType<IntegerAttr>("windlass.layers").getInt(), 4);
  EXPECT_TRUE(module->lookupSymbol("layer.3.weight"));
  auto state = cast<graph::StateOp>(module->lookupSymbol("layer.3.weight"));
  EXPECT_EQ(state.getLayer(), "layer.3");
}

TEST(GraphJson, theDocumentedTableIsTheTable) {
  Result<std::string> page = readFile(std::string(WINDLASS_SOURCE_DIR) + "/docs/models.md");
  ASSERT_TRUE(page) << page.status().message();
  EXPECT_NE(page->find(graphJsonOpTable()), std::string::npos) << graphJsonOpTable();
}

TEST(GraphJson, shapesThatDoNotMatchAreRefusedAtTheirPlace) {
  EXPECT_EQ(refusal(edited("/params/w/shape", {"O", "I"})), "m.json: ops[0].in[1]: must have 3 rows, is 2x3");
  EXPECT_EQ(refusal(edited("/params/w/shape", {"I", "I"})), "m.json: ops[1].in[1]: must be 4x3, is 4x2");
  EXPECT_EQ(refusal(edited("/params/w/shape", {"I"})), "m.json: ops[0].in[1]: must be a matrix, is 3");
}

TEST(GraphJson, namesThatAreNotThereNameTheNearest) {
  EXPECT_EQ(refusal(edited("/ops/0/in/1", "ww")),
            "m.json: ops[0].in[1]: must be an input, a parameter or the result "
            "of an earlier operation (\"w\" is), is \"ww\"");
  EXPECT_EQ(refusal(edited("/ops/0/trans_bb", true)),
            "m.json: ops[0].trans_bb: unknown key, did you mean \"trans_b\"?");
  EXPECT_EQ(refusal(edited("/optput", 1)), "m.json: optput: unknown key, did you mean \"outputs\"?");
  EXPECT_EQ(refusal(edited("/ops/0/out", "x")), "m.json: ops[0].out: must be a new name, is \"x\"");
}

TEST(GraphJson, whatIsNeverUsedIsRefused) {
  EXPECT_EQ(refusal(edited("/params/v", {{"shape", {3}}, {"init", 0}})),
            "m.json: the parameter \"v\" is never used");
}

TEST(GraphJson, badSizesAreRefused) {
  EXPECT_EQ(refusal(edited("/dims/I", 0)),
            "m.json: dims.I: must be a whole number from 1 to 2147483648, is 0");
  EXPECT_EQ(refusal(edited("/dims/I", nullptr)),
            "m.json: dims.I: must be a whole number from 1 to 2147483648, is null");
  EXPECT_EQ(refusal(edited("/dims/I", "sequence")),
            "m.json: dims.I: is bound to the training file's \"sequence\", which is not given");
  EXPECT_EQ(refusal(edited("/params/w/shape/0", "I*J")),
            "m.json: params.w.shape[0]: must be a product of dimensions of \"dims\" and numbers, is \"I*J\"");
  EXPECT_EQ(refusal(edited("/params/w/shape", {2147483648, 2147483648})),
            "m.json: params.w.shape: must have at most 2^42 elements");
  EXPECT_EQ(refusal(edited("/params/w/shape/0", "2147483648*2")),
            "m.json: params.w.shape[0]: must be at most 2^31, is \"2147483648*2\"");
  EXPECT_EQ(refusal(edited("/inputs/x/shape", {"I", "B"})),
            "m.json: inputs.x.shape: the first dimension must be the one that \"dims\" binds to \"batch\"");
}

TEST(GraphJson, hostileDocumentsAreRefused) {
  for (const char *text : {"[]", "null", "3", "{}", R"({"format": "windlass.model/2"})", R"({"format": {}})"})
    refusal(nlohmann::json::parse(text));
  for (const char *pointer : {"/dims", "/inputs", "/params", "/ops", "/loss", "/inputs/x", "/params/w",
                              "/ops/0", "/ops/0/in", "/params/w/shape", "/params/w/init", "/blocks"})
    for (const char *value : {"[]", "[[]]", "{\"a\": {}}", "7", "\"\"", "null", "true"})
      if (nlohmann::json document = edited(pointer, nlohmann::json::parse(value)); document != linear()) {
        MLIRContext context;
        auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
        EXPECT_TRUE(module || module.status().code() == ExitCode::BadInput) << module.status().message();
      }
}

nlohmann::json repeated() {
  nlohmann::json document = linear();
  document["blocks"] = nlohmann::json::parse(R"({"layer": {"in": ["a"], "params": {"w": {"shape": ["O", "O"],
      "init": 1}}, "ops": [{"op": "matmul", "in": ["a", "w"], "out": "b"}], "out": ["b"]}})");
  document["ops"].insert(document["ops"].begin() + 1, nlohmann::json::parse(R"({"repeat": 3, "block": "layer",
      "carry": ["z"], "name": "h.{i}"})"));
  return document;
}

TEST(GraphJson, blocksThatRepeatAreCalled) {
  MLIRContext context;
  auto module = buildGraph(context, repeated(), "m.json", "", trainingOf(4));
  ASSERT_TRUE(module) << module.status().message();
  SmallVector<func::FuncOp> functions((*module)->getOps<func::FuncOp>());
  EXPECT_EQ(functions.size(), 1u);
  EXPECT_TRUE((*module)->lookupSymbol("h.2.w"));
}

TEST(GraphJson, blocksThatCannotRepeatAreRefused) {
  nlohmann::json document = repeated();
  document["ops"][1]["name"] = "h";
  EXPECT_EQ(refusal(document), "m.json: ops[1].name: name must hold \"{i}\", which becomes the number of the "
                               "repetition");
  document = repeated();
  document["ops"][1]["block"] = "lair";
  EXPECT_EQ(refusal(document), "m.json: ops[1].block: must be one of \"blocks\", is \"lair\"");
  document = repeated();
  document["blocks"]["layer"]["params"]["w"]["shape"] = {"O", "I"};
  EXPECT_EQ(refusal(document), "m.json: blocks.layer: is called with values of different shapes");
  document = repeated();
  document["ops"][1]["carry"] = {"z", "x"};
  EXPECT_EQ(refusal(document),
            "m.json: ops[1].carry: must be as many values as \"in\" and \"out\" of \"layer\"");
}

} // namespace
