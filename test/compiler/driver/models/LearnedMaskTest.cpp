// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learned masks of attention, such as biases of relative positions, train, and no strategy changes a bit of
// them, in any type, with whole scores or with blocks of scores. A mask that adds the same number far below 0
// to all keys of a query hides none of them.
#include "test/support/EndToEnd.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Two layers of two heads over 8 tokens of 4 features. The bias of pairs is the same for all examples. The
/// bias of keys has a row per head. In the layers the mask is an argument, behind them an operand.
const char *const kModel = R"({
  "format": "windlass.model/1",
  "dims": {"B": "batch", "T": 8, "D": 4, "H": 2},
  "inputs": {"x": {"role": "features", "shape": ["B", "T", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
  "params": {"pairs": {"shape": ["H", "T", "T"], "init": {"normal": 1}},
             "keys": {"shape": ["H", 1, "T"], "init": {"normal": 1}}},
  "blocks": {
    "layer": {
      "in": ["h", "mask"],
      "params": {"q": {"shape": ["D", "D"], "init": {"normal": 0.5}}, "k": {"shape": ["D", "D"], "init": {"normal": 0.5}}},
      "ops": [
        {"op": "matmul", "in": ["h", "q"], "out": "query"},
        {"op": "matmul", "in": ["h", "k"], "out": "key"},
        {"op": "attention", "in": ["query", "key", "h", "mask"], "batch": "B", "heads": "H", "causal": true, "out": "mixed"},
        {"op": "add", "in": ["h", "mixed"], "out": "next"}
      ],
      "out": ["next"]
    }
  },
  "ops": [
    {"op": "reshape", "in": ["x"], "shape": ["B*T", "D"], "out": "h"},
    {"op": "tanh", "in": ["pairs"], "out": "mask"},
    {"repeat": 2, "block": "layer", "carry": ["h"], "with": ["mask"], "name": "layer.{i}"},
    {"op": "attention", "in": ["h", "h", "h", "keys"], "batch": "B", "heads": "H", "out": "mixed"},
    {"op": "reshape", "in": ["mixed"], "shape": ["B", "T", "D"], "out": "tokens"},
    {"op": "reduce", "kind": "mean", "in": ["tokens"], "dims": [1], "out": "prediction"},
    {"op": "mse", "in": ["prediction", "y"], "out": "losses"}
  ],
  "loss": "losses"
})";

struct Case {
  std::string name, compute;
  int64_t block; ///< bytes of tile.attention; 0: the key is absent
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

/// Attentions whose scores are 0 plus what masks add. The masks are the same number everywhere. There are a
/// mask of pairs and one of keys, with causal attention, without, and within a window.
json hiding(double added) {
  json model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "T": 8, "D": 4, "H": 2},
    "inputs": {"x": {"role": "features", "shape": ["B", "T", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
    "params": {"q": {"shape": ["D", "D"], "init": 0}, "k": {"shape": ["D", "D"], "init": {"normal": 0.5}},
               "pairs": {"shape": ["H", "T", "T"], "init": 0}, "keys": {"shape": ["H", 1, "T"], "init": 0}},
    "ops": [
      {"op": "constant", "out": "number"},
      {"op": "add", "in": ["pairs", "number"], "out": "of_pairs"},
      {"op": "add", "in": ["keys", "number"], "out": "of_keys"},
      {"op": "reshape", "in": ["x"], "shape": ["B*T", "D"], "out": "h"},
      {"op": "matmul", "in": ["h", "q"], "out": "query"},
      {"op": "matmul", "in": ["h", "k"], "out": "key"},
      {"op": "attention", "in": ["query", "key", "h", "of_pairs"], "batch": "B", "heads": "H", "causal": true, "out": "h1"},
      {"op": "attention", "in": ["query", "key", "h1", "of_keys"], "batch": "B", "heads": "H", "causal": true, "out": "h2"},
      {"op": "attention", "in": ["query", "key", "h2", "of_keys"], "batch": "B", "heads": "H", "causal": true, "window": 3, "out": "h3"},
      {"op": "attention", "in": ["query", "key", "h3", "of_keys"], "batch": "B", "heads": "H", "out": "mixed"},
      {"op": "reshape", "in": ["mixed"], "shape": ["B", "T", "D"], "out": "tokens"},
      {"op": "reduce", "kind": "mean", "in": ["tokens"], "dims": [1], "out": "prediction"},
      {"op": "mse", "in": ["prediction", "y"], "out": "losses"}
    ],
    "loss": "losses"
  })");
  model["ops"][0]["value"] = added;
  return model;
}

/// Attentions whose scores are 0 plus a mask that comes from an input and is the same number everywhere: an
/// argument of layers, and an operand behind them.
json hidingByInput(double added) {
  json model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "T": 8, "D": 4, "H": 2},
    "inputs": {"x": {"role": "features", "shape": ["B", "T", "D"]},
               "seen": {"role": "tokens", "shape": ["B", "T"], "bound": 2},
               "y": {"role": "targets", "shape": ["B", "D"]}},
    "params": {"q": {"shape": ["D", "D"], "init": 0}},
    "blocks": {
      "layer": {
        "in": ["h", "mask"],
        "params": {"q": {"shape": ["D", "D"], "init": 0}},
        "ops": [
          {"op": "matmul", "in": ["h", "q"], "out": "query"},
          {"op": "attention", "in": ["query", "h", "h", "mask"], "batch": "B", "heads": "H", "out": "mixed"},
          {"op": "add", "in": ["h", "mixed"], "out": "next"}
        ],
        "out": ["next"]
      }
    },
    "ops": [
      {"op": "constant", "out": "number"},
      {"op": "constant", "value": 0, "out": "none"},
      {"op": "constant", "value": 2, "type": "i32", "out": "bound"},
      {"op": "less", "in": ["seen", "bound"], "out": "always"},
      {"op": "where", "in": ["always", "number", "none"], "out": "rows"},
      {"op": "reshape", "in": ["rows"], "shape": ["B", 1, 1, "T"], "out": "mask"},
      {"op": "reshape", "in": ["x"], "shape": ["B*T", "D"], "out": "h"},
      {"repeat": 2, "block": "layer", "carry": ["h"], "with": ["mask"], "name": "layer.{i}"},
      {"op": "matmul", "in": ["h", "q"], "out": "query"},
      {"op": "attention", "in": ["query", "h", "h", "mask"], "batch": "B", "heads": "H", "out": "mixed"},
      {"op": "reshape", "in": ["mixed"], "shape": ["B", "T", "D"], "out": "tokens"},
      {"op": "reduce", "kind": "mean", "in": ["tokens"], "dims": [1], "out": "prediction"},
      {"op": "mse", "in": ["prediction", "y"], "out": "losses"}
    ],
    "loss": "losses"
  })");
  model["ops"][0]["value"] = added;
  return model;
}

class LearnedMask : public ::testing::TestWithParam<Case> {
protected:
  static Job job(const json &decisions) {
    Job job = tinyGpt2(2, 2, 2).with({{"precision", {{"compute", GetParam().compute}}}});
    job.model = json::parse(kModel);
    if (GetParam().block > 0)
      job.training["tile"] = {{"attention", GetParam().block}};
    return job.with(decisions);
  }

  /// What one step trains with scores of 0; after it, neither q nor a learned mask is the same everywhere.
  static Outcome trainOnce(const json &model) {
    Job once = job({{"zero_stage", 1}});
    once.model = model;
    std::unique_ptr<Compiled> compiled = compileJob(once);
    if (!compiled)
      return Outcome();
    RunSettings settings;
    settings.steps = 1;
    const Outcome outcome = train(*compiled, settings);
    EXPECT_TRUE(std::ranges::any_of(outcome.states.at("momentum/q"),
                                    [](std::byte byte) { return byte != std::byte(0); }));
    return outcome;
  }
};

TEST_P(LearnedMask, trainsAlikeUnderEveryDecision) {
  std::unique_ptr<Compiled> base = compileJob(job({{"zero_stage", 1}}));
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  RunSettings none;
  none.steps = 0;
  const Outcome before = train(*base, none);
  for (const char *mask : {"parameter/pairs", "parameter/keys"})
    EXPECT_NE(expected.states.at(mask), before.states.at(mask)) << mask;
  for (const json &decisions : {json{{"zero_stage", 2}, {"recompute", "full"}},
                                json{{"zero_stage", 3}, {"micro_batch_order", "vertical"}}}) {
    SCOPED_TRACE(decisions.dump());
    std::unique_ptr<Compiled> decided = compileJob(job(decisions));
    ASSERT_TRUE(decided);
    ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
    expectSameBits(expected, train(*decided));
  }
}

TEST_P(LearnedMask, whatHidesAllKeysAlikeHidesNone) {
  const Outcome seen = trainOnce(hiding(0));
  const bool isHalf = GetParam().compute == "fp16"; // a learned mask in f16 has no number further from 0
  for (double number : isHalf ? std::vector{-6e4} : std::vector{-1e9, -3e38}) {
    SCOPED_TRACE(number);
    expectSameBits(seen, trainOnce(hiding(number)));
  }
}

/// A mask that comes from inputs is f32 in every type. The last number is the one of transformers.
TEST_P(LearnedMask, anInputThatHidesAllKeysAlikeHidesNone) {
  const Outcome seen = trainOnce(hidingByInput(0));
  for (double number : {-6e4, -1e9, -3.4028234663852886e38}) {
    SCOPED_TRACE(number);
    expectSameBits(seen, trainOnce(hidingByInput(number)));
  }
}

/// Blocks of 4 by 4 scores, of two examples and two heads.
constexpr int64_t kBlock = 4 * 2 * 2 * 4 * 4;
INSTANTIATE_TEST_SUITE_P(Types, LearnedMask,
                         ::testing::Values(Case{"fp32", "fp32", 0}, Case{"fp32_by_blocks", "fp32", kBlock},
                                           Case{"bf16_by_blocks", "bf16", kBlock},
                                           Case{"fp16_by_blocks", "fp16", kBlock}),
                         [](const auto &info) { return info.param.name; });

} // namespace
