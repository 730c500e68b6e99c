// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph JSON: the modules that are built, and the errors with their place in the file.
#include "compiler/import/graphjson/GraphJson.h"

#include "compiler/import/graphjson/GraphJsonOps.h"
#include "compiler/import/graphjson/LossShares.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "runtime/base/File.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// A linear layer, then a mean squared error. Tests edit it.
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

/// Fuzzing found that the labels' extents were counted before they were known.
TEST(GraphJson, theFirstLabelOfAnUnknownShapeIsNotLookedFor) {
  nlohmann::json document = linear();
  document["inputs"]["y"] = {{"role", "classes"}, {"shape", {"Z"}}, {"bound", 2}, {"first", 1}};
  EXPECT_EQ(refusal(document),
            "m.json: inputs.y.shape: the first dimension must be the one that \"dims\" binds to \"batch\"");
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

TEST(GraphJson, aConfigurationOfHuggingFaceUnderAnotherNameIsToldApart) {
  MLIRContext context;
  TemporaryFolder folder;
  const std::string path = folder.write("gpt2.json", R"({"model_type": "gpt2", "n_layer": 2})");
  EXPECT_EQ(importModel(context, path, trainingOf(4)).status().message(),
            path + ": has \"model_type\", as a Hugging Face configuration: that is read as a file called "
                   "config.json, or its folder");
}

/// A batch norm, then a mean squared error. Tests edit it.
nlohmann::json normalised() {
  nlohmann::json document = linear();
  document["inputs"]["x"]["shape"] = {"B", "O"};
  document["params"] = {{"s", {{"shape", {"O"}}, {"init", 1}}}, {"b", {{"shape", {"O"}}, {"init", 0}}}};
  for (const char *name : {"m", "v"})
    document["params"][name] = {{"shape", {"O"}}, {"init", 1}, {"group", "statistics"}};
  document["ops"][0] = {{"op", "batch_norm"}, {"in", {"x", "s", "b", "m", "v"}}, {"eps", 1e-5}, {"out", "z"}};
  document["dims"].erase("I");
  return document;
}

TEST(GraphJson, aBatchNormIsBuilt) {
  MLIRContext context;
  nlohmann::json document = normalised();
  document["ops"][0].update({{"momentum", 0.25}, {"unbiased", true}});
  auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
  ASSERT_TRUE(module) << module.status().message();
  SmallVector<graph::BatchNormOp> norms(
      (*module)->lookupSymbol<graph::StepOp>("evaluate").getOps<graph::BatchNormOp>());
  ASSERT_EQ(norms.size(), 1u);
  EXPECT_EQ(norms[0].getMomentum().convertToDouble(), 0.25);
  EXPECT_TRUE(norms[0].getUnbiased());
  EXPECT_FALSE(norms[0].isTraining());
}

TEST(GraphJson, runningStatisticsAreThoseOfBatchNorms) {
  nlohmann::json plain = normalised(), twice = normalised(), alone = normalised();
  plain["params"]["m"].erase("group");
  EXPECT_EQ(refusal(plain),
            "m.json: \"m\" is a running statistic of a batch norm that trains, and must be nothing else: "
            "batch norms alone read it, and a graph JSON says \"group\": \"statistics\"");
  const std::string rule = "m.json: \"m\" is a running statistic, which batch norms read and nothing else";
  twice["ops"][0]["in"] = {"x", "s", "b", "m", "m"};
  twice["params"].erase("v");
  EXPECT_EQ(refusal(twice),
            "m.json: \"m\" is kept twice, by batch norms that must have the same pair of running "
            "statistics, the same momentum and the same variance");
  alone["ops"].push_back({{"op", "add"}, {"in", {"e", "m"}}, {"out", "f"}});
  alone["loss"] = "f";
  EXPECT_EQ(refusal(alone, trainingOf(2)), rule);
  EXPECT_EQ(refusal(normalised(), trainingOf(1)), "m.json: \"m\" is kept by a batch norm that sees one "
                                                  "element of each channel in a micro-batch; training "
                                                  "needs two or more");
}

TEST(GraphJson, whatIsNeverUsedIsRefused) {
  EXPECT_EQ(refusal(edited("/params/v", {{"shape", {3}}, {"init", 0}})),
            "m.json: the parameter \"v\" is never used");
}

/// Means over labels and examples, and a sum.
nlohmann::json ofFiveTerms() {
  return nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 3]},
               "y": {"role": "classes", "shape": ["B"], "bound": 3, "ignored": 1},
               "z": {"role": "other_labels", "shape": ["B"], "bound": 2}},
    "ops": [{"op": "cross_entropy", "in": ["x", "y"], "ignore_index": 1, "out": "first"},
            {"op": "mean_over", "in": ["first", "y"], "class_weights": [1, 0.5, 2], "out": "a"},
            {"op": "mean_over", "in": ["first", "z"], "ignored": 0, "out": "b"},
            {"op": "mean_over", "in": ["first"], "out": "c"},
            {"op": "mean_over", "in": ["x"], "out": "d"},
            {"op": "add", "in": ["a", "b"], "out": "ab"}, {"op": "add", "in": ["ab", "c"], "out": "abc"},
            {"op": "reduce", "kind": "sum", "in": ["d"], "dims": [1], "out": "e"},
            {"op": "mean_over", "in": ["e"], "of": "batches", "out": "f"},
            {"op": "add", "in": ["abc", "f"], "out": "loss"}],
    "loss": "loss"
  })");
}

TEST(GraphJson, termsOfTheLossAreMeansOfTheirOwn) {
  MLIRContext context;
  auto module = buildGraph(context, ofFiveTerms(), "m.json", "", trainingOf(4));
  ASSERT_TRUE(module) << module.status().message();
  auto evaluate = (*module)->lookupSymbol<graph::StepOp>("evaluate");
  const std::vector<LossShare> shares = lossShares(evaluate);
  ASSERT_EQ(shares.size(), 4u) << "two are over examples";
  EXPECT_EQ(shares[0].of, "labels");
  EXPECT_EQ(shares[0].input, "y");
  EXPECT_EQ(shares[0].ignored, 1);
  EXPECT_EQ(shares[0].classWeights, (std::vector<double>{1, 0.5, 2}));
  EXPECT_EQ(shares[1].input, "z");
  EXPECT_EQ(shares[1].ignored, 0);
  EXPECT_EQ(shares[2].of, "examples");
  EXPECT_EQ(shares[2].item, "loss_share.2");
  EXPECT_EQ(shares[3].of, "batches");
  EXPECT_EQ(shares[0].first, 0);
  auto feeds = evaluate.getOps<graph::FeedOp>();
  EXPECT_EQ(llvm::count_if(feeds, [](graph::FeedOp feed) { return !feed.getInputRole(); }), 4);
}

/// Tables of 4 rows and logits of 3 classes, for indices below `bound` in sequences of `length`.
nlohmann::json lookups(int64_t bound, int64_t length, int64_t classes) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"t": {"role": "tokens"}, "y": {"role": "classes", "shape": ["B", 3], "ignored": -1}},
    "params": {"table": {"shape": [4, 3], "init": 1}, "places": {"shape": [4, 3], "init": 1}},
    "ops": [{"op": "embedding", "in": ["table", "t"], "out": "words"},
            {"op": "positions", "in": ["t"], "dim": 1, "out": "p"},
            {"op": "embedding", "in": ["places", "p"], "out": "at"},
            {"op": "add", "in": ["words", "at"], "out": "h"},
            {"op": "slice", "in": ["h"], "starts": [0], "ends": [3], "dims": [1], "out": "x"},
            {"op": "cross_entropy", "in": ["x", "y"], "out": "e"}],
    "loss": "e"
  })");
  document["inputs"]["t"].update({{"bound", bound}, {"shape", {"B", length}}});
  document["inputs"]["y"]["bound"] = classes;
  return document;
}

/// What is not there would be read from another row.
TEST(GraphJson, indicesBeyondATableAreRefused) {
  MLIRContext context;
  ASSERT_TRUE(buildGraph(context, lookups(4, 4, 3), "m.json", "", trainingOf(2)));
  EXPECT_EQ(
      refusal(lookups(5, 4, 3), trainingOf(2)),
      "m.json: ops[0].in[1]: must be below the 4 rows of the table, and is up to 4, is 2x4 of integers");
  EXPECT_EQ(
      refusal(lookups(4, 6, 3), trainingOf(2)),
      "m.json: ops[2].in[1]: must be below the 4 rows of the table, and is up to 5, is 2x6 of integers");
  EXPECT_EQ(refusal(lookups(4, 4, 9), trainingOf(2)),
            "m.json: ops[5].in[1]: must be below the 3 classes, and is up to 8, is 2x3 of integers");
}

TEST(GraphJson, aCrossEntropyIgnoresWhatItsLabelsIgnore) {
  MLIRContext context;
  auto module = buildGraph(context, lookups(4, 4, 3), "m.json", "", trainingOf(2));
  ASSERT_TRUE(module) << module.status().message();
  int64_t count = 0;
  (*module)->walk([&](graph::CrossEntropyOp op) {
    EXPECT_EQ(static_cast<int64_t>(op.getIgnoreIndex()), -1);
    ++count;
  });
  EXPECT_GT(count, 0);
}

TEST(GraphJson, aRunSamplesFromLogits) {
  nlohmann::json document = lookups(4, 4, 3);
  document["ops"].push_back({{"op", "tanh"}, {"in", {"h"}}, {"out", "logits"}});
  document["outputs"] = {"logits"};
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(2));
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_TRUE((*module)->lookupSymbol("sample"));
  document["outputs"] = {"logits", "h"};
  EXPECT_EQ(refusal(document, trainingOf(2)),
            "m.json: outputs[1]: must be \"logits\", from which a run samples, is \"h\"");
}

TEST(GraphJson, aParameterIsNoInput) {
  nlohmann::json document = linear();
  document["params"]["x"] = document["params"]["w"];
  EXPECT_EQ(refusal(document), "m.json: params.x: is the name of an input, too");
}

/// If the model shifts sequences of labels by itself, the first labels count for nothing.
TEST(GraphJson, theFirstLabelsOfAnExampleMayCountForNothing) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 5]},
               "y": {"role": "labels", "shape": ["B", 5], "bound": 3, "first": 1}},
    "ops": [{"op": "mean_over", "in": ["x", "y"], "out": "a"},
            {"op": "mean_over", "in": ["x", "y"], "first": 4, "out": "b"},
            {"op": "add", "in": ["a", "b"], "out": "loss"}],
    "loss": "loss"
  })");
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
  ASSERT_TRUE(module) << module.status().message();
  const std::vector<LossShare> shares = lossShares((*module)->lookupSymbol<graph::StepOp>("evaluate"));
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].first, 1);
  EXPECT_EQ(shares[1].first, 4);
  document["inputs"]["y"]["first"] = 5;
  EXPECT_EQ(refusal(document), "m.json: inputs.y.first: must be a whole number from 0 to 4, is 5");
}

TEST(GraphJson, meansOverWhatIsNotCountedAreRefused) {
  auto refused = [](const char *pointer, const nlohmann::json &value) {
    nlohmann::json document = ofFiveTerms();
    document[nlohmann::json::json_pointer(pointer)] = value;
    return refusal(document);
  };
  EXPECT_EQ(refused("/ops/1/in/1", "x"), "m.json: ops[1].in[1]: must be an input of labels, is 4x3");
  EXPECT_EQ(refused("/ops/1/class_weights", {1, 2}),
            "m.json: ops[1].class_weights: must be 3 numbers, one for each class, is 2");
  EXPECT_EQ(refused("/ops/3/of", "rows"),
            "m.json: ops[3].of: must be \"examples\", \"micro_batches\" or \"batches\", is \"rows\"");
  nlohmann::json inBlock = ofFiveTerms();
  inBlock["blocks"] = {
      {"b", {{"in", {"h"}}, {"ops", {{{"op", "mean_over"}, {"in", {"h"}}, {"out", "k"}}}}, {"out", {"k"}}}}};
  inBlock["ops"].push_back({{"repeat", 1}, {"block", "b"}, {"carry", {"loss"}}, {"name", "n"}});
  EXPECT_EQ(refusal(inBlock),
            "m.json: blocks.b.ops[0].in[0]: must be a value of the model, not of a block, is 4");
}

TEST(GraphJson, resultsBeyondAnyMachineAreRefused) {
  nlohmann::json pad = {
      {"op", "pad"}, {"in", {"z"}}, {"before", {0, 1099511627776}}, {"after", {0, 0}}, {"out", "p"}};
  nlohmann::json document = linear();
  document["ops"].push_back(pad);
  EXPECT_EQ(refusal(document), "m.json: ops[2].out: must have at most 2^42 elements, is 4x1099511627778");
}

TEST(GraphJson, operationsNameTheirRule) {
  auto refused = [](const char *op) {
    nlohmann::json document = linear();
    document["ops"].push_back(nlohmann::json::parse(op));
    return refusal(document).substr(std::string("m.json: ops[2]").size());
  };
  EXPECT_EQ(refused(R"({"op": "add", "in": ["z", "w"], "out": "o"})"),
            ".in[1]: must broadcast with 4x2, is 3x2");
  EXPECT_EQ(refused(R"({"op": "transpose", "in": ["z"], "perm": [0, 0], "out": "o"})"),
            ".perm[1]: must name another dimension than those before, is 0");
  EXPECT_EQ(refused(R"({"op": "slice", "in": ["z"], "dims": [1], "starts": [2], "ends": [1], "out": "o"})"),
            ": the slice of dimension 1 must have elements and a step of at least 1");
  EXPECT_EQ(refused(R"({"op": "split", "in": ["z"], "dim": 1, "sizes": [1, 2], "out": ["a", "b"]})"),
            ".sizes: must be positive and add up to 2");
  EXPECT_EQ(refused(R"({"op": "split", "in": ["z"], "dim": 1, "sizes": [1, 1], "out": ["a"]})"),
            ".out: must be 2 names, is 1");
  EXPECT_EQ(refused(R"({"op": "constant", "value": [[1, 2], [3]], "out": "o"})"),
            ".value[1]: must be nested at most 6 deep, and as long as its neighbours");
  EXPECT_EQ(refused(R"({"op": "concat", "in": ["z", "x"], "dim": 0, "out": "o"})"),
            ".in[1]: must be 4x2, is 4x3");
  EXPECT_EQ(refused(R"({"op": "attention", "in": ["z", "z", "z"], "batch": "B", "heads": 3, "out": "o"})"),
            ".in[0]: must have a multiple of 3 columns, is 4x2");
  EXPECT_EQ(refused(R"({"op": "rotary", "in": ["z", "w", "w"], "heads": 1, "out": "o"})"),
            ".in[0]: must have 4 sequences of 3 tokens, as the tables have rows, is 4x2");
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

TEST(GraphJson, blocksTakeValuesThatStayTheSame) {
  nlohmann::json document = repeated();
  document["blocks"]["layer"]["in"] = {"a", "bias"};
  document["blocks"]["layer"]["ops"].push_back({{"op", "add"}, {"in", {"b", "bias"}}, {"out", "c"}});
  document["blocks"]["layer"]["out"] = {"c"};
  document["ops"][1]["with"] = {"y"};
  document["ops"][1]["first"] = 5;
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
  ASSERT_TRUE(module) << module.status().message();
  SmallVector<func::CallOp> calls((*module)->lookupSymbol<graph::StepOp>("evaluate").getOps<func::CallOp>());
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].getOperand(1), calls[2].getOperand(1));
  EXPECT_EQ(calls[2]->getAttrOfType<StringAttr>("layer"), "h.7");
  document["ops"][1]["with"] = {"y", "y"};
  EXPECT_EQ(refusal(document),
            "m.json: ops[1].carry: must be as many values as \"out\" of \"layer\", and together "
            "with \"with\" as many as its \"in\"");
}

/// A parameter belongs to the layer that reads it. Values computed from it may be passed in.
TEST(GraphJson, blocksTakeNoParametersOfOthers) {
  nlohmann::json document = repeated();
  document["params"]["p"] = {{"shape", {"B", "O"}}, {"init", 1}};
  document["blocks"]["layer"]["in"] = {"a", "more"};
  document["blocks"]["layer"]["ops"].push_back({{"op", "add"}, {"in", {"b", "more"}}, {"out", "c"}});
  document["blocks"]["layer"]["out"] = {"c"};
  nlohmann::json &ops = document["ops"];
  const nlohmann::json reshape = {{"op", "reshape"}, {"in", {"p"}}, {"shape", {"B", "O"}}, {"out", "same"}};
  ops.insert(ops.begin() + 1, reshape);
  const std::string rule = ": must be a value that an operation computes, and no parameter, is ";
  for (const char *name : {"p", "same"}) {
    ops[2]["carry"] = {"z"}, ops[2]["with"] = {name};
    EXPECT_EQ(refusal(document), "m.json: ops[2].with[0]" + rule + "\"" + name + "\"");
    ops[2]["carry"] = {name}, ops[2]["with"] = {"z"};
    EXPECT_EQ(refusal(document), "m.json: ops[2].carry[0]" + rule + "\"" + name + "\"");
  }
  ops[1] = {{"op", "add"}, {"in", {"p", "p"}}, {"out", "same"}};
  ops[2]["carry"] = {"z"}, ops[2]["with"] = {"same"};
  MLIRContext context;
  EXPECT_TRUE(buildGraph(context, document, "m.json", "", trainingOf(4)));
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
