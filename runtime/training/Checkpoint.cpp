#include "runtime/training/Checkpoint.h"

#include "runtime/base/Bf16.h"
#include "runtime/plan/Enums.h"
#include "runtime/training/Safetensors.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace windlass {
namespace {

using plan::State;
using plan::StateClass;

constexpr const char *kModelFile = "model.safetensors";
constexpr const char *kOptimizerFile = "optimizer.safetensors";

std::string tensorType(plan::ElementType type) {
  switch (type) {
  case plan::ElementType::F32:
    return "F32";
  case plan::ElementType::BF16:
    return "BF16";
  case plan::ElementType::F64:
    return "F64";
  case plan::ElementType::I32:
    return "I32";
  }
  return "";
}

bool isMoment(const State &state) {
  return state.cls == StateClass::Momentum || state.cls == StateClass::Variance;
}

/// The name of a state's tensor in its file.
std::string tensorName(const State &state) {
  switch (state.cls) {
  case StateClass::Parameter:
  case StateClass::Master:
    return state.name;
  case StateClass::Momentum:
    return "exp_avg/" + state.name;
  case StateClass::Variance:
    return "exp_avg_sq/" + state.name;
  }
  return "";
}

/// Whether a state's own values are kept: a parameter that has a master is its rounding.
bool isKept(const plan::Plan &plan, const State &state) {
  return state.cls != StateClass::Parameter ||
         std::none_of(plan.states.begin(), plan.states.end(), [&](const State &other) {
           return other.cls == StateClass::Master && other.name == state.name;
         });
}

Status writeTensors(const std::string &path, const plan::Plan &plan, StateStream &states, bool moments) {
  std::map<std::string, std::vector<const State *>> kept; // the slices of each tensor
  std::vector<TensorEntry> entries;
  for (const State &state : plan.states) {
    if (isMoment(state) != moments || !isKept(plan, state))
      continue;
    std::vector<const State *> &slices = kept[tensorName(state)];
    if (slices.empty())
      entries.push_back({tensorName(state), tensorType(state.type), state.tensorShape()});
    slices.push_back(&state);
  }
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(path, std::move(entries));
  if (!writer)
    return writer.status();
  for (const TensorEntry &entry : writer->tensors()) {
    const int64_t elementBytes = tensorTypeBytes(entry.type);
    for (const State *slice : kept.at(entry.name))
      WINDLASS_TRY(states.read(*slice, [&](const State &, int64_t first, std::span<const std::byte> in) {
        return writer->write(entry, first * elementBytes, in);
      }));
  }
  return writer->finish();
}

Status writeText(const std::string &path, const std::string &text) {
  Result<File> file = File::create(path);
  if (!file)
    return file.status();
  WINDLASS_TRY(file->writeAt(0, std::as_bytes(std::span(text))));
  return file->sync();
}

/// What is wrong with the tensors of one file, one line each.
std::string mismatches(const plan::Plan &plan, const SafetensorsReader &file, bool moments) {
  std::string wrong;
  std::map<std::string, const State *> expected;
  for (const State &state : plan.states) {
    if (isMoment(state) != moments)
      continue;
    const TensorEntry *entry = file.find(tensorName(state));
    if (!expected.emplace(tensorName(state), &state).second)
      continue;
    if (!entry)
      wrong += "\n  \"" + tensorName(state) + "\" is missing";
    else if (entry->shape != state.tensorShape())
      wrong += "\n  \"" + tensorName(state) + "\" has shape " + formatShape(entry->shape) +
               ", the plan wants " + formatShape(state.tensorShape());
    else if (entry->type != "F32" && entry->type != "BF16" && entry->type != tensorType(state.type))
      wrong += "\n  \"" + tensorName(state) + "\" has type " + entry->type + ", which cannot be loaded";
  }
  for (const auto &[name, entry] : file.tensors())
    if (!expected.contains(name))
      wrong += "\n  \"" + name + "\" is not in the plan";
  return wrong;
}

/// Reads elements of one type and stores them as another, through f32.
Status readConverted(const SafetensorsReader &file, const TensorEntry &entry, const State &state,
                     int64_t first, std::span<std::byte> out) {
  const size_t toBytes = static_cast<size_t>(plan::bytesOf(state.type));
  const size_t fromBytes = static_cast<size_t>(tensorTypeBytes(entry.type));
  std::array<std::byte, 4096> buffer;
  while (!out.empty()) {
    const size_t count = std::min(out.size() / toBytes, buffer.size() / fromBytes);
    WINDLASS_TRY(file.read(entry, first * static_cast<int64_t>(fromBytes),
                           std::span(buffer).first(count * fromBytes)));
    for (size_t i = 0; i < count; ++i) {
      uint32_t word = 0;
      std::memcpy(&word, buffer.data() + i * fromBytes, fromBytes);
      const float value =
          fromBytes == 2 ? widenBf16(static_cast<uint16_t>(word)) : std::bit_cast<float>(word);
      storeElement(state.type, value, out.data() + i * toBytes);
    }
    out = out.subspan(count * toBytes);
    first += static_cast<int64_t>(count);
  }
  return Status::ok();
}

} // namespace

Status writeCheckpoint(const std::string &folder, const plan::Plan &plan, StateStream &states,
                       const TrainerState &trainer) {
  WINDLASS_TRY(writeTensors(folder + "/" + kModelFile, plan, states, /*moments=*/false));
  WINDLASS_TRY(writeTensors(folder + "/" + kOptimizerFile, plan, states, /*moments=*/true));
  if (!plan.modelConfig.empty())
    WINDLASS_TRY(writeText(folder + "/config.json", plan.modelConfig));
  return writeText(folder + "/trainer_state.json", printTrainerState(trainer));
}

Status loadCheckpoint(const std::string &folder, const plan::Plan &plan, StateStream &states) {
  Result<SafetensorsReader> model = SafetensorsReader::open(folder + "/" + kModelFile);
  if (!model)
    return model.status();
  Result<SafetensorsReader> optimizer = SafetensorsReader::open(folder + "/" + kOptimizerFile);
  if (!optimizer)
    return optimizer.status();
  const std::string wrong = mismatches(plan, *model, false) + mismatches(plan, *optimizer, true);
  if (!wrong.empty())
    return Status::badInput(folder + ": the checkpoint does not fit the plan:" + wrong);
  return states.writeAll([&](const State &state, int64_t first, std::span<std::byte> out) {
    const SafetensorsReader &file = isMoment(state) ? *optimizer : *model;
    const TensorEntry &entry = *file.find(tensorName(state));
    if (entry.type == tensorType(state.type))
      return file.read(entry, first * plan::bytesOf(state.type), out);
    return readConverted(file, entry, state, first, out);
  });
}

} // namespace windlass
