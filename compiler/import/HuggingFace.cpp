#include "compiler/import/HuggingFace.h"

#include "compiler/import/Gpt2.h"
#include "compiler/import/GraphJson.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/base/File.h"
#include <filesystem>

using namespace mlir;

namespace windlass {
namespace {

/// Keys that say nothing about the computation of a training step.
constexpr std::string_view kHarmless[] = {"_name_or_path",         "architectures",
                                          "bos_token_id",          "dtype",
                                          "eos_token_id",          "gradient_checkpointing",
                                          "is_encoder_decoder",    "model_type",
                                          "pad_token_id",          "summary_activation",
                                          "summary_first_dropout", "summary_proj_to_labels",
                                          "summary_type",          "summary_use_proj",
                                          "task_specific_params",  "torch_dtype",
                                          "transformers_version",  "use_cache"};

/// Keys nobody asked for are normal in these files, but may mean another model.
void warnOfUnknownKeys(MLIRContext &context, JsonReader config, const std::string &file) {
  for (std::string_view key : kHarmless)
    config.allow(key);
  for (const std::string &key : config.unknown())
    emitWarning(UnknownLoc::get(&context),
                file + ": " + key.substr(0, 60) + ": unknown key, left out of account");
}

void checkFamily(JsonReader &config) {
  if (config.has("model_type")) {
    constexpr std::string_view families[] = {"gpt2"};
    config.at("model_type").choice(families);
  } else if (JsonReader names = config.at("architectures"); names.isOk()) {
    constexpr std::string_view heads[] = {"GPT2LMHeadModel"};
    names.at(size_t(0)).choice(heads);
  }
}

} // namespace

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
  checkFamily(config);
  nlohmann::json graph = failure ? describeGpt2(config, training) : nlohmann::json();
  if (!failure)
    return failure;
  warnOfUnknownKeys(context, config, file.string());
  graph["name"] = fs::absolute(file).lexically_normal().parent_path().filename().string();
  return buildGraph(context, graph, file.string(), *text, training);
}

} // namespace windlass
