// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/Checkpoint.h"

#include "runtime/base/Hash.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/training/states/StateFile.h"
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace windlass {
namespace {

using plan::State;
using plan::StateClass;

constexpr const char *kModel = "model", *kOptimizer = "optimizer";

bool isMoment(const State &state) {
  return state.cls == StateClass::Momentum || state.cls == StateClass::Variance;
}

/// Whether a state's own values are kept: a parameter that has a master is its rounding.
bool isKept(const plan::Program &program, const State &state) {
  return state.cls != StateClass::Parameter ||
         std::none_of(program.states.begin(), program.states.end(), [&](const State &other) {
           return other.cls == StateClass::Master && other.name == state.name;
         });
}

std::vector<const State *> keptStates(const plan::Plan &plan, bool moments) {
  std::vector<const State *> kept;
  for (const plan::Program &program : plan.programs)
    for (const State &state : program.states)
      if (isMoment(state) == moments && isKept(program, state))
        kept.push_back(&state);
  return kept;
}

Status writeText(const std::string &path, const std::string &text) {
  Result<File> file = File::create(path);
  if (!file)
    return file.status();
  WINDLASS_TRY(file->writeAt(0, std::as_bytes(std::span(text))));
  return file->sync();
}

std::string nameOf(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

Status checkHash(const std::string &path, const std::string &written) {
  Result<std::string> found = hashOfFile(path);
  if (!found)
    return found.status();
  return *found == written ? Status::ok()
                           : Status::badInput(path + ": is not as it was written: its hash is " + *found +
                                              ", trainer_state.json says " + written);
}

/// What is wrong with the tensor that holds a state's values: one line, or nothing.
std::string mismatch(const State &state, const StoredStates &stored) {
  const std::string line = "\n  \"" + tensorName(state) + "\" ";
  const auto tensor = stored.tensors().find(tensorName(state));
  if (tensor == stored.tensors().end())
    return line + "is missing";
  if (tensor->second.shape != state.tensorShape())
    return line + "has shape " + formatShape(tensor->second.shape) + ", the plan wants " +
           formatShape(state.tensorShape());
  if (tensor->second.type != tensorType(state.type) && !plan::fromText<plan::StoredType>(tensor->second.type))
    return line + "has type " + tensor->second.type + ", which cannot be loaded";
  return "";
}

/// What is wrong with the tensors of one kind, one line each.
std::string mismatches(const plan::Plan &plan, const StoredStates &stored, bool moments) {
  std::string wrong;
  std::map<std::string, const State *> expected;
  plan::forEachState(plan, [&](const State &state) {
    if (isMoment(state) == moments && expected.emplace(tensorName(state), &state).second)
      wrong += mismatch(state, stored);
  });
  for (const auto &[name, tensor] : stored.tensors())
    if (!expected.contains(name))
      wrong += "\n  \"" + name + "\" is not in the plan";
  return wrong;
}

/// A graph JSON is no config.json: whoever finds one takes the folder for one of Hugging Face.
std::string modelFile(const std::string &text) {
  const nlohmann::json model = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool isGraph = model.is_object() && model.contains("format");
  return isGraph ? "model.json" : "config.json";
}

} // namespace

int64_t checkpointBytes(const plan::Plan &plan) {
  int64_t bytes = 0;
  std::set<std::string> counted; // slices are of one tensor
  for (bool moments : {false, true})
    for (const State *state : keptStates(plan, moments))
      if (counted.insert(tensorName(*state)).second)
        bytes += std::accumulate(state->tensorShape().begin(), state->tensorShape().end(),
                                 plan::bytesOf(state->type), std::multiplies<>());
  return bytes;
}

Status writeCheckpoint(const std::string &folder, const plan::Plan &plan, StateStream &states,
                       const TrainerState &trainer, CheckpointFormat format) {
  const int64_t shards = format == CheckpointFormat::Sharded ? plan.ranks() : 1;
  TrainerState complete = trainer;
  complete.files.clear();
  for (const char *stem : {kModel, kOptimizer}) {
    const std::vector<std::string> paths = stateFiles(folder, stem, shards);
    Result<std::vector<std::string>> hashes =
        writeStates(paths, keptStates(plan, stem == kOptimizer), states, /*factor=*/{},
                    stem == kOptimizer ? NotFinite::Refused : NotFinite::Written);
    if (!hashes)
      return hashes.status();
    for (size_t i = 0; i < paths.size(); ++i)
      complete.files[nameOf(paths[i])] = (*hashes)[i];
  }
  if (!states.job().isFirst())
    return Status::ok();
  if (!plan.modelConfig.empty()) {
    const std::string name = modelFile(plan.modelConfig);
    WINDLASS_TRY(writeText(folder + "/" + name, plan.modelConfig));
    complete.files[name] = hashOfBytes(plan.modelConfig);
  }
  return writeText(folder + "/trainer_state.json", printTrainerState(complete));
}

Result<TrainerState> checkCheckpoint(const std::string &folder) {
  Result<TrainerState> trainer = readTrainerState(folder + "/trainer_state.json");
  if (!trainer)
    return trainer;
  for (const auto &[name, hash] : trainer->files)
    WINDLASS_TRY(checkHash(folder + "/" + name, hash));
  for (const char *stem : {kModel, kOptimizer}) {
    Result<StoredStates> stored = StoredStates::open(folder, stem);
    if (!stored)
      return stored.status();
    for (const std::string &path : stored->paths())
      if (!trainer->files.empty() && !trainer->files.contains(nameOf(path)))
        return Status::badInput(path + ": is none of the files that trainer_state.json names");
  }
  return trainer;
}

Status loadCheckpoint(const std::string &folder, const plan::Plan &plan, StateStream &states) {
  Result<StoredStates> model = StoredStates::open(folder, kModel);
  if (!model)
    return model.status();
  Result<StoredStates> optimizer = StoredStates::open(folder, kOptimizer);
  if (!optimizer)
    return optimizer.status();
  const std::string wrong = mismatches(plan, *model, false) + mismatches(plan, *optimizer, true);
  if (!wrong.empty())
    return Status::badInput(folder + ": the checkpoint does not fit the plan:" + wrong);
  return states.writeAll([&](const State &state, int64_t first, std::span<std::byte> out) {
    const StoredStates &stored = isMoment(state) ? *optimizer : *model;
    return stored.read(stored.tensors().at(tensorName(state)), state, first, out);
  });
}

Status exportWeights(const std::string &path, const plan::Plan &plan, StateStream &states) {
  return writeStateFile(path, keptStates(plan, /*moments=*/false), states);
}

Status exportGradients(const std::string &path, const plan::Plan &plan, StateStream &states,
                       std::optional<double> lossScale) {
  std::vector<const State *> gradients;
  for (const plan::Program &program : plan.programs)
    for (const State &gradient : program.gradients)
      gradients.push_back(&gradient);
  return writeStateFile(path, gradients, states, lossScale ? std::optional(1 / *lossScale) : std::nullopt);
}

} // namespace windlass
