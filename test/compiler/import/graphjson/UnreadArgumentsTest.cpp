// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer functions take what they read, and values that they return as they came go past their calls.
#include "compiler/import/graphjson/GraphJson.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// Two layers that take h, c and d, and return h' and what `second` names.
nlohmann::json withLayer(const nlohmann::json &ops, const char *second) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "D": 4},
    "inputs": {"x": {"role": "features", "shape": ["B", "D"]}},
    "blocks": {"layer": {"in": ["h", "c", "d"], "params": {"w": {"shape": ["D", "D"], "init": {"normal": 0.5}}},
                         "ops": [{"op": "matmul", "in": ["h", "w"], "out": "next"}]}},
    "ops": [{"op": "tanh", "in": ["x"], "out": "h"}, {"op": "sin", "in": ["x"], "out": "c"}, {"op": "cos", "in": ["x"], "out": "d"},
            {"repeat": 2, "block": "layer", "carry": ["h", "c"], "with": ["d"], "name": "layer.{i}"},
            {"op": "mul", "in": ["h", "c"], "out": "product"},
            {"op": "reduce", "kind": "sum", "in": ["product"], "dims": [1], "out": "loss"}],
    "loss": "loss"
  })");
  nlohmann::json &layer = document["blocks"]["layer"];
  layer["ops"].insert(layer["ops"].end(), ops.begin(), ops.end());
  layer["out"] = {"next", second};
  return document;
}

struct Imported {
  int64_t arguments = 0, results = 0; ///< of the layer function
  std::vector<std::string> layers;    ///< that are called
  bool readsFirst = false;            ///< whether the product reads the value before the layers
};

Imported imported(const nlohmann::json &ops, const char *second) {
  MLIRContext context;
  auto module = buildGraph(context, withLayer(ops, second), "m.json", "", trainingOf(2));
  EXPECT_TRUE(module) << module.status().message();
  Imported found;
  if (!module)
    return found;
  auto function = (*module)->lookupSymbol<func::FuncOp>("layer");
  found.arguments = function.getNumArguments();
  found.results = function.getNumResults();
  auto evaluate = (*module)->lookupSymbol<graph::StepOp>("evaluate");
  for (auto call : evaluate.getOps<func::CallOp>()) {
    EXPECT_EQ(call.getNumOperands(), function.getNumArguments());
    EXPECT_EQ(call.getNumResults(), function.getNumResults());
    found.layers.push_back(call->getAttrOfType<StringAttr>("layer").str());
  }
  for (auto map : evaluate.getOps<graph::MapOp>())
    if (map.getNumOperands() == 2)
      found.readsFirst = map.getOperand(1).getDefiningOp<graph::MapOp>() != nullptr;
  return found;
}

const std::vector<std::string> kLayers = {"layer.0", "layer.1"};

TEST(UnreadArguments, goPastTheCalls) {
  const auto nobody = nlohmann::json::parse(R"([{"op": "tanh", "in": ["d"], "out": "unread"}])");
  const Imported past = imported(nobody, "c");
  EXPECT_EQ(past.arguments, 2) << "h and the parameter";
  EXPECT_EQ(past.results, 1);
  EXPECT_EQ(past.layers, kLayers);
  EXPECT_TRUE(past.readsFirst);
}

TEST(UnreadArguments, areThoseThatNothingReads) {
  const auto reads = nlohmann::json::parse(R"([{"op": "add", "in": ["c", "d"], "out": "sum"}])");
  const Imported all = imported(reads, "sum");
  EXPECT_EQ(all.arguments, 4);
  EXPECT_EQ(all.results, 2);
  EXPECT_EQ(all.layers, kLayers);
  EXPECT_FALSE(all.readsFirst);
}

/// A parameter belongs to its layer, whatever the layer does with it.
TEST(UnreadArguments, areNoParameters) {
  const auto nobody = nlohmann::json::parse(R"([{"op": "add", "in": ["c", "v"], "out": "unread"}])");
  nlohmann::json document = withLayer(nobody, "v");
  document["blocks"]["layer"]["params"]["v"] = {{"shape", {"B", "D"}}, {"init", 1}};
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(2));
  ASSERT_TRUE(module) << module.status().message();
  auto function = (*module)->lookupSymbol<func::FuncOp>("layer");
  EXPECT_EQ(function.getNumArguments(), 3u) << "h and both parameters";
  EXPECT_EQ(function.getNumResults(), 2u);
}

} // namespace
