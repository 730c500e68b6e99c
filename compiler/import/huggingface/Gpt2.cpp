// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/Gpt2.h"

#include "compiler/import/huggingface/ConfigKeys.h"
#include <cmath>

namespace windlass {
namespace {

/// The model's document; sizes, initialisers ("range", "residual"), dropout rates (keys of the config),
/// activation and head are filled in later.
constexpr const char *kGraph = R"json({
  "format": "windlass.model/1",
  "dims": {"B": "batch"},
  "inputs": {
    "tokens": {"role": "tokens", "shape": ["B", "T"], "bound": "V"},
    "labels": {"role": "labels", "shape": ["B", "T"], "bound": "V"}
  },
  "params": {
    "transformer.wte.weight": {"shape": ["V", "D"], "init": "range"},
    "transformer.wpe.weight": {"shape": ["P", "D"], "init": "range"},
    "transformer.ln_f.weight": {"shape": ["D"], "init": 1},
    "transformer.ln_f.bias": {"shape": ["D"], "init": 0}
  },
  "blocks": {
    "block": {
      "in": ["x"],
      "params": {
        "ln_1.weight": {"shape": ["D"], "init": 1},
        "ln_1.bias": {"shape": ["D"], "init": 0},
        "attn.c_attn.weight": {"shape": ["D", "3*D"], "init": "range"},
        "attn.c_attn.bias": {"shape": ["3*D"], "init": 0},
        "attn.c_proj.weight": {"shape": ["D", "D"], "init": "residual"},
        "attn.c_proj.bias": {"shape": ["D"], "init": 0},
        "ln_2.weight": {"shape": ["D"], "init": 1},
        "ln_2.bias": {"shape": ["D"], "init": 0},
        "mlp.c_fc.weight": {"shape": ["D", "F"], "init": "range"},
        "mlp.c_fc.bias": {"shape": ["F"], "init": 0},
        "mlp.c_proj.weight": {"shape": ["F", "D"], "init": "residual"},
        "mlp.c_proj.bias": {"shape": ["D"], "init": 0}
      },
      "ops": [
        {"op": "layer_norm", "in": ["x", "ln_1.weight", "ln_1.bias"], "out": "ln_1"},
        {"op": "matmul", "in": ["ln_1", "attn.c_attn.weight"], "out": "c_attn"},
        {"op": "add", "in": ["c_attn", "attn.c_attn.bias"], "out": "qkv"},
        {"op": "attention", "in": ["qkv"], "batch": "B", "heads": "H", "causal": true, "dropout": "attn_pdrop",
         "out": "attn"},
        {"op": "matmul", "in": ["attn", "attn.c_proj.weight"], "out": "attn.c_proj"},
        {"op": "add", "in": ["attn.c_proj", "attn.c_proj.bias"], "out": "attn.out"},
        {"op": "dropout", "in": ["attn.out"], "rate": "resid_pdrop", "out": "attn.kept"},
        {"op": "add", "in": ["x", "attn.kept"], "out": "x.attn"},
        {"op": "layer_norm", "in": ["x.attn", "ln_2.weight", "ln_2.bias"], "out": "ln_2"},
        {"op": "matmul", "in": ["ln_2", "mlp.c_fc.weight"], "out": "mlp.c_fc"},
        {"op": "add", "in": ["mlp.c_fc", "mlp.c_fc.bias"], "out": "mlp.fc"},
        {"op": "activation", "in": ["mlp.fc"], "out": "mlp.act"},
        {"op": "matmul", "in": ["mlp.act", "mlp.c_proj.weight"], "out": "mlp.c_proj"},
        {"op": "add", "in": ["mlp.c_proj", "mlp.c_proj.bias"], "out": "mlp.out"},
        {"op": "dropout", "in": ["mlp.out"], "rate": "resid_pdrop", "out": "mlp.kept"},
        {"op": "add", "in": ["x.attn", "mlp.kept"], "out": "y"}
      ],
      "out": ["y"]
    }
  },
  "ops": [
    {"op": "reshape", "in": ["tokens"], "shape": ["B*T"], "out": "token"},
    {"op": "positions", "in": ["tokens"], "dim": 1, "out": "positions"},
    {"op": "reshape", "in": ["positions"], "shape": ["B*T"], "out": "position"},
    {"op": "embedding", "in": ["transformer.wte.weight", "token"], "out": "wte"},
    {"op": "embedding", "in": ["transformer.wpe.weight", "position"], "out": "wpe"},
    {"op": "add", "in": ["wte", "wpe"], "out": "embedded"},
    {"op": "dropout", "in": ["embedded"], "rate": "embd_pdrop", "out": "x"},
    {"repeat": "L", "block": "block", "carry": ["x"], "name": "h.{i}", "prefix": "transformer.h.{i}"},
    {"op": "layer_norm", "in": ["x", "transformer.ln_f.weight", "transformer.ln_f.bias"], "out": "ln_f"},
    {"op": "matmul", "in": ["ln_f", "transformer.wte.weight"], "trans_b": true, "out": "logits"},
    {"op": "reshape", "in": ["labels"], "shape": ["B*T"], "out": "label"},
    {"op": "cross_entropy", "in": ["logits", "label"], "out": "losses"}
  ],
  "loss": "losses",
  "outputs": ["logits"]
})json";

/// Refuses options that change the model and are not supported.
void refuseVariants(JsonReader &config) {
  for (std::string_view key : {"scale_attn_weights", "is_causal"})
    need(config, key, true);
  for (std::string_view key :
       {"scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn", "add_cross_attention"})
    need(config, key, false);
}

nlohmann::json dimensions(JsonReader &config, const TrainingOptions &training) {
  // transformers has a second name for each of four keys, which takes precedence.
  auto named = [&](const char *second, const char *first, int64_t otherwise, int64_t high) {
    return sizeOf(config, second, sizeOf(config, first, otherwise, high), high);
  };
  int64_t hidden = named("hidden_size", "n_embd", 768, kLargestSize);
  int64_t heads = named("num_attention_heads", "n_head", 12, kMostHeads);
  int64_t positions = named("max_position_embeddings", "n_positions", 1024, kLargestSize);
  config.allow("n_ctx"); // transformers does not read it
  int64_t sequence = training.sequence == 0 ? positions : training.sequence;
  if (config.isOk() && hidden % heads != 0)
    config.fail("n_head: must divide n_embd = " + std::to_string(hidden) + ", is " + std::to_string(heads));
  if (config.isOk() && sequence > positions)
    config.fail("n_positions: must be at least the training file's \"sequence\" = " +
                std::to_string(sequence) + ", is " + std::to_string(positions));
  return {{"B", "batch"},
          {"T", sequence},
          {"P", positions},
          {"D", hidden},
          {"H", heads},
          {"F", sizeOf(config, "n_inner", 4 * hidden)},
          {"L", named("num_hidden_layers", "n_layer", 12, kMostLayers)},
          {"V", sizeOf(config, "vocab_size", 50257)}};
}

/// Sets initialisers: N(0, range) for weights, N(0, residual) for the two projections of each layer onto the
/// residual stream.
void setInits(nlohmann::json &parameters, double range, double residual) {
  for (auto &parameter : parameters)
    if (parameter["init"].is_string())
      parameter["init"] = {{"normal", parameter["init"] == "residual" ? residual : range}};
}

void setOps(nlohmann::json &ops, double epsilon, const nlohmann::json &activation) {
  for (auto &op : ops) {
    if (op.value("op", "") == "layer_norm")
      op["eps"] = epsilon;
    if (op.value("op", "") == "activation")
      op.update(activation);
  }
}

/// Replaces each dropout of the operations, a key of the config, by its rate; transformers' default is 0.1.
void setDropout(nlohmann::json &ops, JsonReader &config) {
  for (auto &op : ops)
    for (const char *key : {"dropout", "rate"})
      if (op.contains(key))
        op[key] = dropoutOf(config, op[key].get<std::string>(), 0.1);
}

void untieHead(nlohmann::json &graph) {
  graph["params"]["lm_head.weight"] = {{"shape", {"V", "D"}}, {"init", "range"}};
  for (auto &op : graph["ops"])
    if (op.value("out", "") == "logits")
      op["in"][1] = "lm_head.weight";
}

} // namespace

nlohmann::json describeGpt2(JsonReader &config, const TrainingOptions &training) {
  nlohmann::json graph = nlohmann::json::parse(kGraph);
  graph["dims"] = dimensions(config, training);
  refuseVariants(config);
  if (!flagOf(config, "tie_word_embeddings", true))
    untieHead(graph);
  double range = numberOf(config, "initializer_range", 0.02, 0, 1e3);
  double residual = range / std::sqrt(2.0 * graph["dims"]["L"].get<double>());
  double epsilon = numberOf(config, "layer_norm_epsilon", 1e-5, 1e-30, 1);
  nlohmann::json &block = graph["blocks"]["block"];
  setDropout(graph["ops"], config);
  setDropout(block["ops"], config);
  setInits(graph["params"], range, residual);
  setInits(block["params"], range, residual);
  setOps(graph["ops"], epsilon, {});
  setOps(block["ops"], epsilon, activationOf(config, "activation_function", "gelu_new"));
  return graph;
}

} // namespace windlass
