// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/Llama.h"

#include "compiler/import/huggingface/GraphWriter.h"
#include "compiler/import/huggingface/RotaryConfig.h"
#include "runtime/base/Counted.h"
#include <algorithm>

namespace windlass {
namespace {

using nlohmann::json;

/// The defaults of a family.
struct Family {
  LayerSizes sizes;
  int64_t vocabulary, headSize, positions; ///< headSize: 0 where derived
  bool queryBias;                          ///< of q, k and v, where the config cannot say
  bool readsBias;                          ///< attention_bias: of q, k, v and o
  bool readsMlpBias, normsHeads;
};
constexpr Family kLlama{kLlamaSizes, 32000, 0, 2048, false, true, true, false};
constexpr Family kMistral{kMistralSizes, 32000, 0, 4096 * 32, false, false, false, false};
constexpr Family kQwen2{kQwenSizes, 151936, 0, 32768, true, false, false, false};
constexpr Family kQwen3{kQwenSizes, 151936, 128, 32768, false, true, false, true};

/// The options of one model.
struct Options {
  double epsilon, range, attentionDropout;
  bool queryBias, outputBias, mlpBias, normsHeads;
  json activation, rotary;
};

/// Writes one block, operation by operation.
class BlockWriter : GraphWriter {
public:
  BlockWriter(const Options &options, int64_t window)
      : GraphWriter(options.range), options(options), window(window) {}

  json write() {
    rmsNorm("x", "input_layernorm", "D", options.epsilon, "attention.in");
    projectHead("q", "H");
    projectHead("k", "K");
    linear("attention.in", "self_attn.v_proj", "K*S", "D", options.queryBias, "v");
    attend();
    linear("attention", "self_attn.o_proj", "D", "H*S", options.outputBias, "attention.out");
    add("x", "attention.out", "middle");
    rmsNorm("middle", "post_attention_layernorm", "D", options.epsilon, "mlp.in");
    linear("mlp.in", "mlp.gate_proj", "F", "D", options.mlpBias, "gate");
    linear("mlp.in", "mlp.up_proj", "F", "D", options.mlpBias, "up");
    activate("gate", options.activation, "active");
    op({{"op", "mul"}, {"in", {"active", "up"}}, {"out", "inner"}});
    linear("inner", "mlp.down_proj", "D", "F", options.mlpBias, "mlp.out");
    add("middle", "mlp.out", "y");
    return block(json::array({"x"}), json::array({"y"}));
  }

private:
  /// Queries or keys: projected, perhaps normalised per head, then rotated.
  void projectHead(const std::string &name, const std::string &heads) {
    std::string flat = name + ".flat";
    linear("attention.in", "self_attn." + name + "_proj", heads + "*S", "D", options.queryBias, flat);
    if (options.normsHeads) {
      reshape(flat, {"B*T*" + heads, "S"}, name + ".heads");
      rmsNorm(name + ".heads", "self_attn." + name + "_norm", "S", options.epsilon, name + ".normal");
      flat = name + ".joined";
      reshape(name + ".normal", {"B*T", heads + "*S"}, flat);
    }
    if (name == "q") {
      json table = options.rotary;
      table["out"] = {"cos", "sin"};
      op(table);
    }
    op({{"op", "rotary"}, {"in", {flat, "cos", "sin"}}, {"heads", heads}, {"out", name}});
  }

  void attend() {
    json attention = {{"op", "attention"},  {"in", {"q", "k", "v"}},
                      {"batch", "B"},       {"heads", "H"},
                      {"kv_heads", "K"},    {"causal", true},
                      {"out", "attention"}, {"dropout", options.attentionDropout}};
    if (window != 0)
      attention["window"] = window;
    op(attention);
  }

  const Options &options;
  int64_t window; ///< 0: every earlier token
};

json dimensionsOf(JsonReader &config, const Family &family, const TrainingOptions &training) {
  int64_t hidden = sizeOf(config, "hidden_size", 4096),
          heads = sizeOf(config, "num_attention_heads", 32, kMostHeads);
  const int64_t fixed = family.sizes.keyHeads;
  const bool hasAsMany = fixed == 0 || config.has("num_key_value_heads"); // if that is null
  int64_t kvHeads = sizeOf(config, "num_key_value_heads", hasAsMany ? heads : fixed, kMostHeads);
  int64_t positions = sizeOf(config, "max_position_embeddings", family.positions);
  int64_t size = sizeOf(config, "head_dim",
                        family.headSize == 0 ? hidden / std::max<int64_t>(1, heads) : family.headSize);
  if (config.isOk() && !isGiven(config, "head_dim") && hidden % heads != 0)
    config.fail("num_attention_heads: must divide hidden_size = " + std::to_string(hidden) + ", is " +
                std::to_string(heads));
  if (config.isOk() && heads % kvHeads != 0)
    config.fail("num_key_value_heads: must divide num_attention_heads = " + std::to_string(heads) + ", is " +
                std::to_string(kvHeads));
  if (config.isOk() && size % 2 != 0)
    config.fail("head_dim: must be even, is " + std::to_string(size));
  return {{"B", "batch"},
          {"T", training.sequence == 0 ? positions : training.sequence},
          {"D", hidden},
          {"H", heads},
          {"K", kvHeads},
          {"S", size},
          {"F", sizeOf(config, "intermediate_size", family.sizes.inner)},
          {"L", sizeOf(config, "num_hidden_layers", 32, kMostLayers)},
          {"V", sizeOf(config, "vocab_size", family.vocabulary)},
          {"P", positions}};
}

Options optionsOf(JsonReader &config, const Family &family, const json &dims) {
  Options options;
  options.epsilon = numberOf(config, "rms_norm_eps", 1e-6, 1e-30, 1);
  options.range = numberOf(config, "initializer_range", 0.02, 0, 1e3);
  options.attentionDropout = dropoutOf(config, "attention_dropout", 0);
  options.outputBias = family.readsBias && flagOf(config, "attention_bias", false);
  options.queryBias = family.queryBias || options.outputBias;
  options.mlpBias = family.readsMlpBias && flagOf(config, "mlp_bias", false);
  options.normsHeads = family.normsHeads;
  options.activation = activationOf(config, "hidden_act", "silu");
  options.rotary = describeRotary(config, {dims["S"], dims["P"], dims["T"]});
  return options;
}

/// By layer: the window of its attention; 0: all earlier tokens.
using Windows = std::vector<int64_t>;

/// The windows of the layers that "layer_types" names. `rule`: what they need if there is no window.
Windows windowsOfTypes(JsonReader &config, int64_t layers, int64_t window, const std::string &rule) {
  constexpr std::string_view kTypes[] = {"full_attention", "sliding_attention"};
  JsonReader types = config.at("layer_types");
  if (config.isOk() && types.size() != static_cast<size_t>(layers))
    types.fail("must name the type of each of " + counted(layers, "layer"));
  Windows windows(layers, 0);
  for (int64_t i = 0; i < layers && config.isOk(); ++i) {
    JsonReader type = types.at(static_cast<size_t>(i));
    if (type.choice(kTypes) == 0)
      continue;
    if (window == 0)
      type.failRule(rule);
    windows[i] = window;
  }
  return windows;
}

bool isNull(JsonReader &config, std::string_view key) { return config.has(key) && config.at(key).isNull(); }

/// The windows of mistral: one for all layers, if the config has one. With "layer_types" transformers reads
/// the config as ministral's.
Windows windowsOfMistral(JsonReader &config, int64_t layers) {
  constexpr int64_t kDefault = 4096;
  const int64_t window = isNull(config, "sliding_window") ? 0 : sizeOf(config, "sliding_window", kDefault);
  return isGiven(config, "layer_types") ? windowsOfTypes(config, layers, window, "needs a \"sliding_window\"")
                                        : Windows(layers, window);
}

/// The windows of qwen: for the layers that "layer_types" names, or for all from max_window_layers on.
Windows windowsOfQwen(JsonReader &config, int64_t layers) {
  constexpr int64_t kDefaultWindow = 4096, kDefaultFirst = 28;
  int64_t window = sizeOf(config, "sliding_window", kDefaultWindow);
  const int64_t first = isGiven(config, "max_window_layers")
                            ? config.at("max_window_layers").integer(0, kMostLayers)
                            : kDefaultFirst;
  if (!flagOf(config, "use_sliding_window", false) || isNull(config, "sliding_window"))
    window = 0;
  if (isGiven(config, "layer_types"))
    return windowsOfTypes(config, layers, window, "needs \"use_sliding_window\" and a \"sliding_window\"");
  Windows windows(layers, window);
  std::fill_n(windows.begin(), std::min(first, layers), 0);
  return windows;
}

/// Writes a block for every different window, and a repeat for each run of neighbouring layers with the same
/// window.
void addLayers(GraphWriter &graph, json &blocks, const Options &options, const Windows &windows) {
  for (size_t begin = 0, end = 0; begin < windows.size(); begin = end) {
    while (end < windows.size() && windows[end] == windows[begin])
      ++end;
    std::string block = windows[begin] == 0 ? "layer" : "window.layer";
    if (!blocks.contains(block))
      blocks[block] = BlockWriter(options, windows[begin]).write();
    graph.op({{"repeat", end - begin},
              {"first", begin},
              {"block", block},
              {"carry", {"x"}},
              {"name", "layers.{i}"},
              {"prefix", "model.layers.{i}"}});
  }
}

json describe(JsonReader &config, const TrainingOptions &training, const Family &family,
              Windows (*windowsOf)(JsonReader &, int64_t)) {
  need(config, "is_causal", true);
  json dims = dimensionsOf(config, family, training), blocks = json::object();
  if (!config.isOk())
    return {};
  Options options = optionsOf(config, family, dims);
  Windows windows = windowsOf(config, dims["L"]);
  GraphWriter graph(options.range);
  graph.reshape("tokens", json::array({"B*T"}), "token");
  graph.embedding("token", "model.embed_tokens", "V", "D", "x", paddingOf(config, std::nullopt, dims["V"]));
  addLayers(graph, blocks, options, windows);
  graph.rmsNorm("x", "model.norm", "D", options.epsilon, "norm");
  if (flagOf(config, "tie_word_embeddings", false))
    graph.op({{"op", "matmul"},
              {"in", {"norm", "model.embed_tokens.weight"}},
              {"trans_b", true},
              {"out", "logits"}});
  else
    graph.linear("norm", "lm_head", "V", "D", false, "logits");
  graph.reshape("labels", json::array({"B*T"}), "label");
  graph.op({{"op", "cross_entropy"}, {"in", {"logits", "label"}}, {"out", "losses"}});
  auto input = [](const char *role) { return json{{"role", role}, {"shape", {"B", "T"}}, {"bound", "V"}}; };
  return {{"format", "windlass.model/1"},
          {"dims", dims},
          {"inputs", {{"tokens", input("tokens")}, {"labels", input("labels")}}},
          {"params", graph.params},
          {"blocks", blocks},
          {"ops", graph.ops},
          {"loss", "losses"},
          {"outputs", {"logits"}}};
}

Windows noWindows(JsonReader &, int64_t layers) { return Windows(layers, 0); }

} // namespace

json describeLlama(JsonReader &config, const TrainingOptions &training) {
  return describe(config, training, kLlama, noWindows);
}
json describeMistral(JsonReader &config, const TrainingOptions &training) {
  return describe(config, training, kMistral, windowsOfMistral);
}
json describeQwen2(JsonReader &config, const TrainingOptions &training) {
  return describe(config, training, kQwen2, windowsOfQwen);
}
json describeQwen3(JsonReader &config, const TrainingOptions &training) {
  return describe(config, training, kQwen3, windowsOfQwen);
}

} // namespace windlass
