// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/TrainerState.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/TrainingLimits.h"
#include <algorithm>
#include <limits>
#include <set>

namespace windlass {
namespace {

using nlohmann::json;
constexpr const char *kSchema = "windlass.trainer_state/2", *kOldSchema = "windlass.trainer_state/1";
constexpr const char *kHash = "hash";

json parseRecord(const std::string &text) {
  json record = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return record.is_object() ? record : json::object();
}

std::string textOf(const json &document, int indent = -1) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

/// The whole file.
std::string fileOf(const json &document) { return textOf(document, 2) + "\n"; }

/// Of all that the file says, however it is laid out.
std::string hashOfRest(json document) {
  document.erase(kHash);
  return hashOfBytes(textOf(document));
}

/// The hash says nothing of the bytes between what a file says, and behind it.
Status checkLayout(const std::string &text, const json &document, const std::string &path) {
  const std::string written = fileOf(document);
  if (text == written)
    return Status::ok();
  const auto same = std::ranges::mismatch(text, written).in1 - text.begin();
  return Status::badInput(path + ": is not as it was written: it has " + std::to_string(text.size()) +
                          " bytes, of which the first " + std::to_string(same) + " are those of the " +
                          std::to_string(written.size()) + " that were written");
}

/// The names and hashes of the other files. A name leads to no other folder.
std::map<std::string, std::string> readFiles(JsonReader files) {
  std::map<std::string, std::string> hashes;
  for (const std::string &name : files.keys()) {
    if (name.empty() || name.find('/') != std::string::npos)
      files.at(name).failRule("must be of a file in the same folder");
    hashes[name] = files.at(name).text();
  }
  return hashes;
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
                   {"files", state.files},
                   {"windlass_version", state.version}};
  if (!state.fingerprint.empty())
    document["data"] = {{"description", state.data}, {"fingerprint", state.fingerprint}};
  if (const LossScaleState &scale = state.lossScale; scale != LossScaleState())
    document["loss_scale"] = {
        {"scale", scale.scale}, {"finite_steps", scale.finiteSteps}, {"skipped_steps", scale.skippedSteps}};
  document[kHash] = hashOfRest(document);
  return fileOf(document);
}

Result<TrainerState> readTrainerState(const std::string &path) {
  Result<std::string> text = readFile(path);
  return text ? parseTrainerState(*text, path) : Result<TrainerState>(text.status());
}

Result<TrainerState> parseTrainerState(const std::string &text, const std::string &path) {
  Result<json> document = JsonReader::parse(text, path);
  if (!document)
    return document.status();
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  Status failure;
  JsonReader reader(*document, path, failure);
  TrainerState state;
  const std::string schema = reader.at("schema").text();
  if (schema != kSchema && schema != kOldSchema)
    reader.at("schema").failRule("must be \"" + std::string(kSchema) + "\" or \"" + kOldSchema + "\"");
  if (schema == kSchema) {
    state.files = readFiles(reader.at("files"));
    if (reader.at(kHash).text() != hashOfRest(*document))
      reader.at(kHash).fail(
          "is not the hash of the rest of the file, which was changed since it was written");
  }
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
  if (schema == kSchema)
    WINDLASS_TRY(checkLayout(text, *document, path));
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
