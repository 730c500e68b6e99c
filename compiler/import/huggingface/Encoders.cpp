// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/Encoders.h"

#include "compiler/import/huggingface/GraphWriter.h"

namespace windlass {
namespace {

using nlohmann::json;

/// The options that both encoders read. `dropout`: the default rate.
struct Options {
  double hiddenDropout, attentionDropout, epsilon, range;
  json activation;

  Options(JsonReader &config, double dropout)
      : hiddenDropout(dropoutOf(config, "hidden_dropout_prob", dropout)),
        attentionDropout(dropoutOf(config, "attention_probs_dropout_prob", dropout)),
        epsilon(numberOf(config, "layer_norm_eps", 1e-12, 1e-30, 1)),
        range(numberOf(config, "initializer_range", 0.02, 0, 1e3)),
        activation(activationOf(config, "hidden_act", "gelu")) {}
};

/// The dimensions D (hidden), H (heads), F (inner) and L (layers).
json layerDimensions(JsonReader &config) {
  int64_t hidden = sizeOf(config, "hidden_size", 768),
          heads = sizeOf(config, "num_attention_heads", 12, kMostHeads);
  if (config.isOk() && hidden % heads != 0)
    config.fail("num_attention_heads: must divide hidden_size = " + std::to_string(hidden) + ", is " +
                std::to_string(heads));
  return {{"B", "batch"},
          {"D", hidden},
          {"H", heads},
          {"F", sizeOf(config, "intermediate_size", kEncoderSizes.inner)},
          {"L", sizeOf(config, "num_hidden_layers", 12, kMostLayers)}};
}

/// The number of classes of a classifier.
int64_t classesOf(JsonReader &config) {
  config.allow("label2id");
  const int64_t classes = sizeOf(config, "num_labels", 2);
  if (!isGiven(config, "id2label") || !config.at("id2label").isObject())
    return classes;
  const auto named = static_cast<int64_t>(config.at("id2label").keys().size());
  if (isGiven(config, "num_labels") && config.isOk() && classes != named)
    config.at("num_labels")
        .failRule("must be the number of labels in \"id2label\" = " + std::to_string(named));
  return named;
}

/// Self-attention of `x`, with the parameters of queries, keys and values under `prefix`.
void attend(GraphWriter &block, const std::string &x, const std::string &prefix, bool bias, const json &mask,
            double dropout) {
  for (const char *part : {"query", "key", "value"})
    block.linear(x, prefix + "." + part, "D", "D", bias, part);
  json inputs = {"query", "key", "value"};
  inputs.insert(inputs.end(), mask.begin(), mask.end());
  block.op({{"op", "attention"},
            {"in", inputs},
            {"batch", "B"},
            {"heads", "H"},
            {"dropout", dropout},
            {"out", "mixed"}});
}

void repeatLayers(GraphWriter &graph, const std::string &prefix, const json &with) {
  json repeat = {
      {"repeat", "L"}, {"block", "layer"}, {"carry", {"x"}}, {"name", "layer.{i}"}, {"prefix", prefix}};
  if (!with.empty())
    repeat["with"] = with;
  graph.op(repeat);
}

/// The state of each sequence's first token.
void firstTokens(GraphWriter &graph, const std::string &x, const std::string &out) {
  graph.reshape(x, {"B", "T", "D"}, "sequences");
  graph.op({{"op", "slice"},
            {"in", {"sequences"}},
            {"dims", {1}},
            {"starts", {0}},
            {"ends", {1}},
            {"out", "first"}});
  graph.reshape("first", {"B", "D"}, out);
}

json document(const json &dims, const json &inputs, const GraphWriter &graph, const json &layer) {
  return {{"format", "windlass.model/1"}, {"dims", dims},     {"inputs", inputs}, {"params", graph.params},
          {"blocks", {{"layer", layer}}}, {"ops", graph.ops}, {"loss", "losses"}};
}

constexpr std::string_view kProblems[] = {"single_label_classification", "regression",
                                          "multi_label_classification"};

/// The kind of labels of an example: one class, numbers, or a truth value per class.
size_t problemOf(JsonReader &config, int64_t classes) {
  if (!isGiven(config, "problem_type"))
    return classes == 1 ? 1 : 0;
  const size_t problem = config.at("problem_type").choice(kProblems);
  if (config.isOk() && problem == 0 && classes == 1)
    config.at("problem_type").failRule("needs two classes or more");
  return problem;
}

/// Writes the loss of "logits", with one row per example. Returns the input of the labels.
json problemLoss(GraphWriter &graph, size_t problem, int64_t classes) {
  constexpr const char *losses[] = {"cross_entropy", "mse", "bce_with_logits"};
  const bool isClass = problem == 0, isNumber = problem == 1 && classes == 1;
  if (isNumber)
    graph.reshape("labels", {"B", 1}, "numbers");
  graph.op({{"op", losses[problem]}, {"in", {"logits", isNumber ? "numbers" : "labels"}}, {"out", "losses"}});
  if (isClass)
    return {{"role", "classes"}, {"shape", json::array({"B"})}, {"bound", "K"}};
  return {{"role", "targets"}, {"shape", isNumber ? json::array({"B"}) : json::array({"B", "K"})}};
}

//===----------------------------------------------------------------------===//
// BERT
//===----------------------------------------------------------------------===//

/// A layer of BERT, with norms after the residual sums.
json bertLayer(const Options &options) {
  GraphWriter block(options.range);
  attend(block, "x", "attention.self", true, json::array({"mask"}), options.attentionDropout);
  block.linear("mixed", "attention.output.dense", "D", "D", true, "attention.out");
  block.dropout("attention.out", options.hiddenDropout, "attention.kept");
  block.add("attention.kept", "x", "attention.sum");
  block.layerNorm("attention.sum", "attention.output.LayerNorm", "D", options.epsilon, "middle");
  block.linear("middle", "intermediate.dense", "F", "D", true, "inner");
  block.activate("inner", options.activation, "active");
  block.linear("active", "output.dense", "D", "F", true, "mlp.out");
  block.dropout("mlp.out", options.hiddenDropout, "mlp.kept");
  block.add("mlp.kept", "middle", "mlp.sum");
  block.layerNorm("mlp.sum", "output.LayerNorm", "D", options.epsilon, "y");
  return block.block(json::array({"x", "mask"}), json::array({"y"}));
}

void bertEmbeddings(GraphWriter &graph, const Options &options, std::optional<int64_t> padding) {
  const std::string prefix = "bert.embeddings.";
  graph.reshape("input_ids", json::array({"B*T"}), "token");
  graph.reshape("token_type_ids", json::array({"B*T"}), "type");
  graph.op({{"op", "positions"}, {"in", {"input_ids"}}, {"dim", 1}, {"out", "positions"}});
  graph.reshape("positions", json::array({"B*T"}), "position");
  graph.embedding("token", prefix + "word_embeddings", "V", "D", "words", padding);
  graph.embedding("type", prefix + "token_type_embeddings", "Y", "D", "types");
  graph.embedding("position", prefix + "position_embeddings", "P", "D", "places");
  graph.add("words", "types", "typed");
  graph.add("typed", "places", "embedded");
  graph.layerNorm("embedded", prefix + "LayerNorm", "D", options.epsilon, "embedded.norm");
  graph.dropout("embedded.norm", options.hiddenDropout, "x");
}

/// Writes the mask: 0 for keys that count, the least f32 for others.
void bertMask(GraphWriter &graph) {
  constexpr double kLeast = -3.4028234663852886e38;
  graph.op({{"op", "constant"}, {"value", 0}, {"out", "open"}});
  graph.op({{"op", "constant"}, {"value", kLeast}, {"out", "closed"}});
  graph.op({{"op", "where"}, {"in", {"attention_mask", "open", "closed"}}, {"out", "rows"}});
  graph.reshape("rows", {"B", 1, 1, "T"}, "mask");
}

/// An input with an element per token of each sequence.
json ofTokens(const char *role, const json &bound) {
  return {{"role", role}, {"shape", {"B", "T"}}, {"bound", bound}};
}

/// Writes the head that predicts masked tokens. Returns the input of the labels.
json maskedHead(GraphWriter &graph, const Options &options, bool tied) {
  const std::string prefix = "cls.predictions.";
  graph.linear("x", prefix + "transform.dense", "D", "D", true, "head");
  graph.activate("head", options.activation, "head.active");
  graph.layerNorm("head.active", prefix + "transform.LayerNorm", "D", options.epsilon, "head.out");
  graph.constant(prefix + "bias", json::array({"V"}), 0);
  if (tied) {
    graph.op({{"op", "matmul"},
              {"in", {"head.out", "bert.embeddings.word_embeddings.weight"}},
              {"trans_b", true},
              {"out", "scores"}});
    graph.add("scores", prefix + "bias", "logits");
  } else { // the decoder has its own bias; the other bias is only in checkpoints
    graph.linear("head.out", prefix + "decoder", "V", "D", true, "logits");
    graph.params[prefix + "bias"]["group"] = "frozen";
  }
  graph.reshape("labels", json::array({"B*T"}), "label");
  graph.op({{"op", "cross_entropy"}, {"in", {"logits", "label"}}, {"out", "losses"}});
  return ofTokens("labels", "V");
}

double classifierDropout(JsonReader &config, const Options &options) {
  return dropoutOf(config, "classifier_dropout", options.hiddenDropout);
}

/// Writes the head that classifies every token. Returns the input of the labels.
json tokenHead(GraphWriter &graph, double dropout) {
  graph.dropout("x", dropout, "kept");
  graph.linear("kept", "classifier", "K", "D", true, "logits");
  graph.reshape("labels", json::array({"B*T"}), "label");
  graph.op({{"op", "cross_entropy"}, {"in", {"logits", "label"}}, {"out", "losses"}});
  return ofTokens("classes", "K");
}

/// Writes the head on each sequence's first token. Returns the input of the labels.
json sequenceHead(GraphWriter &graph, double dropout, size_t problem, int64_t classes) {
  firstTokens(graph, "x", "token.state");
  graph.linear("token.state", "bert.pooler.dense", "D", "D", true, "pooler");
  graph.op({{"op", "tanh"}, {"in", {"pooler"}}, {"out", "pooled"}});
  graph.dropout("pooled", dropout, "kept");
  graph.linear("kept", "classifier", "K", "D", true, "logits");
  return problemLoss(graph, problem, classes);
}

json bertDimensions(JsonReader &config, const TrainingOptions &training) {
  json dims = layerDimensions(config);
  int64_t positions = sizeOf(config, "max_position_embeddings", 512);
  int64_t sequence = training.sequence == 0 ? positions : training.sequence;
  if (config.isOk() && sequence > positions)
    config.fail("max_position_embeddings: must be at least the training file's \"sequence\" = " +
                std::to_string(sequence) + ", is " + std::to_string(positions));
  dims.update({{"T", sequence},
               {"P", positions},
               {"V", sizeOf(config, "vocab_size", 30522)},
               {"Y", sizeOf(config, "type_vocab_size", 2)}});
  return dims;
}

//===----------------------------------------------------------------------===//
// ViT
//===----------------------------------------------------------------------===//

/// A layer of ViT, with norms before attention and MLP.
json vitLayer(const Options &options, bool bias) {
  GraphWriter block(options.range);
  block.layerNorm("x", "layernorm_before", "D", options.epsilon, "attention.in");
  attend(block, "attention.in", "attention.attention", bias, json::array(), options.attentionDropout);
  block.linear("mixed", "attention.output.dense", "D", "D", true, "attention.out");
  block.dropout("attention.out", options.hiddenDropout, "attention.kept");
  block.add("attention.kept", "x", "middle");
  block.layerNorm("middle", "layernorm_after", "D", options.epsilon, "mlp.in");
  block.linear("mlp.in", "intermediate.dense", "F", "D", true, "inner");
  block.activate("inner", options.activation, "active");
  block.linear("active", "output.dense", "D", "F", true, "mlp.out");
  block.dropout("mlp.out", options.hiddenDropout, "mlp.kept");
  block.add("mlp.kept", "middle", "y");
  return block.block(json::array({"x"}), json::array({"y"}));
}

/// Writes the convolution over patches, whose stride is its kernel, as a product: each patch is a row,
/// channel first.
void vitPatches(GraphWriter &graph) {
  const std::string prefix = "vit.embeddings.";
  graph.reshape("pixel_values", {"B", "C", "N", "P", "N", "P"}, "grid");
  graph.op({{"op", "transpose"}, {"in", {"grid"}}, {"perm", {0, 2, 4, 1, 3, 5}}, {"out", "patches"}});
  graph.reshape("patches", {"B*N*N", "C*P*P"}, "patch");
  graph.weight(prefix + "patch_embeddings.projection.weight", {"D", "C", "P", "P"});
  graph.constant(prefix + "patch_embeddings.projection.bias", json::array({"D"}), 0);
  graph.reshape(prefix + "patch_embeddings.projection.weight", {"D", "C*P*P"}, "kernel");
  graph.op({{"op", "matmul"}, {"in", {"patch", "kernel"}}, {"trans_b", true}, {"out", "projected"}});
  graph.add("projected", prefix + "patch_embeddings.projection.bias", "tokens");
  graph.reshape("tokens", {"B", "N*N", "D"}, "images");
}

/// Writes the class token before the patches, and adds an embedding for every place.
void vitEmbeddings(GraphWriter &graph, const Options &options) {
  const std::string prefix = "vit.embeddings.";
  vitPatches(graph);
  graph.weight(prefix + "cls_token", {1, 1, "D"});
  graph.weight(prefix + "position_embeddings", {1, "T", "D"});
  graph.op({{"op", "expand"}, {"in", {prefix + "cls_token"}}, {"shape", {"B", 1, "D"}}, {"out", "class"}});
  graph.op({{"op", "concat"}, {"in", {"class", "images"}}, {"dim", 1}, {"out", "sequence"}});
  graph.add("sequence", prefix + "position_embeddings", "placed");
  graph.reshape("placed", {"B*T", "D"}, "embedded");
  graph.dropout("embedded", options.hiddenDropout, "x");
}

json vitHead(GraphWriter &graph, const Options &options, size_t problem, int64_t classes) {
  graph.layerNorm("x", "vit.layernorm", "D", options.epsilon, "norm");
  firstTokens(graph, "norm", "pooled");
  graph.linear("pooled", "classifier", "K", "D", true, "logits");
  return problemLoss(graph, problem, classes);
}

/// The dimensions of the image: N patches of P pixels along each side.
json vitDimensions(JsonReader &config) {
  json dims = layerDimensions(config);
  constexpr int64_t kMostPixels = 1 << 14;
  int64_t image = sizeOf(config, "image_size", 224, kMostPixels),
          patch = sizeOf(config, "patch_size", 16, kMostPixels);
  if (config.isOk() && image % patch != 0)
    config.fail("patch_size: must divide image_size = " + std::to_string(image) + ", is " +
                std::to_string(patch));
  const int64_t size = config.isOk() ? dims["D"].get<int64_t>() / dims["H"].get<int64_t>() : 1;
  if (config.isOk() && sizeOf(config, "head_dim", size) != size)
    config.at("head_dim").failRule("must be hidden_size / num_attention_heads = " + std::to_string(size));
  int64_t side = config.isOk() ? image / patch : 1;
  dims.update({{"I", image},
               {"P", patch},
               {"N", side},
               {"T", side * side + 1},
               {"C", sizeOf(config, "num_channels", 3, kMostHeads)},
               {"K", classesOf(config)}});
  return dims;
}

} // namespace

json describeBert(JsonReader &config, const TrainingOptions &training) {
  json dims = bertDimensions(config, training);
  need(config, "is_decoder", false);
  need(config, "add_cross_attention", false);
  constexpr std::string_view positions[] = {"absolute"};
  if (isGiven(config, "position_embedding_type"))
    config.at("position_embedding_type").choice(positions);
  config.allow("classifier_dropout");
  const size_t head = isGiven(config, "architectures") && config.at("architectures").size() > 0
                          ? config.at("architectures").at(size_t(0)).choice(kBertHeads)
                          : 0;
  Options options(config, 0.1);
  GraphWriter graph(options.range);
  bertEmbeddings(graph, options, paddingOf(config, 0, dims["V"]));
  bertMask(graph);
  repeatLayers(graph, "bert.encoder.layer.{i}", json::array({"mask"}));
  json labels;
  size_t problem = 0;
  if (head == 0) {
    labels = maskedHead(graph, options, flagOf(config, "tie_word_embeddings", true));
  } else {
    const int64_t classes = classesOf(config);
    const double dropout = classifierDropout(config, options);
    dims["K"] = classes;
    problem = head == 1 ? problemOf(config, classes) : 0;
    config.allow("tie_word_embeddings");
    labels = head == 1 ? sequenceHead(graph, dropout, problem, classes) : tokenHead(graph, dropout);
  }
  // The training loop counts elements of the last input of role "classes"; without such an input, examples.
  const char *role = problem == 0 ? "classes" : "tokens";
  json inputs = {{"input_ids", ofTokens("tokens", "V")},
                 {"token_type_ids", ofTokens(role, "Y")},
                 {"attention_mask", ofTokens(role, 2)},
                 {"labels", labels}};
  for (const char *name : {"token_type_ids", "attention_mask"})
    if (problem == 0)
      inputs[name]["ignored"] = 0; // the labels' -100 is no segment, and hides nothing
  return document(dims, inputs, graph, bertLayer(options));
}

json describeVit(JsonReader &config, const TrainingOptions &) {
  json dims = vitDimensions(config);
  for (std::string_view key : {"encoder_stride", "pooler_output_size", "pooler_act"})
    config.allow(key);
  Options options(config, 0);
  GraphWriter graph(options.range);
  vitEmbeddings(graph, options);
  repeatLayers(graph, "vit.encoder.layer.{i}", json::array());
  const int64_t classes = dims["K"];
  json labels = vitHead(graph, options, problemOf(config, classes), classes);
  json inputs = {{"pixel_values", {{"role", "features"}, {"shape", {"B", "C", "I", "I"}}}},
                 {"labels", labels}};
  return document(dims, inputs, graph, vitLayer(options, flagOf(config, "qkv_bias", true)));
}

} // namespace windlass
