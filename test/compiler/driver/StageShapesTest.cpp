// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models in which more goes from stage to stage than the activations of a layer: stages and schedules have
// the bits of one stage.
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

Stages under(int64_t stages, const char *schedule, int64_t zero = 0) {
  return {stages, {{"zero_stage", zero}, {"pipeline", {{"schedule", schedule}}}}};
}

Job jobOf(const char *model, int64_t microBatches, int64_t dataRanks = 1) {
  Job job = tinyGpt2(dataRanks, microBatches, /*microBatch=*/4).with({{"sequence", "auto"}});
  job.model = json::parse(model);
  return job;
}

/// The running statistics of a stage's batch norms.
TEST(StageShapes, batchNormsOfAStage) {
  const Job job = jobOf(R"({
    "format": "windlass.model/1", "dims": {"B": "batch", "L": 4},
    "inputs": {"x": {"role": "features", "shape": ["B", 3, 6, 6]}, "y": {"role": "classes", "shape": ["B"], "bound": 5}},
    "params": {"stem": {"shape": [6, 3, 3, 3], "init": {"normal": 0.2}}, "fc": {"shape": [6, 5], "init": {"normal": 0.2}}},
    "blocks": {"layer": {"in": ["h"],
      "params": {"conv": {"shape": [6, 6, 3, 3], "init": {"normal": 0.2}}, "g": {"shape": [6], "init": 1},
                 "b": {"shape": [6], "init": 0}, "m": {"shape": [6], "init": 0, "group": "statistics"},
                 "v": {"shape": [6], "init": 1, "group": "statistics"}},
      "ops": [{"op": "conv", "in": ["h", "conv"], "pads": [1, 1, 1, 1], "out": "a"},
              {"op": "batch_norm", "in": ["a", "g", "b", "m", "v"], "eps": 1e-5, "out": "n"},
              {"op": "relu", "in": ["n"], "out": "r"}, {"op": "add", "in": ["r", "h"], "out": "e"}],
      "out": ["e"]}},
    "ops": [{"op": "conv", "in": ["x", "stem"], "pads": [1, 1, 1, 1], "out": "h"},
            {"repeat": "L", "block": "layer", "carry": ["h"], "name": "layer.{i}"},
            {"op": "global_average_pool", "in": ["h"], "out": "g"},
            {"op": "reshape", "in": ["g"], "shape": ["B", 6], "out": "q"},
            {"op": "matmul", "in": ["q", "fc"], "out": "logits"},
            {"op": "cross_entropy", "in": ["logits", "y"], "out": "losses"}],
    "loss": "losses"})",
                        4);
  expectBitsOfOneStage(job,
                       {under(2, "zb-h1"), under(2, "gpipe"), under(2, "interleaved"), under(4, "zb-h1")});
}

/// Layers of which each reads, beside what the one before makes, `mem`.
std::string remembering(const std::string &parameters, const std::string &mem) {
  return R"({"format": "windlass.model/1", "dims": {"B": "batch", "L": 6},
    "inputs": {"x": {"role": "features", "shape": ["B", 24]}, "y": {"role": "classes", "shape": ["B"], "bound": 10}},
    "params": {"w0": {"shape": [24, 24], "init": {"normal": 0.2}}, "head": {"shape": [24, 10], "init": {"normal": 0.2}}, )" +
         parameters + R"(},
    "blocks": {"layer": {"in": ["h", "mem"],
      "params": {"w": {"shape": [24, 32], "init": {"normal": 0.2}}, "v": {"shape": [32, 24], "init": {"normal": 0.2}}},
      "ops": [{"op": "add", "in": ["h", "mem"], "out": "hm"}, {"op": "matmul", "in": ["hm", "w"], "out": "a"},
              {"op": "tanh", "in": ["a"], "out": "b"}, {"op": "dropout", "in": ["b"], "rate": 0.1, "out": "bd"},
              {"op": "matmul", "in": ["bd", "v"], "out": "c"}, {"op": "add", "in": ["c", "h"], "out": "o"}],
      "out": ["o"]}},
    "ops": [{"op": "matmul", "in": ["x", "w0"], "out": "h"}, )" +
         mem + R"(,
            {"repeat": "L", "block": "layer", "carry": ["h"], "with": ["mem"], "name": "layer.{i}"},
            {"op": "add", "in": ["h", "mem"], "out": "hh"}, {"op": "matmul", "in": ["hh", "head"], "out": "logits"},
            {"op": "cross_entropy", "in": ["logits", "y"], "out": "losses"}],
    "loss": "losses"})";
}

/// A value of the first stage that every stage reads, and adds to the gradient of.
TEST(StageShapes, valuesThatAllStagesRead) {
  const std::string model = remembering(R"("we": {"shape": [24, 24], "init": {"normal": 0.2}})",
                                        R"({"op": "matmul", "in": ["x", "we"], "out": "mem"})");
  expectBitsOfOneStage(jobOf(model.c_str(), 6),
                       {under(2, "1f1b"), under(3, "zb-h1", 3), under(2, "interleaved"), under(3, "gpipe")});
}

/// What is made of a parameter alone: the parameter goes to all stages, once a step, and each makes it.
TEST(StageShapes, valuesThatParametersAloneMake) {
  const std::string model = remembering(R"("p": {"shape": [24], "init": {"normal": 0.3}})",
                                        R"({"op": "exp", "in": ["p"], "out": "mem"})");
  expectBitsOfOneStage(jobOf(model.c_str(), 6, 2), {under(2, "1f1b", 3), under(3, "zb-h1", 2),
                                                    under(2, "interleaved", 3), under(3, "gpipe")});
}

/// What a layer is given of a parameter is a value, though it be the parameter's own elements.
TEST(StageShapes, copiesOfParameters) {
  const std::string model =
      remembering(R"("p": {"shape": [24], "init": {"normal": 0.3}})",
                  R"({"op": "slice", "in": ["p"], "dims": [0], "starts": [0], "ends": [24], "out": "mem"})");
  expectBitsOfOneStage(jobOf(model.c_str(), 4), {under(2, "1f1b"), under(2, "interleaved")});
}

/// A vector that is read behind two of six layers, and so by two parts of the model that are not its first.
TEST(StageShapes, parametersThatDistantLayersRead) {
  json model = json::parse(R"({"format": "windlass.model/1", "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 24]}, "y": {"role": "targets", "shape": ["B", 24]}},
    "params": {"c": {"shape": [24], "init": {"normal": 1}}},
    "blocks": {"layer": {"in": ["h"], "params": {"w": {"shape": [24, 24], "init": {"normal": 0.2}}},
      "ops": [{"op": "matmul", "in": ["h", "w"], "out": "a"}, {"op": "tanh", "in": ["a"], "out": "b"}], "out": ["b"]}},
    "loss": "losses"})");
  for (const auto &[first, second] : {std::pair(3, 4), {4, 6}, {5, 6}}) {
    json ops = json::array();
    std::string last = "x";
    for (int layer = 1; layer <= 6; ++layer) {
      const std::string number = std::to_string(layer);
      ops.push_back({{"repeat", 1},
                     {"block", "layer"},
                     {"carry", json::array({last})},
                     {"name", "z" + number + ".{i}"}});
      if (layer == first || layer == second) {
        ops.push_back({{"op", "mul"}, {"in", {last, "c"}}, {"out", "scaled." + number}});
        last = "scaled." + number;
      }
    }
    ops.push_back({{"op", "mse"}, {"in", {last, "y"}}, {"out", "losses"}});
    model["ops"] = ops;
    SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second));
    expectBitsOfOneStage(jobOf(model.dump().c_str(), 6),
                         {under(2, "interleaved"), under(3, "interleaved", 3), under(3, "zb-h1")});
  }
}

/// Parameters that stay gathered between the passes of a micro-batch.
TEST(StageShapes, parametersThatStayGathered) {
  Job job = deepGpt2(2).with({{"zero_stage", 3}, {"reshard_after_forward", false}});
  job.training["micro_batches"] = 4;
  expectBitsOfOneStage(job, {under(2, "1f1b", 3), under(4, "zb-h1", 3), under(2, "interleaved", 3)});
}

} // namespace
