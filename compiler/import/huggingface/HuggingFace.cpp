// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/HuggingFace.h"

#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/huggingface/ConfigKeys.h"
#include "compiler/import/huggingface/Encoders.h"
#include "compiler/import/huggingface/Gpt2.h"
#include "compiler/import/huggingface/Llama.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/base/File.h"
#include <filesystem>

using namespace mlir;

namespace windlass {
namespace {

/// Keys that do not affect the computation of a training step.
constexpr std::string_view kHarmless[] = {"_name_or_path",
                                          "architectures",
                                          "bos_token_id",
                                          "dtype",
                                          "eos_token_id",
                                          "gradient_checkpointing",
                                          "is_encoder_decoder",
                                          "model_type",
                                          "pad_token_id",
                                          "pretraining_tp",
                                          "summary_activation",
                                          "summary_first_dropout",
                                          "summary_proj_to_labels",
                                          "summary_type",
                                          "summary_use_proj",
                                          "task_specific_params",
                                          "torch_dtype",
                                          "transformers_version",
                                          "use_cache"};

/// Warns of keys that no reader knows: they are common in these files, but may mean another model.
void warnOfUnknownKeys(MLIRContext &context, JsonReader config, const std::string &file) {
  for (std::string_view key : kHarmless)
    config.allow(key);
  for (const std::string &key : config.unknown())
    emitWarning(UnknownLoc::get(&context),
                file + ": " + key.substr(0, 60) + ": unknown key, left out of account");
}

/// Refuses keys by which transformers builds another model, in every family.
void refuseOtherModels(JsonReader &config) {
  for (std::string_view key : {"per_layer_config", "quantization_config"})
    if (isGiven(config, key))
      config.at(key).fail("must not be there: the model that it means is not built");
}

struct Family {
  std::string_view type;
  std::vector<std::string_view> heads;
  nlohmann::json (*describe)(JsonReader &, const TrainingOptions &);
  LayerSizes sizes = {}; ///< that do not follow from others
};
const std::vector<Family> &families() {
  static const std::vector<Family> all = {
      {"gpt2", {"GPT2LMHeadModel"}, describeGpt2},
      {"llama", {"LlamaForCausalLM"}, describeLlama, kLlamaSizes},
      {"mistral", {"MistralForCausalLM"}, describeMistral, kMistralSizes},
      {"qwen2", {"Qwen2ForCausalLM"}, describeQwen2, kQwenSizes},
      {"qwen3", {"Qwen3ForCausalLM"}, describeQwen3, kQwenSizes},
      {"bert", {std::begin(kBertHeads), std::end(kBertHeads)}, describeBert, kEncoderSizes},
      {"vit", {"ViTForImageClassification"}, describeVit, kEncoderSizes}};
  return all;
}

/// The family of "model_type", or of the head in "architectures"; an error if the two disagree.
const Family *findFamily(JsonReader &config) {
  std::vector<std::string_view> types, heads;
  std::vector<const Family *> byHead;
  for (const Family &family : families()) {
    types.push_back(family.type);
    heads.insert(heads.end(), family.heads.begin(), family.heads.end());
    byHead.insert(byHead.end(), family.heads.size(), &family);
  }
  if (config.has("model_type")) {
    size_t index = config.at("model_type").choice(types);
    if (config.isOk() && isGiven(config, "architectures"))
      config.at("architectures").at(size_t(0)).choice(families()[index].heads);
    return config.isOk() ? &families()[index] : nullptr;
  }
  JsonReader names = config.at("architectures");
  size_t index = names.isOk() ? names.at(size_t(0)).choice(heads) : 0;
  return config.isOk() ? byHead[index] : nullptr;
}

} // namespace

void writeFixedSizes(nlohmann::json &config) {
  Status failure;
  JsonReader reader(config, "config.json", failure);
  const Family *family = findFamily(reader);
  if (!family)
    return;
  if (family->sizes.inner > 0 && !isGiven(reader, "intermediate_size"))
    config["intermediate_size"] = family->sizes.inner;
  if (family->sizes.keyHeads > 0 && !config.contains("num_key_value_heads")) // null: as many as heads
    config["num_key_value_heads"] = family->sizes.keyHeads;
}

Result<OwningOpRef<ModuleOp>> importHuggingFace(MLIRContext &context, const std::string &path,
                                                const TrainingOptions &training) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path file = fs::is_directory(path, ignored) ? fs::path(path) / "config.json" : fs::path(path);
  Result<std::string> text = readFile(file.string());
  if (!text)
    return text.status();
  Result<nlohmann::json> document = JsonReader::parse(*text, file.string());
  if (!document)
    return document.status();
  Status failure;
  JsonReader config(*document, file.string(), failure);
  const Family *family = findFamily(config);
  refuseOtherModels(config);
  nlohmann::json graph = failure ? family->describe(config, training) : nlohmann::json();
  if (!failure)
    return failure;
  warnOfUnknownKeys(context, config, file.string());
  graph["name"] = fs::absolute(file).lexically_normal().parent_path().filename().string();
  return buildGraph(context, graph, file.string(), *text, training);
}

} // namespace windlass
