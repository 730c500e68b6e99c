// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models in which more than the activations of a layer goes from stage to stage: all stages and schedules
// have the bits of one stage.
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

/// A stage has the running statistics of its batch norms.
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

/// Layers that read `mem` besides the value of the layer before.
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

/// Every stage reads a value of the first stage, and adds to its gradient.
TEST(StageShapes, valuesThatAllStagesRead) {
  const std::string model = remembering(R"("we": {"shape": [24, 24], "init": {"normal": 0.2}})",
                                        R"({"op": "matmul", "in": ["x", "we"], "out": "mem"})");
  expectBitsOfOneStage(jobOf(model.c_str(), 6),
                       {under(2, "1f1b"), under(3, "zb-h1", 3), under(2, "interleaved"), under(3, "gpipe")});
}

/// The value depends only on a parameter: the parameter goes to all stages once a step, and each computes the
/// value.
TEST(StageShapes, valuesThatParametersAloneMake) {
  const std::string model = remembering(R"("p": {"shape": [24], "init": {"normal": 0.3}})",
                                        R"({"op": "exp", "in": ["p"], "out": "mem"})");
  expectBitsOfOneStage(jobOf(model.c_str(), 6, 2), {under(2, "1f1b", 3), under(3, "zb-h1", 2),
                                                    under(2, "interleaved", 3), under(3, "gpipe")});
}

/// An argument of a layer that is computed from a parameter is a value, even with the parameter's own
/// elements.
TEST(StageShapes, copiesOfParameters) {
  const std::string model =
      remembering(R"("p": {"shape": [24], "init": {"normal": 0.3}})",
                  R"({"op": "slice", "in": ["p"], "dims": [0], "starts": [0], "ends": [24], "out": "mem"})");
  expectBitsOfOneStage(jobOf(model.c_str(), 4), {under(2, "1f1b"), under(2, "interleaved")});
}

/// Layers of one product each, with other operations between them. `last`: the value that is compared with
/// the targets.
Job layersWith(const std::string &parameters, const std::string &ops, const std::string &last,
               int64_t microBatches = 4) {
  const std::string model = R"({"format": "windlass.model/1", "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 24]}, "y": {"role": "targets", "shape": ["B", 24]}},
    "params": {)" + parameters +
                            R"(},
    "blocks": {"layer": {"in": ["h"], "params": {"w": {"shape": [24, 24], "init": {"normal": 0.2}}},
      "ops": [{"op": "matmul", "in": ["h", "w"], "out": "a"}, {"op": "tanh", "in": ["a"], "out": "b"}], "out": ["b"]}},
    "ops": [)" + ops + R"({"op": "mse", "in": [")" +
                            last + R"(", "y"], "out": "losses"}], "loss": "losses"})";
  return jobOf(model.c_str(), microBatches);
}

std::string layer(int number, const std::string &carry = "x") {
  return R"({"repeat": 1, "block": "layer", "carry": [")" + carry + R"("], "name": "z)" +
         std::to_string(number) + R"(.{i}"}, )";
}

std::string op(const std::string &name, const std::string &in, const std::string &out) {
  return R"({"op": ")" + name + R"(", "in": [)" + in + R"(], "out": ")" + out + R"("}, )";
}

constexpr const char *kScale = R"("c": {"shape": [24], "init": {"normal": 1}})";

/// A vector is read after two of six layers, so that two parts of the model read it, and neither is the
/// first.
TEST(StageShapes, parametersThatDistantLayersRead) {
  for (const auto &[first, second] : {std::pair(3, 4), {4, 6}, {5, 6}}) {
    std::string ops, last = "x";
    for (int number = 1; number <= 6; ++number) {
      ops += layer(number, last);
      if (number != first && number != second)
        continue;
      const std::string scaled = "scaled." + std::to_string(number);
      ops += op("mul", "\"" + last + "\", \"c\"", scaled);
      last = scaled;
    }
    SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second));
    expectBitsOfOneStage(layersWith(kScale, ops, last, 6),
                         {under(2, "interleaved"), under(3, "interleaved", 3), under(3, "zb-h1")});
  }
}

/// A product of the first layer's value is added to the third layer's value, so that a part of the model runs
/// operations of its backward pass before those of a later part.
TEST(StageShapes, productsThatSkipLayers) {
  const std::string ops = layer(1) + op("exp", R"("x")", "s") + layer(2) + layer(3) +
                          op("matmul", R"("s", "W")", "sw") + op("add", R"("x", "sw")", "k") + layer(4, "k");
  expectBitsOfOneStage(layersWith(R"("W": {"shape": [24, 24], "init": {"normal": 0.2}})", ops, "k"),
                       {under(2, "1f1b"), under(2, "interleaved"), under(2, "zb-h1"), under(3, "1f1b")});
}

/// The gradients of a gate need values of later layers, and those of the larger of two values need a frozen
/// tower.
TEST(StageShapes, gatesAcrossStages) {
  const std::string gate = op("mul", R"("x", "c")", "h") + layer(1, "h") + op("mul", R"("h", "c")", "s") +
                           op("add", R"("s", "s")", "k") + layer(2, "s") + layer(3, "s") + layer(4, "s") +
                           op("mul", R"("s", "k")", "m");
  expectBitsOfOneStage(layersWith(kScale, gate, "m"), {under(2, "1f1b"), under(2, "zb-h1")});
  const std::string towers = op("mul", R"("x", "x")", "u") + layer(1) + layer(2) + layer(3, "u") +
                             layer(4, "u") + op("max", R"("x", "u")", "g") + op("mul", R"("g", "c")", "m");
  expectBitsOfOneStage(layersWith(kScale, towers, "m").with({{"freeze", {"z3", "z4"}}}),
                       {under(2, "1f1b"), under(2, "gpipe")});
}

/// A layer belongs to its stage, also where it reads parameters alone. The loss reads such layers, or nothing
/// does, and then the last stage computes nothing for it.
TEST(StageShapes, layersOfParametersAlone) {
  const std::string matrix = R"("m": {"shape": [4, 24], "init": {"normal": 0.2}})", // a row for each example
      made = layer(1) + layer(2) + op("tanh", R"("m")", "made") + layer(3, "made") + layer(4, "made");
  expectBitsOfOneStage(layersWith(matrix, made + op("mul", R"("x", "made")", "z"), "z"),
                       {under(2, "1f1b"), under(2, "interleaved"), under(4, "zb-h1", 3)});
  Job job = layersWith(matrix, made, "x");
  expectBitsOfOneStage(job, {under(2, "1f1b"), under(4, "zb-h1")});
  job.model["blocks"]["bare"] =
      json::parse(R"({"in": ["h"], "ops": [{"op": "tanh", "in": ["h"], "out": "b"}], "out": ["b"]})");
  for (json &each : job.model["ops"])
    if (each.contains("carry") && each["carry"][0] == "made")
      each["block"] = "bare";
  expectBitsOfOneStage(job, {under(2, "1f1b"), under(4, "zb-h1")});
}

/// Layers return a value as they took it, and the last layers compute nothing: no stage gets a message that
/// nothing reads.
TEST(StageShapes, valuesThatLayersPassOn) {
  const std::string layers = op("sin", R"("x")", "h") + op("cos", R"("x")", "c") +
                             R"({"repeat": 4, "block": "layer", "carry": ["h", "c"], "name": "layer.{i}"}, )";
  const std::string idle =
      op("tanh", R"("h")", "k") + R"({"repeat": 2, "block": "idle", "carry": ["k"], "name": "idle.{i}"}, )";
  for (const auto &[ops, last] :
       {std::pair(layers, "h"), {layers + op("add", R"("h", "c")", "s"), "s"}, {layers + idle, "h"}}) {
    Job job = layersWith("", ops, last);
    job.model["blocks"]["layer"].update({{"in", {"h", "c"}}, {"out", {"b", "c"}}});
    if (ops.find("idle") != std::string::npos)
      job.model["blocks"]["idle"] = json::parse(R"({"in": ["h"], "ops": [], "out": ["h"]})");
    expectBitsOfOneStage(job, {under(2, "1f1b"), under(4, "zb-h1"), under(2, "interleaved")});
  }
}

/// Parameters that stay gathered between the passes of a micro-batch.
TEST(StageShapes, parametersThatStayGathered) {
  Job job = deepGpt2(2).with({{"zero_stage", 3}, {"reshard_after_forward", false}});
  job.training["micro_batches"] = 4;
  expectBitsOfOneStage(job, {under(2, "1f1b", 3), under(4, "zb-h1", 3), under(2, "interleaved", 3)});
}

} // namespace
