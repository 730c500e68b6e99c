// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The labels that inputs, cross-entropies and means over labels of a graph JSON ignore.
#include "compiler/import/graphjson/IgnoredLabels.h"

#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/graphjson/LossShares.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// A cross-entropy of the labels of y, and a mean over them if `mean` is an operation.
nlohmann::json ignoring(const nlohmann::json &ofInput, const nlohmann::json &ofLoss,
                        const nlohmann::json &mean = nullptr) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 2, 3]},
               "y": {"role": "classes", "shape": ["B", 2], "bound": 3}},
    "ops": [{"op": "reshape", "in": ["x"], "shape": ["2*B", 3], "out": "rows"},
            {"op": "reshape", "in": ["y"], "shape": ["2*B"], "out": "column"},
            {"op": "cross_entropy", "in": ["rows", "column"], "out": "e"}],
    "loss": "e"
  })");
  if (!ofInput.is_null())
    document["inputs"]["y"]["ignored"] = ofInput;
  if (!ofLoss.is_null())
    document["ops"][2]["ignore_index"] = ofLoss;
  if (!mean.is_null()) {
    document["ops"].push_back({{"op", "mean_over"}, {"in", {"e", "y"}}, {"out", "m"}});
    document["ops"][3].update(mean);
    document["loss"] = "m";
  }
  return document;
}

/// What the input y ignores, then what each cross-entropy and each mean over labels does.
std::vector<int64_t> ignoredIn(const nlohmann::json &document) {
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
  EXPECT_TRUE(module) << module.status().message();
  if (!module)
    return {};
  auto evaluate = (*module)->lookupSymbol<graph::StepOp>("evaluate");
  std::vector<int64_t> labels;
  for (auto feed : evaluate.getOps<graph::FeedOp>())
    if (feed.getItem() == "y") {
      auto ignored = feed->getAttrOfType<IntegerAttr>(graph::kIgnored);
      labels.push_back(ignored ? ignored.getInt() : graph::kIgnoredLabel);
    }
  (*module)->walk(
      [&](graph::CrossEntropyOp op) { labels.push_back(static_cast<int64_t>(op.getIgnoreIndex())); });
  for (const LossShare &share : lossShares(evaluate))
    if (share.of == "labels")
      labels.push_back(share.ignored);
  return labels;
}

std::string refusal(const nlohmann::json &document) {
  MLIRContext context;
  auto module = buildGraph(context, document, "m.json", "", trainingOf(4));
  EXPECT_FALSE(module) << document.dump(1);
  EXPECT_EQ(module.status().code(), ExitCode::BadInput) << module.status().message();
  return module.status().message();
}

/// The loss is divided by the number of the labels that the input does not ignore.
TEST(IgnoredLabels, anInputIgnoresWhatItsCrossEntropiesIgnore) {
  using Labels = std::vector<int64_t>;
  EXPECT_EQ(ignoredIn(ignoring({}, {})), (Labels{-100, -100}));
  EXPECT_EQ(ignoredIn(ignoring({}, 2)), (Labels{2, 2}));
  EXPECT_EQ(ignoredIn(ignoring(2, {})), (Labels{2, 2}));
  EXPECT_EQ(ignoredIn(ignoring(2, 2)), (Labels{2, 2}));
  EXPECT_EQ(ignoredIn(ignoring({}, 2, nlohmann::json::object())), (Labels{2, 2, 2}));
  EXPECT_EQ(ignoredIn(ignoring({}, 2, {{"ignored", 2}})), (Labels{2, 2, 2}));
  nlohmann::json two = ignoring({}, 2);
  two["ops"].push_back({{"op", "cross_entropy"}, {"in", {"rows", "column"}}, {"out", "f"}});
  two["ops"].push_back({{"op", "add"}, {"in", {"e", "f"}}, {"out", "sum"}});
  two["loss"] = "sum";
  EXPECT_EQ(ignoredIn(two), (Labels{2, 2, 2})) << "the second names none";
  nlohmann::json beside = ignoring({}, 2, {{"ignored", 2}});
  beside["ops"].push_back({{"op", "cross_entropy"}, {"in", {"rows", "column"}}, {"out", "f"}});
  beside["ops"].push_back({{"op", "add"}, {"in", {"m", "f"}}, {"out", "sum"}});
  beside["loss"] = "sum";
  EXPECT_EQ(ignoredIn(beside), (Labels{-100, 2, -100, 2})) << "the first is divided by a number of its own";
}

TEST(IgnoredLabels, aCrossEntropyThatIgnoresAnotherLabelThanItsInputIsRefused) {
  const std::string rule =
      "m.json: ops[2].ignore_index: must be 2, the label that its input \"y\" ignores, is ";
  EXPECT_EQ(refusal(ignoring(2, 1)), rule + "1");
  EXPECT_EQ(refusal(ignoring(2, -100)), rule + "-100");
  EXPECT_EQ(refusal(ignoring(2, 1, nlohmann::json::object())), rule + "1") << "it is a mean over others";
  nlohmann::json two = ignoring({}, 2);
  two["ops"].push_back(
      {{"op", "cross_entropy"}, {"in", {"rows", "column"}}, {"ignore_index", 1}, {"out", "f"}});
  two["ops"].push_back({{"op", "add"}, {"in", {"e", "f"}}, {"out", "sum"}});
  two["loss"] = "sum";
  EXPECT_EQ(refusal(two),
            "m.json: ops[2].ignore_index: must be -100, the label that its input \"y\" ignores, is 2");
}

/// These are divided by numbers of their own, so that the input may ignore another label.
TEST(IgnoredLabels, aMeanOfItsOwnMayIgnoreAnotherLabelThanItsInput) {
  using Labels = std::vector<int64_t>;
  EXPECT_EQ(ignoredIn(ignoring(2, 1, {{"ignored", 1}})), (Labels{2, 1, 1}));
  EXPECT_EQ(ignoredIn(ignoring(2, 1, {{"in", {"e"}}, {"of", "batches"}})), (Labels{2, 1}));
  nlohmann::json other = ignoring(2, 1, {{"in", {"e", "z"}}});
  other["inputs"]["z"] = {{"role", "other_labels"}, {"shape", {"B"}}, {"bound", 3}};
  EXPECT_EQ(ignoredIn(other), (Labels{2, 1, -100}));
  nlohmann::json unread = ignoring(2, 1);
  unread["ops"].push_back({{"op", "mse"}, {"in", {"rows", "rows"}}, {"out", "own"}});
  unread["loss"] = "own";
  EXPECT_EQ(ignoredIn(unread), (Labels{2, 1})) << "it is no part of the loss";
}

/// A block reads no input, but values that it is given.
TEST(IgnoredLabels, crossEntropiesOfBlocksIgnoreWhatTheirInputsIgnore) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 3]},
               "y": {"role": "classes", "shape": ["B"], "bound": 3}},
    "blocks": {"b": {"in": ["h", "losses", "labels"],
                     "ops": [{"op": "cross_entropy", "in": ["h", "labels"], "out": "own"},
                             {"op": "add", "in": ["losses", "own"], "out": "sum"}],
                     "out": ["h", "sum"]}},
    "ops": [{"op": "reduce", "kind": "sum", "in": ["x"], "dims": [1], "out": "e"},
            {"repeat": 1, "block": "b", "carry": ["x", "e"], "with": ["y"], "name": "n"}],
    "loss": "e"
  })");
  EXPECT_EQ(ignoredIn(document), (std::vector<int64_t>{-100, -100}));
  nlohmann::json named = document;
  named["blocks"]["b"]["ops"][0]["ignore_index"] = 2;
  EXPECT_EQ(ignoredIn(named), (std::vector<int64_t>{2, 2}));
  named["inputs"]["y"]["ignored"] = 1;
  EXPECT_EQ(refusal(named),
            "m.json: blocks.b.ops[0].ignore_index: must be 1, the label that its input \"y\" ignores, is 2");
  document["inputs"]["y"]["ignored"] = 1;
  EXPECT_EQ(
      refusal(document),
      "m.json: blocks.b.ops[0]: needs \"ignore_index\" 1, the label that its input \"y\" ignores: without "
      "the key a block ignores -100");
}

} // namespace
