#include "runtime/training/TrainerState.h"

#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/TrainingLimits.h"
#include <limits>
#include <set>

namespace windlass {
namespace {

using nlohmann::json;
constexpr const char *kSchema = "windlass.trainer_state/1";

json parseRecord(const std::string &text) {
  json record = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return record.is_object() ? record : json::object();
}

} // namespace

std::string printTrainerState(const TrainerState &state) {
  json document = {{"schema", kSchema},
                   {"step", state.step},
                   {"data_position", state.dataPosition},
                   {"seed", std::to_string(state.seed)}, // 64 bits: more than a JSON number keeps
                   {"shuffle", state.shuffle},
                   {"training_examples", state.trainingExamples},
                   {"training", parseRecord(state.training)},
                   {"numerics", parseRecord(state.numerics)},
                   {"windlass_version", state.version}};
  if (!state.fingerprint.empty())
    document["data"] = {{"description", state.data}, {"fingerprint", state.fingerprint}};
  if (const LossScaleState &scale = state.lossScale; scale != LossScaleState())
    document["loss_scale"] = {
        {"scale", scale.scale}, {"finite_steps", scale.finiteSteps}, {"skipped_steps", scale.skippedSteps}};
  return document.dump(2) + "\n";
}

Result<TrainerState> readTrainerState(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.status();
  Result<json> document = JsonReader::parse(*text, path);
  if (!document)
    return document.status();
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  Status failure;
  JsonReader reader(*document, path, failure);
  TrainerState state;
  if (reader.at("schema").text() != kSchema)
    reader.at("schema").failRule("must be \"" + std::string(kSchema) + "\"");
  state.step = reader.at("step").integer(0, most);
  state.dataPosition = reader.at("data_position").integer(0, most);
  const std::string seed = reader.at("seed").text();
  state.shuffle = reader.at("shuffle").boolean();
  state.trainingExamples = reader.at("training_examples").integer(0, most);
  if (std::optional<JsonReader> scale = reader.find("loss_scale")) {
    state.lossScale = {scale->at("scale").number(1, kMostLossScale),
                       scale->at("finite_steps").integer(0, most),
                       scale->at("skipped_steps").integer(0, state.step)};
    scale->finish();
  }
  if (std::optional<JsonReader> data = reader.find("data")) {
    state.data = data->at("description").text();
    state.fingerprint = data->at("fingerprint").text();
    data->finish();
  }
  reader.allow("training");
  reader.allow("numerics");
  state.version = reader.at("windlass_version").text();
  reader.finish();
  if (!failure)
    return failure;
  state.training = document->value("training", json::object()).dump();
  state.numerics = document->value("numerics", json::object()).dump();
  if (seed.empty() || seed.size() > 20 || seed.find_first_not_of("0123456789") != std::string::npos)
    return Status::badInput(path + ": seed: must be a whole number in quotes, is \"" + seed + "\"");
  state.seed = std::strtoull(seed.c_str(), nullptr, 10);
  return state;
}

std::vector<RecordDifference> differencesOfRecords(const std::string &before, const std::string &now) {
  const json first = parseRecord(before), second = parseRecord(now);
  std::set<std::string> keys;
  for (const json *record : {&first, &second})
    for (const auto &[key, value] : record->items())
      keys.insert(key);
  std::vector<RecordDifference> differences;
  for (const std::string &key : keys) {
    const json old = first.value(key, json()), next = second.value(key, json());
    if (old != next)
      differences.push_back({key, old.dump(), next.dump()});
  }
  return differences;
}

} // namespace windlass
