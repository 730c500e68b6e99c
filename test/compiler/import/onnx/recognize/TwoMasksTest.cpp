// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A causal mask and another mask of the same scores, which may hide all keys of a query together.
#include "test/compiler/import/onnx/recognize/TwoMasks.h"
#include <limits>

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                kLowest = std::numeric_limits<float>::lowest();

/// Attention as GPT-2 spells it: later keys get the score `never`, and then `second` is added: "padding" of
/// the data, a "bias" that is learned, or nothing.
ModelMaker spelledModel(float never, const std::string &second) {
  ModelMaker maker;
  maker.input("q", {-1, 2, 4, 3});
  maker.input("k", {-1, 2, 3, 4});
  maker.input("v", {-1, 2, 4, 3});
  maker.weight("scale", {3}, {1, 2, 3});
  maker.weight("bias.weight", {2, 4, 4}, std::vector<float>(32, 0.5F));
  addTriangle(maker);
  addNumber(maker, "never", never);
  maker.node("Mul", {"q", "scale"}, "scaled");
  maker.node("MatMul", {"scaled", "k"}, "scores");
  maker.node("Where", {"onnx::triangle", "scores", "never"}, "masked");
  if (second == "padding")
    maker.input("padding", {-1, 1, 1, 4});
  if (!second.empty())
    maker.node("Add", {"masked", second}, "both");
  setAttribute(maker.node("Softmax", {second.empty() ? "masked" : "both"}, "p"), "axis", int64_t(-1));
  maker.node("MatMul", {"p", "v"}, "y");
  maker.loss("ReduceSum", "y");
  return maker;
}

const json *findOp(const json &ops, const std::string &op) {
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const json &one) { return one["op"] == op; });
  return found == ops.end() ? nullptr : &*found;
}

/// A query at padding in front sees no key that is not hidden. If a finite number hides the later ones, their
/// scores count beside those of padding, which no attention operation knows.
TEST(OnnxTwoMasks, finiteOnesStayAsTheyAreSpelt) {
  struct Case {
    float never;
    std::string second;
    bool isAttention;
  };
  for (const Case &one : {Case{kLowest, "padding", false},
                          {-1e4F, "padding", false},
                          {-kInfinity, "padding", true},
                          {kLowest, "bias.weight", true},
                          {kLowest, "", true}}) {
    Result<OnnxDescription> description = describeModel(spelledModel(one.never, one.second));
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    const json *attention = findOp(ops, "attention");
    EXPECT_EQ(attention != nullptr, one.isAttention) << one.never << " " << one.second << ops.dump(1);
    EXPECT_EQ(findOp(ops, "softmax") != nullptr, !one.isAttention);
    if (attention) {
      EXPECT_EQ(attention->at("causal"), true);
      EXPECT_EQ(attention->at("in").size(), one.second.empty() ? 3U : 4U);
    }
  }
}

/// If the mask of the data hides later keys as well, their probability is 0 beside that of the query's own
/// key, which is hidden once. It is not if the sum of both numbers rounds to one of them.
TEST(OnnxTwoMasks, laterKeysThatAreHiddenTwiceAreNotSeen) {
  struct Case {
    TwoMasks masks;
    bool isAttention;
  };
  for (const Case &one : {Case{{kLowest, kLowest, Second::Truths}, true},
                          {{kLowest, kLowest, Second::Numbers}, true},
                          {{kLowest, kLowest, Second::Before}, true},
                          {{-1e9F, -1e9F, Second::Truths}, true},
                          {{-1e4F, -1e4F, Second::Truths}, true},
                          {{kLowest, -1e4F, Second::Truths}, true},
                          {{kLowest, -1, Second::Truths}, true},
                          {{-1e4F, kLowest, Second::Truths}, false},
                          {{-1e30F, kLowest, Second::Numbers}, false},
                          {{kLowest, -kInfinity, Second::Truths}, false},
                          {{kLowest, kLowest, Second::NotCausal}, false}}) {
    Result<OnnxDescription> description = describeModel(twoMasksModel(one.masks));
    ASSERT_TRUE(description) << description.status().message();
    const json &ops = description->document["ops"];
    const json *attention = findOp(ops, "attention");
    EXPECT_EQ(attention != nullptr, one.isAttention) << one.masks.never << " " << one.masks.hides;
    EXPECT_EQ(findOp(ops, "softmax") != nullptr, !one.isAttention);
    if (attention)
      EXPECT_EQ(attention->at("causal"), true);
  }
}

/// ONNX's attention with truth values that depend on data. Each of 4 queries has a mask of its own, or all
/// have one. `rank`: of queries, keys and values.
ModelMaker ownModel(bool isCausal, size_t rank, int64_t rows = 4) {
  ModelMaker maker(23);
  const std::vector<int64_t> shape =
      rank == 4 ? std::vector<int64_t>{-1, 2, 4, 3} : std::vector<int64_t>{-1, 4, 6};
  maker.input("x", shape);
  maker.input("visible", {-1, 1, rows, 4});
  maker.weight("scale", {shape.back()}, std::vector<float>(static_cast<size_t>(shape.back()), 2));
  addNumber(maker, "zero", 0);
  maker.node("Mul", {"x", "scale"}, "queries");
  maker.node("Greater", {"visible", "zero"}, "sees");
  onnx::wire::Node &node = maker.node("Attention", {"queries", "x", "x", "sees"}, "mixed");
  setAttribute(node, "is_causal", int64_t(isCausal));
  if (rank == 3) {
    setAttribute(node, "q_num_heads", int64_t(2));
    setAttribute(node, "kv_num_heads", int64_t(2));
  }
  maker.loss("ReduceSum", "mixed");
  return maker;
}

/// A query sees none if the mask shows later keys alone: its keys are counted in the lower triangle.
TEST(OnnxTwoMasks, aQuerySeesNoLaterKey) {
  for (size_t rank : {3, 4})
    for (int64_t rows : {1, 4})
      for (bool isCausal : {false, true}) {
        Result<OnnxDescription> description = describeModel(ownModel(isCausal, rank, rows));
        ASSERT_TRUE(description) << description.status().message();
        const json &ops = description->document["ops"];
        ASSERT_TRUE(findOp(ops, "attention"));
        EXPECT_EQ(findOp(ops, "attention")->at("causal"), isCausal);
        EXPECT_EQ(findOp(ops, "positions") != nullptr, isCausal) << ops.dump(1);
        const auto choices =
            std::count_if(ops.begin(), ops.end(), [](const json &op) { return op["op"] == "where"; });
        EXPECT_EQ(choices, isCausal ? 3 : 2); // of numbers for truth values, of rows, and of the triangle
      }
}

TEST(OnnxTwoMasks, aMaskHasTheShapeOfScores) {
  for (size_t rank : {3, 4}) {
    Result<OnnxDescription> description = describeModel(ownModel(false, rank, /*rows=*/3));
    ASSERT_FALSE(description);
    EXPECT_NE(description.status().message().find(
                  "node \"/mixed\" (Attention): the mask must broadcast to 4x2x4x4, is 4x1x3x4"),
              std::string::npos)
        << description.status().message();
  }
}

} // namespace
