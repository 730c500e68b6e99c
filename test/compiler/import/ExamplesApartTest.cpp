// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the loss of a model is a sum of terms that each depend on one example.
#include "passes/Graph/ExamplesApart.h"

#include "compiler/import/graphjson/GraphJson.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;
using nlohmann::json;

namespace {

constexpr int64_t kExamples = 4;

/// A model of these operations, from "z", with two numbers per example, to "e".
json modelOf(const std::vector<json> &ops) {
  json document = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "I": 3, "O": 2},
    "inputs": {"x": {"role": "features", "shape": ["B", "I"]}, "y": {"role": "targets", "shape": ["B", "O"]}},
    "params": {"w": {"shape": ["I", "O"], "init": {"normal": 0.5}}, "rows": {"shape": ["B", "O"], "init": 1},
               "row": {"shape": ["O"], "init": 1}, "mean": {"shape": ["O"], "init": 0, "group": "statistics"},
               "variance": {"shape": ["O"], "init": 1, "group": "statistics"}},
    "ops": [{"op": "matmul", "in": ["x", "w"], "out": "z"}],
    "loss": "e"
  })");
  for (const json &op : ops)
    document["ops"].push_back(op);
  const auto isRead = [&](const char *name) {
    return std::ranges::any_of(ops, [&](const json &op) {
      return op.contains("in") && std::find(op["in"].begin(), op["in"].end(), json(name)) != op["in"].end();
    });
  };
  // A value that no operation reads would be refused.
  for (const char *name : {"mean", "variance", "rows", "row"})
    if (!isRead(name))
      document["params"].erase(name);
  if (!isRead("y"))
    document["inputs"].erase("y");
  return document;
}

/// Whether examples are apart in such a model.
bool areApart(const std::vector<json> &ops) {
  MLIRContext context;
  auto module = buildGraph(context, modelOf(ops), "m.json", "", trainingOf(kExamples));
  EXPECT_TRUE(module) << module.status().message();
  return module && graph::areExamplesApart(**module, kExamples);
}

json op(const char *name, const std::vector<std::string> &in, const char *out,
        const json &keys = json::object()) {
  json made = {{"op", name}, {"out", out}};
  if (!in.empty())
    made["in"] = in;
  made.update(keys);
  return made;
}

TEST(ExamplesApart, whereEachIsComputedByItself) {
  EXPECT_TRUE(areApart({op("mse", {"z", "y"}, "e")}));
  EXPECT_TRUE(
      areApart({op("mul", {"z", "row"}, "a"), op("softmax", {"a"}, "s"), op("mse", {"s", "y"}, "e")}));
  EXPECT_TRUE(areApart({op("reshape", {"z"}, "a", {{"shape", {"B", 2, 1}}}),
                        op("concat", {"a", "a"}, "c", {{"dim", 2}}),
                        op("reduce", {"c"}, "e", {{"kind", "max"}, {"dims", {2}}})}));
  EXPECT_TRUE(areApart({op("mse", {"z", "y"}, "a"), op("constant", {}, "two", {{"value", 2}}),
                        op("reduce", {"a"}, "s", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                        op("mul", {"s", "two"}, "e")}))
      << "a number of times the sum is linear in it";
  EXPECT_TRUE(areApart({op("transpose", {"z"}, "t", {{"perm", {1, 0}}}),
                        op("reshape", {"t"}, "r", {{"shape", {json("2*B"), 1}}}), op("tanh", {"r"}, "h"),
                        op("reduce", {"h"}, "e", {{"kind", "sum"}, {"dims", {0}}})}))
      << "examples that take turns, as in sequences whose first dimension is the position";
}

TEST(ExamplesApart, notWhereExamplesMeet) {
  EXPECT_FALSE(areApart({op("softmax", {"z"}, "s", {{"dim", 0}}), op("mse", {"s", "y"}, "e")}));
  EXPECT_FALSE(areApart({op("reduce", {"z"}, "m", {{"kind", "mean"}, {"dims", {0}}}),
                         op("sub", {"z", "m"}, "c"), op("mse", {"c", "y"}, "e")}));
  EXPECT_FALSE(areApart({op("matmul", {"z", "z"}, "pairs", {{"trans_b", true}}),
                         op("reduce", {"pairs"}, "e", {{"kind", "sum"}, {"dims", {1}}})}))
      << "each row is of one example, but reads all of them";
  EXPECT_FALSE(areApart({op("reduce", {"z"}, "e", {{"kind", "max"}, {"dims", {0}}})}));
  EXPECT_FALSE(areApart({op("mse", {"z", "y"}, "a"),
                         op("reduce", {"a"}, "s", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                         op("sqrt", {"s"}, "e")}));
  EXPECT_FALSE(areApart({op("mul", {"z", "rows"}, "a"), op("mse", {"a", "y"}, "e")}))
      << "a number of its own for each place in the batch";
  EXPECT_FALSE(areApart({op("positions", {"z"}, "p", {{"dim", 0}}), op("cast", {"p"}, "f", {{"type", "f32"}}),
                         op("add", {"z", "f"}, "a"), op("mse", {"a", "y"}, "e")}));
  EXPECT_FALSE(areApart({op("batch_norm", {"z", "row", "row", "mean", "variance"}, "n", {{"eps", 1e-5}}),
                         op("mse", {"n", "y"}, "e")}));
  EXPECT_FALSE(areApart({op("mse", {"z", "y"}, "a"),
                         op("reduce", {"a"}, "s", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                         op("reduce", {"row"}, "r", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                         op("add", {"s", "r"}, "e")}))
      << "what is added to the sum is added once for each micro-batch";
}

/// The operation where examples first meet in such a model.
struct Found {
  std::string name; ///< empty if they do not meet
  bool isOfNumbers = false;

  bool operator==(const Found &) const = default;
};

void PrintTo(const Found &found, std::ostream *out) {
  *out << found.name << (found.isOfNumbers ? " of numbers" : "");
}

Found meetingIn(const std::vector<json> &ops) {
  MLIRContext context;
  auto module = buildGraph(context, modelOf(ops), "m.json", "", trainingOf(kExamples));
  EXPECT_TRUE(module) << module.status().message();
  const graph::Meeting met = module ? graph::meetingOfExamples(**module, kExamples) : graph::Meeting();
  if (!met.op)
    return {};
  return {cast<NameLoc>(cast<NameLoc>(met.op->getLoc()).getChildLoc()).getName().str(), met.isOfNumbers};
}

TEST(ExamplesApart, theFirstMeetingIsNamed) {
  const json first = {{"kind", "mean"}, {"dims", {0}}};
  EXPECT_EQ(meetingIn({op("softmax", {"z"}, "s", {{"dim", 0}}), op("tanh", {"s"}, "h"),
                       op("mse", {"h", "y"}, "e")}),
            Found{"s"});
  EXPECT_EQ(
      meetingIn({op("reduce", {"z"}, "m", first), op("sub", {"z", "m"}, "c"), op("mse", {"c", "y"}, "e")}),
      Found{"m"});
  EXPECT_EQ(meetingIn({op("reduce", {"z"}, "m", first), op("tanh", {"m"}, "h"),
                       op("reduce", {"h"}, "e", {{"kind", "sum"}, {"dims", {0}}})}),
            Found{"m"});
  EXPECT_EQ(meetingIn({op("matmul", {"z", "z"}, "pairs", {{"trans_b", true}}),
                       op("reduce", {"pairs"}, "e", {{"kind", "sum"}, {"dims", {1}}})}),
            Found{"pairs"});
}

/// What areExamplesApart refuses, though no example meets another one.
TEST(ExamplesApart, noMeetingIsWhereOneExampleMeetsItsPlaceOrALayersStatistics) {
  EXPECT_EQ(meetingIn({op("mse", {"z", "y"}, "e")}), Found());
  EXPECT_EQ(meetingIn({op("mul", {"z", "rows"}, "a"), op("mse", {"a", "y"}, "e")}), Found());
  EXPECT_EQ(meetingIn({op("batch_norm", {"z", "row", "row", "mean", "variance"}, "n", {{"eps", 1e-5}}),
                       op("mse", {"n", "y"}, "e")}),
            Found());
  EXPECT_EQ(meetingIn({op("mse", {"z", "y"}, "a"),
                       op("reduce", {"a"}, "s", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                       op("reduce", {"row"}, "r", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                       op("add", {"s", "r"}, "e")}),
            Found())
      << "a term without data";
}

TEST(ExamplesApart, sumsOverExamplesMeetInANumber) {
  EXPECT_EQ(meetingIn({op("mse", {"z", "y"}, "a"),
                       op("reduce", {"a"}, "s", {{"kind", "sum"}, {"dims", {0}}, {"keep", true}}),
                       op("sqrt", {"s"}, "e")}),
            (Found{"s", true}));
}

class OfFamilies : public testing::TestWithParam<const char *> {};

TEST_P(OfFamilies, examplesAreApart) {
  MLIRContext context;
  auto module = importOrFail(context, fixturePath(GetParam()), trainingOf(11));
  ASSERT_TRUE(module);
  EXPECT_TRUE(graph::areExamplesApart(*module, 11));
}

/// Whatever other dimension the model has of as many elements as there are examples.
TEST_P(OfFamilies, examplesDoNotMeet) {
  for (int64_t examples : {2, 3, 4, 8, 11}) {
    MLIRContext context;
    auto module = importOrFail(context, fixturePath(GetParam()), trainingOf(examples));
    ASSERT_TRUE(module);
    EXPECT_EQ(graph::meetingOfExamples(*module, examples).op, nullptr) << examples;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, OfFamilies,
                         testing::Values("gpt2", "gpt2_dropout", "llama", "mistral", "qwen2", "qwen3", "bert",
                                         "bert_dropout", "bert_sequences", "bert_tokens", "vit",
                                         "onnx/cnn.dynamo.18.onnx", "onnx/resnet_frozen.script.13.raw.onnx",
                                         "onnx/vit_sdpa.script.17.onnx", "onnx/two_losses.dynamo.18.onnx"));

/// Models with batch norms that train, or whose examples pick rows of their own by their place.
TEST(ExamplesApart, noMeetingIsInFixturesThatAreNotSumsOverExamples) {
  for (const char *file :
       {"resnet.script.17.raw", "fresh_norms.dynamo.18", "spans.dynamo.18", "spans.script.17"})
    for (int64_t examples : {2, 4, 11}) {
      MLIRContext context;
      auto module =
          importOrFail(context, fixturePath("onnx/" + std::string(file) + ".onnx"), trainingOf(examples));
      ASSERT_TRUE(module);
      EXPECT_FALSE(graph::areExamplesApart(*module, examples)) << file;
      EXPECT_EQ(graph::meetingOfExamples(*module, examples).op, nullptr) << file;
    }
}

/// A mean over the batch is a sum over examples, divided by their number: another micro-batch scales it.
TEST(ExamplesApart, numbersTellWhatIsDividedByTheirNumber) {
  const auto dependOnTheBatch = [](const std::vector<json> &ops) {
    std::vector<std::vector<double>> numbers;
    for (int64_t examples : {11, 13}) {
      MLIRContext context;
      auto module = buildGraph(context, modelOf(ops), "m.json", "", trainingOf(examples));
      EXPECT_TRUE(module) << module.status().message();
      if (module)
        numbers.push_back(graph::numbersOf(**module));
    }
    return numbers.front() != numbers.back();
  };
  EXPECT_FALSE(dependOnTheBatch({op("mse", {"z", "y"}, "e")}));
  EXPECT_FALSE(dependOnTheBatch({op("reduce", {"z"}, "e", {{"kind", "mean"}, {"dims", {1}}})}));
  EXPECT_TRUE(dependOnTheBatch({op("reduce", {"z"}, "e", {{"kind", "mean"}, {"dims", {0, 1}}})}));
  EXPECT_TRUE(areApart({op("reduce", {"z"}, "e", {{"kind", "mean"}, {"dims", {0, 1}}})}))
      << "the sum is one over examples all the same";
}

} // namespace
