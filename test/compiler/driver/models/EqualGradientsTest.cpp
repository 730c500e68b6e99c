// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms of a sum have one gradient, which each parameter gets in bytes of its own: in the step and in layers,
// packed, reshaped, and as tensors that are too large to be packed.
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// `extent` elements; the parameters r are summed in another shape.
json sumsOf(int64_t extent) {
  json model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", "N"]}, "y": {"role": "targets", "shape": ["B", "N"]}},
    "params": {"odd": {"shape": [5], "init": 1}, "a": {"shape": ["N"], "init": 0.1}, "b": {"shape": ["N"], "init": 0.2},
               "p": {"shape": ["N"], "init": 0.5}, "q": {"shape": ["N"], "init": 0.5},
               "r": {"shape": [1, "N"], "init": 0.3}, "s": {"shape": ["N", 1], "init": 0.4}},
    "blocks": {
      "layer": {
        "in": ["h"],
        "params": {"a": {"shape": ["N"], "init": 0.1}, "b": {"shape": ["N"], "init": 0.2}},
        "ops": [
          {"op": "add", "in": ["a", "b"], "out": "sum"},
          {"op": "mul", "in": ["h", "sum"], "out": "next"}
        ],
        "out": ["next"]
      },
      "given": {
        "in": ["h", "p", "q"],
        "params": {"b": {"shape": ["N"], "init": 0.2}},
        "ops": [
          {"op": "add", "in": ["p", "q"], "out": "both"},
          {"op": "add", "in": ["both", "b"], "out": "sum"},
          {"op": "mul", "in": ["h", "sum"], "out": "next"}
        ],
        "out": ["next"]
      }
    },
    "ops": [
      {"op": "reduce", "kind": "sum", "in": ["odd"], "dims": [0], "out": "scale"},
      {"op": "add", "in": ["a", "b"], "out": "sum"},
      {"op": "reshape", "in": ["r"], "shape": ["N"], "out": "flat"},
      {"op": "reshape", "in": ["s"], "shape": ["N"], "out": "other"},
      {"op": "add", "in": ["flat", "other"], "out": "more"},
      {"op": "add", "in": ["sum", "more"], "out": "all"},
      {"op": "mul", "in": ["x", "all"], "out": "h"},
      {"repeat": 2, "block": "layer", "carry": ["h"], "name": "layer.{i}"},
      {"op": "tanh", "in": ["p"], "out": "of_p"},
      {"op": "tanh", "in": ["q"], "out": "of_q"},
      {"repeat": 1, "block": "given", "carry": ["h"], "with": ["of_p", "of_q"], "name": "given.{i}"},
      {"op": "mul", "in": ["h", "scale"], "out": "z"},
      {"op": "mse", "in": ["z", "y"], "out": "losses"}
    ],
    "loss": "losses"
  })");
  model["dims"]["N"] = extent;
  return model;
}

TEST(EqualGradients, areThoseOfEveryTerm) {
  for (int64_t extent : {7, 20000})
    for (const json &decisions :
         {json{{"zero_stage", 1}}, json{{"zero_stage", 3}}, json{{"zero_stage", 1}, {"cadence", "step"}}}) {
      SCOPED_TRACE(std::to_string(extent) + " " + decisions.dump());
      Job job = tinyGpt2(2, 2, 2).with(decisions);
      job.model = sumsOf(extent);
      std::unique_ptr<Compiled> compiled = compileJob(job);
      ASSERT_TRUE(compiled);
      RunSettings once;
      once.steps = 1;
      const auto states = train(*compiled, once).states;
      const auto momentum = [&](const std::string &name) { return states.at("momentum/" + name); };
      EXPECT_NE(momentum("a"), std::vector<std::byte>(momentum("a").size()));
      for (const char *other : {"b", "r", "s"})
        EXPECT_EQ(momentum(other), momentum("a")) << other;
      EXPECT_NE(momentum("p"), std::vector<std::byte>(momentum("p").size()));
      EXPECT_EQ(momentum("q"), momentum("p"));
      EXPECT_NE(momentum("given.0.b"), std::vector<std::byte>(momentum("p").size()));
      for (const std::string layer : {"layer.0.", "layer.1."}) {
        EXPECT_NE(momentum(layer + "a"), std::vector<std::byte>(momentum("a").size()));
        EXPECT_EQ(momentum(layer + "b"), momentum(layer + "a"));
      }
    }
}

} // namespace
