// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/training/TrainingFile.h"

#include "compiler/training/ForeignTraining.h"
#include "compiler/training/KeyedDocument.h"
#include "compiler/training/TrainingRules.h"
#include "runtime/base/File.h"
#include "runtime/base/UnknownKeys.h"
#include <algorithm>

namespace windlass {
namespace {

using namespace training;

constexpr std::string_view kFormat = "windlass.training/1";

constexpr std::string_view kKnownKeys[] = {
    "format",
#define WINDLASS_TRAINING_KEY(Path, Field, Rule, Doc) Path,
#include "compiler/training/TrainingKeys.def"
};

/// global_batch = parallel.data * micro_batches * micro_batch, from any of them.
void resolveBatch(JsonReader &top, TrainingOptions &options) {
  int64_t &global = options.globalBatch, &count = options.microBatches, &size = options.microBatch;
  int64_t ranks = options.dataRanks;
  auto divide = [&](int64_t &part, int64_t by, const char *product) {
    if (global % by != 0)
      top.at("global_batch")
          .failRule("must be a multiple of " + std::string(product) + " = " + std::to_string(by));
    part = global / by;
    if (count > kMostMicroBatches)
      top.at("global_batch")
          .failRule("must make at most " + std::to_string(kMostMicroBatches) + " micro-batches");
  };
  if (global != 0 && size == 0 && count == 0)
    size = 1;
  if (global != 0 && size == 0)
    return divide(size, ranks * count, "parallel.data x micro_batches");
  if (global != 0 && count == 0)
    return divide(count, ranks * size, "parallel.data x micro_batch");
  size = std::max<int64_t>(size, 1);
  count = std::max<int64_t>(count, 1);
  if (size > kMostCount / ranks || count > kMostCount / (ranks * size))
    return top.fail("parallel.data x micro_batches x micro_batch must be at most 2^31");
  int64_t product = ranks * count * size;
  if (global != 0 && global != product)
    top.at("global_batch")
        .failRule("must be parallel.data x micro_batches x micro_batch = " + std::to_string(ranks) + " x " +
                  std::to_string(count) + " x " + std::to_string(size) + " = " + std::to_string(product));
  global = product;
}

/// The largest zero that is given; 0 where none is.
int64_t mostOf(const Zeros &zeros) {
  int64_t most = zeros.others.value_or(0);
  for (const auto &[bucket, zero] : zeros.of)
    most = std::max(most, zero.value_or(0));
  return most;
}

/// Checks that keys of loss scales are used with a loss scale only, and that a fixed scale has no further
/// keys.
void checkLossScale(JsonReader precision, const TrainingOptions &options) {
  const TrainingOptions usual;
  const bool isFp16 = options.compute == Precision::Fp16;
  const std::string needed = isFp16 ? "needs \"precision.loss_scale\" dynamic"
                                    : "needs \"precision.compute\" fp16: no other run scales its loss";
  auto refuse = [&](const char *key) { precision.at(key).failRule(needed); };
  if (!isFp16 && options.lossScale)
    refuse("loss_scale");
  if (isFp16 && !options.lossScale) {
    if (options.minLossScale > options.initialLossScale)
      precision.at("min_loss_scale")
          .failRule("must be at most precision.initial_loss_scale = " +
                    nlohmann::json(options.initialLossScale).dump());
    return;
  }
  if (options.initialLossScale != usual.initialLossScale)
    refuse("initial_loss_scale");
  if (options.lossScaleWindow != usual.lossScaleWindow)
    refuse("loss_scale_window");
  if (options.minLossScale != usual.minLossScale)
    refuse("min_loss_scale");
}

/// The rules that span keys.
void checkTogether(JsonReader &top, const TrainingOptions &options) {
  if (options.shardRanks != 0 && options.dataRanks % options.shardRanks != 0)
    top.at("parallel")
        .at("shard")
        .failRule("must divide \"parallel.data\" = " + std::to_string(options.dataRanks));
  if (options.warmup > options.steps)
    top.at("schedule").at("warmup").failRule("must be at most steps = " + std::to_string(options.steps));
  if (options.validationEvery > 0 && options.validationFraction == 0)
    top.at("validation").at("every").failRule("needs \"validation.fraction\" above 0");
  if (int64_t most = mostOf(options.zeroStage); options.cadence == Cadence::Step && most > 1)
    top.at("cadence").failRule("needs \"zero_stage\" 0 or 1, not " + std::to_string(most));
  if (options.compute == Precision::Fp32 && !options.masterHome.isAuto())
    top.at("placement")
        .at("master")
        .failRule("needs \"precision.compute\" bf16 or fp16: an fp32 run has no masters");
  if (top.has("precision"))
    checkLossScale(top.at("precision"), options);
}

Result<TrainingOptions> parse(std::string_view text, const std::string &file, const nlohmann::json &over) {
  Result<nlohmann::json> document = JsonReader::parse(text, file);
  if (!document)
    return document.status();
  WINDLASS_TRY(refuseForeign(*document, file));
  if (document->is_object() && over.is_object())
    document->merge_patch(over);
  Status failure;
  JsonReader top(*document, file, failure);
  if (JsonReader format = top.at("format"); top.isOk() && format.text() != kFormat)
    format.failRule("must be \"" + std::string(kFormat) + "\"");
  if (top.isOk())
    failure = refuseUnknownKeys(*document, file, kKnownKeys);
  TrainingOptions options;
  KeyedReader keys(top);
#define WINDLASS_TRAINING_KEY(Path, Field, Rule, Doc) keys.read(Path, Rule, options.Field);
#include "compiler/training/TrainingKeys.def"
  keys.finish();
  if (top.isOk())
    resolveBatch(top, options);
  if (top.isOk())
    checkTogether(top, options);
  if (!failure)
    return failure;
  return options;
}

} // namespace

Result<TrainingOptions> parseTraining(std::string_view text, const std::string &file) {
  return parse(text, file, nullptr);
}

Result<TrainingOptions> readTrainingFile(const std::string &path) { return readTrainingFile(path, nullptr); }

Result<TrainingOptions> readTrainingFile(const std::string &path, const nlohmann::json &over) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.status();
  return parse(*text, path, over);
}

std::string trainingDefaults() {
  const TrainingOptions options;
  nlohmann::ordered_json document;
  document["format"] = kFormat;
#define WINDLASS_TRAINING_KEY(Path, Field, Rule, Doc) writeKey(document, Path, Rule.write(options.Field));
#include "compiler/training/TrainingKeys.def"
  return document.dump(2) + "\n";
}

std::string trainingSchema() {
  const TrainingOptions options;
  nlohmann::ordered_json document = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                     {"title", kFormat},
                                     {"description", "How a model is to be trained: docs/training.md."},
                                     {"type", "object"},
                                     {"required", {"format"}},
                                     {"additionalProperties", false}};
  document["properties"]["format"] = {{"const", kFormat}};
  auto write = [&](std::string_view path, nlohmann::json value, nlohmann::json usual, std::string_view doc) {
    auto [group, key] = splitKey(path);
    nlohmann::ordered_json *owner = &document;
    if (!group.empty()) {
      owner = &document["properties"][std::string(group)];
      (*owner)["type"] = "object";
      (*owner)["additionalProperties"] = false;
    }
    value["description"] = doc;
    value["default"] = std::move(usual);
    (*owner)["properties"][std::string(key)] = std::move(value);
  };
#define WINDLASS_TRAINING_KEY(Path, Field, Rule, Doc)                                                        \
  write(Path, Rule.schema(), Rule.write(options.Field), Doc);
#include "compiler/training/TrainingKeys.def"
  return document.dump(2) + "\n";
}

std::string trainingKeyTable() {
  const TrainingOptions options;
  std::string table(kKeyTableHead);
#define WINDLASS_TRAINING_KEY(Path, Field, Rule, Doc)                                                        \
  table += keyTableRow(Path, Rule.rule(), Rule.write(options.Field), Doc);
#include "compiler/training/TrainingKeys.def"
  return table;
}

} // namespace windlass
