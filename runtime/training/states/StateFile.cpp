// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/StateFile.h"

#include "runtime/base/Counted.h"
#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/plan/Enums.h"
#include "runtime/training/states/StateShards.h"
#include "runtime/training/states/StoredValues.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace windlass {
namespace {

using nlohmann::json;
using plan::State;
using plan::StateClass;

constexpr const char *kVersionKey = StateShards::kVersionKey, *kVersion = StateShards::kVersion;
constexpr const char *kShardingKey = StateShards::kShardingKey, *kOffsetsKey = StateShards::kOffsetsKey;

constexpr uint64_t kMostRows = uint64_t{1} << 47; ///< as many as a plan may name

std::string fiveDigits(int64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%05lld", static_cast<long long>(number));
  return digits;
}

/// The first row of a shard's tensor, as its file says; 0 in a plain file.
Result<int64_t> rowOf(const SafetensorsReader &file, const json &sharding, const TensorEntry &entry) {
  if (sharding.is_null())
    return int64_t{0};
  const json info = sharding.value(entry.name, json());
  const json offsets = info.is_object() ? info.value(kOffsetsKey, json()) : json();
  const bool isPlace = offsets.is_array() && offsets.size() == entry.shape.size() &&
                       std::all_of(offsets.begin(), offsets.end(), [](const json &offset) {
                         return offset.is_number_unsigned() && offset.get<uint64_t>() <= kMostRows;
                       });
  if (!isPlace || std::any_of(offsets.begin() + (offsets.empty() ? 0 : 1), offsets.end(),
                              [](const json &offset) { return offset != 0; }))
    return Status::badInput(file.path() + ": tensor \"" + entry.name + "\": " + kOffsetsKey + " " +
                            offsets.dump() + " is no place along the first dimension");
  return offsets.empty() ? 0 : offsets[0].get<int64_t>();
}

/// What a shard says of the places of its tensors; null for a plain file.
Result<json> shardingOf(const SafetensorsReader &file) {
  auto info = file.metadata().find(kShardingKey);
  if (info == file.metadata().end())
    return json();
  auto version = file.metadata().find(kVersionKey);
  if (version == file.metadata().end() || version->second != kVersion)
    return Status::badInput(file.path() + ": " + kShardingKey + " without " + kVersionKey + " " + kVersion);
  Result<json> sharding = JsonReader::parse(info->second, file.path() + ": " + kShardingKey);
  if (sharding && !sharding->is_object())
    return Status::badInput(file.path() + ": " + kShardingKey + " is not an object");
  return sharding;
}

/// The files of a folder that are shards of STEM, by name.
std::vector<std::string> shardsIn(const std::string &folder, const std::string &stem) {
  std::vector<std::string> shards;
  std::error_code failure;
  std::filesystem::directory_iterator entries(folder, failure);
  for (; !failure && entries != std::filesystem::directory_iterator(); entries.increment(failure)) {
    const std::string name = entries->path().filename().string();
    if (name.starts_with("shard-") && name.find("-" + stem + "-") != std::string::npos &&
        name.ends_with(".safetensors"))
      shards.push_back(entries->path().string());
  }
  std::sort(shards.begin(), shards.end());
  return shards;
}

} // namespace

std::string tensorName(const State &state) {
  switch (state.cls) {
  case StateClass::Parameter:
  case StateClass::Master:
  case StateClass::Gradient:
    return state.name;
  case StateClass::Momentum:
    return "exp_avg/" + state.name;
  case StateClass::Variance:
    return "exp_avg_sq/" + state.name;
  }
  return "";
}

std::string tensorType(plan::ElementType type) {
  switch (type) {
  case plan::ElementType::F32:
    return "F32";
  case plan::ElementType::BF16:
    return "BF16";
  case plan::ElementType::F16:
    return "F16";
  case plan::ElementType::F64:
    return "F64";
  case plan::ElementType::I32:
    return "I32";
  }
  return "";
}

std::vector<std::string> stateFiles(const std::string &folder, const std::string &stem, int64_t shards) {
  if (shards <= 1)
    return {folder + "/" + stem + ".safetensors"};
  std::vector<std::string> paths;
  for (int64_t shard = 1; shard <= shards; ++shard)
    paths.push_back(folder + "/shard-" + fiveDigits(shard) + "-" + stem + "-00001-of-00001.safetensors");
  return paths;
}

/// Whether all numbers of f32 are finite; those of other types are not looked at.
static bool areFinite(plan::ElementType type, std::span<const std::byte> values) {
  constexpr uint32_t kExponent = 0x7f800000;
  bool isAny = false;
  if (type == plan::ElementType::F32)
    for (size_t at = 0; at + sizeof(uint32_t) <= values.size(); at += sizeof(uint32_t)) {
      uint32_t bits = 0;
      std::memcpy(&bits, values.data() + at, sizeof bits);
      isAny |= (bits & kExponent) == kExponent;
    }
  return !isAny;
}

Result<std::vector<std::string>> writeStates(const std::vector<std::string> &paths,
                                             const std::vector<const State *> &states, StateStream &stream,
                                             std::optional<double> factor, NotFinite notFinite) {
  std::map<std::string, std::vector<const State *>> slices; // of each tensor
  std::vector<TensorEntry> tensors;
  for (const State *state : states) {
    std::vector<const State *> &known = slices[tensorName(*state)];
    if (known.empty())
      tensors.push_back({tensorName(*state), tensorType(factor ? plan::ElementType::F32 : state->type),
                         state->tensorShape()});
    known.push_back(state);
  }
  std::sort(tensors.begin(), tensors.end(),
            standsBefore); // written as the files go on, which hash what comes
  Result<StateShards> shards = StateShards::open(paths, std::move(tensors), stream.job());
  if (!shards)
    return shards.status();
  for (size_t tensor = 0; tensor < shards->tensors().size(); ++tensor) {
    for (const State *slice : slices.at(shards->tensors()[tensor].name))
      WINDLASS_TRY(stream.read(*slice, [&](const State &, int64_t first, std::span<const std::byte> in) {
        if (notFinite == NotFinite::Refused && !areFinite(slice->type, in))
          return Status::runFailed("\"" + tensorName(*slice) + "\" has numbers that are not finite");
        return factor ? shards->write(tensor, first, multiplied(slice->type, in, *factor))
                      : shards->write(tensor, first, in);
      }));
    WINDLASS_TRY(shards->seal(tensor));
  }
  return shards->finish();
}

Status writeStateFile(const std::string &path, const std::vector<const State *> &states, StateStream &stream,
                      std::optional<double> factor) {
  JobProcess &job = stream.job();
  Result<std::string> target = job.isFirst() ? replaceableFile(path) : Result<std::string>(path);
  if (!target)
    return target.status();
  Result<std::string> beside = job.tell(*target + ".new-" + std::to_string(::getpid()));
  if (!beside)
    return beside.status();
  Status written = writeStates({*beside}, states, stream, factor).status();
  if (!job.isFirst())
    return written;
  if (written && std::rename(beside->c_str(), target->c_str()) != 0)
    written = systemFailure(path, "cannot write");
  if (!written)
    ::unlink(beside->c_str());
  return written;
}

Result<StoredStates> StoredStates::open(const std::string &folder, const std::string &stem) {
  StoredStates stored;
  std::vector<std::string> paths = stateFiles(folder, stem, 1);
  std::error_code ignored;
  if (!std::filesystem::exists(paths[0], ignored))
    if (std::vector<std::string> shards = shardsIn(folder, stem); !shards.empty())
      paths = std::move(shards);
  for (const std::string &path : paths)
    WINDLASS_TRY(stored.add(path));
  for (auto &[name, tensor] : stored.byName)
    WINDLASS_TRY(stored.join(name, tensor).in(folder));
  return stored;
}

std::vector<std::string> StoredStates::paths() const {
  std::vector<std::string> paths;
  for (const auto &file : files)
    paths.push_back(file->path());
  return paths;
}

Status StoredStates::add(const std::string &path) {
  Result<SafetensorsReader> opened = SafetensorsReader::open(path);
  if (!opened)
    return opened.status();
  files.push_back(std::make_unique<SafetensorsReader>(opened.take()));
  const SafetensorsReader &file = *files.back();
  Result<json> sharding = shardingOf(file);
  if (!sharding)
    return sharding.status();
  for (const auto &[name, entry] : file.tensors()) {
    Result<int64_t> row = rowOf(file, *sharding, entry);
    if (!row)
      return row.status();
    byName[name].parts.push_back({&file, &entry, *row});
  }
  return Status::ok();
}

/// Joins the parts of a tensor, one below the other.
Status StoredStates::join(const std::string &name, Tensor &tensor) const {
  std::sort(tensor.parts.begin(), tensor.parts.end(),
            [](const Part &a, const Part &b) { return a.row < b.row; });
  tensor.type = tensor.parts[0].entry->type;
  tensor.shape = tensor.parts[0].entry->shape;
  int64_t rows = 0;
  for (const Part &part : tensor.parts) {
    const std::vector<int64_t> &shape = part.entry->shape;
    const bool fits =
        part.entry->type == tensor.type && shape.size() == tensor.shape.size() &&
        std::equal(shape.begin() + !shape.empty(), shape.end(), tensor.shape.begin() + !shape.empty());
    if (!fits || part.row != rows)
      return Status::badInput("tensor \"" + name + "\": the part in " + part.file->path() + ", " +
                              formatShape(shape) + " from row " + std::to_string(part.row) +
                              " on, does not go on where " + counted(rows, "row") + " of " +
                              formatShape(tensor.shape) + " end");
    rows += shape.empty() ? 1 : shape[0];
  }
  if (!tensor.shape.empty())
    tensor.shape[0] = rows;
  return Status::ok();
}

Status StoredStates::read(const Tensor &tensor, const State &state, int64_t first,
                          std::span<std::byte> out) const {
  const int64_t elementBytes = plan::bytesOf(state.type),
                row = std::max<int64_t>(1, rowElements(tensor.shape));
  while (!out.empty()) {
    auto part = std::upper_bound(tensor.parts.begin(), tensor.parts.end(), first / row,
                                 [](int64_t wanted, const Part &p) { return wanted < p.row; });
    --part;
    const int64_t at = first - part->row * row;
    const int64_t count = std::min(part->entry->elements() - at, std::ssize(out) / elementBytes);
    const std::span run = out.first(static_cast<size_t>(count * elementBytes));
    if (tensor.type == tensorType(state.type))
      WINDLASS_TRY(part->file->read(*part->entry, at * elementBytes, run));
    else
      WINDLASS_TRY(readStored({&part->file->bytes(), part->file->placeOf(*part->entry),
                               *plan::fromText<plan::StoredType>(tensor.type)},
                              at, state.type, run));
    first += count;
    out = out.subspan(run.size());
  }
  return Status::ok();
}

} // namespace windlass
