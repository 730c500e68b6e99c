// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor ranks on models with rare shapes and scalar functions: losses, norms and running statistics agree
// with those of one rank up to a tolerance.
#include "test/support/Folders.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A model from 24 features to 20 targets, with these operations from "a", the columns of a product, to "c".
Job between(int64_t columns, int64_t inner, const json &parameters, const json &ops) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/4).with({{"sequence", "auto"}});
  json model = {{"format", "windlass.model/1"}, {"dims", {{"B", "batch"}}}};
  model["inputs"] = {{"x", {{"role", "features"}, {"shape", json::array({"B", 24})}}},
                     {"y", {{"role", "targets"}, {"shape", json::array({"B", 20})}}}};
  const json normal = {{"normal", 0.2}};
  model["params"] = {{"fc0", {{"shape", {24, columns}}, {"init", normal}}},
                     {"fc1", {{"shape", {inner, 20}}, {"init", normal}}}};
  model["params"].update(parameters);
  model["ops"] = json::array({{{"op", "matmul"}, {"in", {"x", "fc0"}}, {"out", "a"}}});
  for (const json &op : ops)
    model["ops"].push_back(op);
  model["ops"].push_back({{"op", "matmul"}, {"in", {"c", "fc1"}}, {"out", "p"}});
  model["ops"].push_back({{"op", "mse"}, {"in", {"p", "y"}}, {"out", "losses"}});
  model["loss"] = "losses";
  job.model = model;
  return job;
}

json op(const char *name, const json &in, const json &out) {
  return {{"op", name}, {"in", in}, {"out", out}};
}

/// Ranks do not divide 33 columns. No quotient, root or logarithm may be taken of the padding of the last
/// rank's part, as the result, and then the norm, would be NaN.
TEST(TensorShapes, paddingMeetsNoQuotient) {
  const json scale = {{"s", {{"shape", {33}}, {"init", 1}}}}, none = json::object();
  const Job divided = between(33, 33, scale, {op("div", {"a", "s"}, "b"), op("tanh", {"b"}, "c")});
  expectAgreesWithOneRank(divided, {2, 4}, 1e-5);
  expectAgreesWithOneRank(divided.with({{"precision", {{"compute", "fp16"}}}}), {2}, 1e-2);
  expectAgreesWithOneRank(between(33, 33, scale, {op("reciprocal", {"s"}, "r"), op("mul", {"a", "r"}, "c")}),
                          {2}, 1e-5);
  expectAgreesWithOneRank(between(33, 33, none, {op("abs", {"a"}, "b"), op("sqrt", {"b"}, "c")}), {2}, 1e-5);
  expectAgreesWithOneRank(between(33, 33, none, json::array({op("silu", {"a"}, "c")})), {2}, 1e-5);
}

/// Ranks do not divide seven classes. One label is ignored, which may be that of the padded part, or labels
/// are smoothed.
TEST(TensorShapes, labelsOfClassesThatRanksDoNotDivide) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/8).with({{"sequence", "auto"}});
  job.model = json::parse(R"({
    "format": "windlass.model/1", "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 24]}, "y": {"role": "classes", "shape": ["B"], "bound": 7}},
    "params": {"fc0": {"shape": [24, 33], "init": {"normal": 0.2}}, "b0": {"shape": [33], "init": 0.1},
               "fc1": {"shape": [33, 7], "init": {"normal": 0.2}}, "b1": {"shape": [7], "init": 0.1}},
    "ops": [{"op": "matmul", "in": ["x", "fc0"], "out": "a"}, {"op": "add", "in": ["a", "b0"], "out": "a1"},
            {"op": "gelu", "in": ["a1"], "out": "c"}, {"op": "matmul", "in": ["c", "fc1"], "out": "p"},
            {"op": "add", "in": ["p", "b1"], "out": "q"}, {"op": "cross_entropy", "in": ["q", "y"], "out": "losses"}],
    "loss": "losses"})");
  for (const json &labels : {json{{"ignore_index", 1}}, json{{"ignore_index", 6}},
                             json{{"smoothing", 0.25}, {"ignore_index", 0}}}) {
    SCOPED_TRACE(labels.dump());
    job.model["ops"].back().update(labels);
    expectAgreesWithOneRank(job, {2, 3, 4}, 1e-5);
  }
}

/// A gate and its input are halves of one product. Each rank has its part of both.
TEST(TensorShapes, gatesPackedInOneMatrix) {
  for (int64_t inner : {30, 33}) {
    json halves = op("split", {"a"}, {"g", "u"});
    halves.update({{"dim", 1}, {"sizes", {inner, inner}}});
    const json ops = {halves, op("silu", {"g"}, "s"), op("mul", {"s", "u"}, "c")};
    expectAgreesWithOneRank(between(2 * inner, inner, json::object(), ops), {2, 3}, 1e-5);
  }
}

/// Layers that read an input of the run, and so make no gradient of it; and a penalty on a parameter, whose
/// gradient depends on no batch.
Job fedLayers() {
  Job job = tinyGpt2(1, 4, /*microBatch=*/4).with({{"sequence", "auto"}});
  job.model = json::parse(R"({
    "format": "windlass.model/1", "dims": {"B": "batch", "L": 4},
    "inputs": {"x": {"role": "features", "shape": ["B", 24]}, "y": {"role": "classes", "shape": ["B"], "bound": 10}},
    "params": {"head": {"shape": [24, 10], "init": {"normal": 0.2}}, "c": {"shape": [1], "init": 0.5}},
    "blocks": {"layer": {"in": ["h"],
      "params": {"w": {"shape": [24, 32], "init": {"normal": 0.2}}, "v": {"shape": [32, 24], "init": {"normal": 0.2}}},
      "ops": [{"op": "matmul", "in": ["h", "w"], "out": "a"}, {"op": "tanh", "in": ["a"], "out": "b"},
              {"op": "matmul", "in": ["b", "v"], "out": "d"}],
      "out": ["d"]}},
    "ops": [{"repeat": "L", "block": "layer", "carry": ["x"], "name": "layer.{i}"},
            {"op": "matmul", "in": ["x", "head"], "out": "logits"},
            {"op": "cross_entropy", "in": ["logits", "y"], "out": "each"},
            {"op": "mul", "in": ["head", "head"], "out": "squares"},
            {"op": "reduce", "in": ["squares"], "kind": "sum", "dims": [0, 1], "keep": false, "out": "penalty"},
            {"op": "add", "in": ["each", "penalty"], "out": "more"},
            {"op": "add", "in": ["more", "c"], "out": "losses"}],
    "loss": "losses"})");
  return job;
}

TEST(TensorShapes, layersThatReadWhatIsFed) {
  expectAgreesWithOneRank(fedLayers(), {2, 3}, 1e-5);
  const Job mesh = onMesh(fedLayers(), {1, 2, 1});
  expectSameBitsOfAll({mesh, mesh.with({{"sequence_parallel", false}})});
}

TEST(TensorShapes, gradientsThatDependOnNoBatch) {
  expectBitsOfOneStage(fedLayers(), {{2, {{"zero_stage", 0}}},
                                     {3, {{"pipeline", {{"schedule", "zb-h1"}}}}},
                                     {2, {{"pipeline", {{"schedule", "interleaved"}}}}}});
  expectSameBitsOfAll(
      {onMesh(fedLayers(), {2, 2, 1}), onMesh(fedLayers(), {2, 2, 2}).with({{"zero_stage", 3}})});
}

/// If each rank has one head, its mask has one head, which does not stand for all heads.
TEST(TensorShapes, masksOfTheOnlyHeadOfARank) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/2).with({{"sequence", "auto"}});
  job.model = json::parse(R"({
    "format": "windlass.model/1", "dims": {"B": "batch", "T": 8, "D": 8, "H": 2},
    "inputs": {"x": {"role": "features", "shape": ["B", "T", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
    "params": {"pairs": {"shape": ["H", "T", "T"], "init": {"normal": 1}},
               "stem": {"shape": ["D", "D"], "init": {"normal": 0.3}}},
    "blocks": {"layer": {"in": ["h", "mask"],
      "params": {"q": {"shape": ["D", "D"], "init": {"normal": 0.3}}, "k": {"shape": ["D", "D"], "init": {"normal": 0.3}},
                 "v": {"shape": ["D", "D"], "init": {"normal": 0.3}}, "o": {"shape": ["D", "D"], "init": {"normal": 0.3}}},
      "ops": [{"op": "matmul", "in": ["h", "q"], "out": "query"}, {"op": "matmul", "in": ["h", "k"], "out": "key"},
              {"op": "matmul", "in": ["h", "v"], "out": "value"},
              {"op": "attention", "in": ["query", "key", "value", "mask"], "batch": "B", "heads": "H", "causal": true,
               "dropout": 0.1, "out": "mixed"},
              {"op": "matmul", "in": ["mixed", "o"], "out": "m"}, {"op": "add", "in": ["h", "m"], "out": "next"}],
      "out": ["next"]}},
    "ops": [{"op": "reshape", "in": ["x"], "shape": ["B*T", "D"], "out": "rows"},
            {"op": "matmul", "in": ["rows", "stem"], "out": "h"}, {"op": "tanh", "in": ["pairs"], "out": "mask"},
            {"repeat": 2, "block": "layer", "carry": ["h"], "with": ["mask"], "name": "layer.{i}"},
            {"op": "reshape", "in": ["h"], "shape": ["B", "T", "D"], "out": "tokens"},
            {"op": "reduce", "kind": "mean", "in": ["tokens"], "dims": [1], "out": "prediction"},
            {"op": "mse", "in": ["prediction", "y"], "out": "losses"}],
    "loss": "losses"})");
  expectAgreesWithOneRank(job, {2}, 1e-5);
}

/// One key head serves all ranks. Each of two key heads serves two of four ranks.
TEST(TensorShapes, keyHeadsThatRanksDoNotDivide) {
  for (int64_t keyHeads : {1, 2}) {
    Job job = tinyLlama(1, 2, /*microBatch=*/2);
    job.model.update({{"num_attention_heads", 4}, {"num_key_value_heads", keyHeads}});
    SCOPED_TRACE(keyHeads);
    expectAgreesWithOneRank(job, {2, 4}, 1e-5);
    expectAgreesWithOneRank(job.with({{"precision", {{"compute", "bf16"}}}}), {4}, 1e-2);
    expectAgreesWithOneRank(job.with({{"freeze", {"k_proj", "v_proj"}}, {"zero_stage", 0}}), {4}, 1e-5);
  }
}

/// Blocks of the attention of some heads, with a window and with dropout.
TEST(TensorShapes, windowsOfARanksHeads) {
  Job job = tinyLlama(1, 2, /*microBatch=*/2);
  job.model.update({{"model_type", "mistral"}, {"architectures", json::array({"MistralForCausalLM"})}});
  job.model.update({{"sliding_window", 5}, {"attention_dropout", 0.1}});
  expectAgreesWithOneRank(job.with({{"tile", {{"attention", "2KiB"}}}}), {2}, 1e-5);
}

TEST(TensorShapes, biasesOfRelativePositions) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/2).with({{"sequence", "auto"}});
  job.modelFile = WINDLASS_SOURCE_DIR "/test/fixtures/onnx/biased.dynamo.23.raw.onnx";
  expectAgreesWithOneRank(job, {2}, 1e-5);
}

/// The smallest block has the scores of a rank's own heads.
TEST(TensorShapes, blocksOfARanksHeads) {
  Job job = tinyGpt2(1, 2);
  job.model.update({{"n_embd", 32}, {"n_head", 4}, {"n_positions", 16}});
  const auto refused = [&](int64_t ranks, int64_t limit) {
    return refusalOf(onMesh(job.with({{"tile", {{"attention", limit}}}}), {1, ranks}));
  };
  EXPECT_EQ(refused(2, 128), "");
  EXPECT_NE(refused(1, 128).find("tile.attention: must be at least 256"), std::string::npos);
  EXPECT_NE(refused(2, 64).find("tile.attention: must be at least 128"), std::string::npos);
}

} // namespace
