// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/StateFile.h"

#include "runtime/base/Counted.h"
#include "runtime/base/JsonReader.h"
#include "runtime/plan/Enums.h"
#include "runtime/training/states/StoredValues.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace windlass {
namespace {

using nlohmann::json;
using plan::State;
using plan::StateClass;

constexpr const char *kVersionKey = "DCP_VERSION", *kVersion = "1.0";
constexpr const char *kShardingKey = "DCP_SHARDING_INFO", *kOffsetsKey = "saved_offsets";

constexpr uint64_t kMostRows = uint64_t{1} << 47; ///< as many as a plan may name

std::string fiveDigits(int64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%05lld", static_cast<long long>(number));
  return digits;
}

/// Elements from one index of dimension 0 to the next.
int64_t rowElements(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (size_t i = 1; i < shape.size(); ++i)
    n *= shape[i];
  return n;
}

/// The rows of a tensor over some shards: as many for each as fit, the last ones have fewer or none.
struct Cut {
  Cut(const std::vector<int64_t> &shape, int64_t shards)
      : rows(shape.empty() ? 1 : shape[0]), each(std::max<int64_t>(1, (rows + shards - 1) / shards)) {}
  int64_t begin(int64_t shard) const { return std::min(rows, shard * each); }
  int64_t count(int64_t shard) const { return begin(shard + 1) - begin(shard); }
  int64_t rows, each;
};

/// One file of a set of shards, and where each of its tensors stands in it.
struct ShardFile {
  SafetensorsWriter writer;
  std::map<std::string, const TensorEntry *> entries;
};

/// The first process of a job creates it, others join.
Result<ShardFile> openShard(const std::string &path, const std::vector<TensorEntry> &tensors, int64_t shard,
                            int64_t shards, bool isFirst) {
  std::vector<TensorEntry> entries;
  json offsets = json::object();
  for (TensorEntry tensor : tensors) {
    const Cut cut(tensor.shape, shards);
    if (cut.count(shard) == 0 && shard > 0) // an empty tensor stands in the first
      continue;
    std::vector<int64_t> begin(tensor.shape.size());
    if (!tensor.shape.empty()) {
      begin[0] = cut.begin(shard);
      tensor.shape[0] = cut.count(shard);
    }
    offsets[tensor.name] = {{kOffsetsKey, begin}};
    entries.push_back(std::move(tensor));
  }
  std::map<std::string, std::string> metadata;
  if (shards > 1)
    metadata = {{kVersionKey, kVersion},
                {kShardingKey, offsets.dump(-1, ' ', false, json::error_handler_t::replace)}};
  Result<SafetensorsWriter> writer = isFirst ? SafetensorsWriter::create(path, std::move(entries), metadata)
                                             : SafetensorsWriter::join(path, std::move(entries), metadata);
  if (!writer)
    return writer.status();
  ShardFile file = {writer.take(), {}};
  for (const TensorEntry &entry : file.writer.tensors())
    file.entries.emplace(entry.name, &entry);
  return file;
}

Result<std::vector<ShardFile>> openShards(const std::vector<std::string> &paths,
                                          const std::vector<TensorEntry> &tensors, bool isFirst) {
  std::vector<ShardFile> files;
  for (int64_t shard = 0; shard < std::ssize(paths); ++shard) {
    Result<ShardFile> file =
        openShard(paths[static_cast<size_t>(shard)], tensors, shard, std::ssize(paths), isFirst);
    if (!file)
      return file.status();
    files.push_back(file.take());
  }
  return files;
}

/// Nothing more comes of a tensor.
Status seal(std::vector<ShardFile> &files, const TensorEntry &tensor) {
  for (ShardFile &file : files)
    if (auto entry = file.entries.find(tensor.name); entry != file.entries.end())
      WINDLASS_TRY(file.writer.seal(*entry->second));
  return Status::ok();
}

/// The hashes of the files; they are of the whole in the first process alone, which reads what others wrote.
Result<std::vector<std::string>> finishShards(std::vector<ShardFile> &files, JobProcess &job) {
  if (!job.isAlone())
    for (ShardFile &file : files)
      WINDLASS_TRY(file.writer.sync());
  WINDLASS_TRY(job.meet());
  std::vector<std::string> hashes;
  for (ShardFile &file : files) {
    if (job.isFirst())
      WINDLASS_TRY(file.writer.finish());
    hashes.push_back(file.writer.hash());
  }
  return hashes;
}

/// Writes a run of a tensor's elements to the shards that hold them.
Status writeRun(std::vector<ShardFile> &files, const TensorEntry &tensor, int64_t first,
                std::span<const std::byte> in) {
  const int64_t elementBytes = tensorTypeBytes(tensor.type);
  const int64_t each = Cut(tensor.shape, std::ssize(files)).each * rowElements(tensor.shape);
  while (!in.empty()) {
    ShardFile &file = files[static_cast<size_t>(first / each)];
    const int64_t count = std::min(each - first % each, std::ssize(in) / elementBytes);
    const std::span run = in.first(static_cast<size_t>(count * elementBytes));
    WINDLASS_TRY(file.writer.write(*file.entries.at(tensor.name), first % each * elementBytes, run));
    first += count;
    in = in.subspan(run.size());
  }
  return Status::ok();
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

Result<std::vector<std::string>> writeStates(const std::vector<std::string> &paths,
                                             const std::vector<const State *> &states, StateStream &stream,
                                             std::optional<double> factor) {
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
  JobProcess &job = stream.job();
  if (!job.isFirst())
    WINDLASS_TRY(job.meet()); // the files are there
  Result<std::vector<ShardFile>> files = openShards(paths, tensors, job.isFirst());
  if (!files)
    return files.status();
  if (job.isFirst())
    WINDLASS_TRY(job.meet());
  for (const TensorEntry &tensor : tensors) {
    for (const State *slice : slices.at(tensor.name))
      WINDLASS_TRY(stream.read(*slice, [&](const State &, int64_t first, std::span<const std::byte> in) {
        return factor ? writeRun(*files, tensor, first, multiplied(slice->type, in, *factor))
                      : writeRun(*files, tensor, first, in);
      }));
    if (job.isAlone())
      WINDLASS_TRY(seal(*files, tensor));
  }
  return finishShards(*files, job);
}

Status writeStateFile(const std::string &path, const std::vector<const State *> &states, StateStream &stream,
                      std::optional<double> factor) {
  JobProcess &job = stream.job();
  Result<std::string> beside = job.tell(path + ".new-" + std::to_string(::getpid()));
  if (!beside)
    return beside.status();
  Status written = writeStates({*beside}, states, stream, factor).status();
  if (!job.isFirst())
    return written;
  if (written && std::rename(beside->c_str(), path.c_str()) != 0)
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

/// The tensor that its parts make, one below the other.
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
