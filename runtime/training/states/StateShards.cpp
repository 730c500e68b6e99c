// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/StateShards.h"

#include "runtime/base/Hash.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

using nlohmann::json;

/// That a process keeps before it hands it over.
constexpr size_t kMostHanded = 8 << 20;

/// The rows of a tensor over some shards: as many for each as fit, the last ones have fewer or none.
struct Cut {
  Cut(const std::vector<int64_t> &shape, int64_t shards)
      : rows(shape.empty() ? 1 : shape[0]), each(std::max<int64_t>(1, (rows + shards - 1) / shards)) {}
  int64_t begin(int64_t shard) const { return std::min(rows, shard * each); }
  int64_t count(int64_t shard) const { return begin(shard + 1) - begin(shard); }
  int64_t rows, each;
};

} // namespace

int64_t rowElements(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (size_t i = 1; i < shape.size(); ++i)
    n *= shape[i];
  return n;
}

/// The first process makes the files; where others write, too, it leaves them, and all come to write: none
/// reads what another may be writing.
Result<StateShards> StateShards::open(const std::vector<std::string> &paths, std::vector<TensorEntry> tensors,
                                      JobProcess &job) {
  StateShards shards(job);
  shards.paths = paths;
  shards.whole = std::move(tensors);
  if (job.isAlone()) {
    WINDLASS_TRY(shards.openFiles(SafetensorsWriter::create));
    return shards;
  }
  Result<FolderReach> found =
      FolderReach::find(job, std::filesystem::path(paths.front()).parent_path().string());
  if (!found)
    return found.status();
  shards.reach = found.take();
  if (job.isFirst()) {
    WINDLASS_TRY(shards.openFiles(SafetensorsWriter::create));
    shards.files.clear();
  }
  WINDLASS_TRY(job.meet());
  if (shards.reach.isSeenBy(job.process()))
    WINDLASS_TRY(shards.openFiles(SafetensorsWriter::join));
  return shards;
}

Status StateShards::openFiles(OpenWriter open) {
  for (int64_t shard = 0; shard < std::ssize(paths); ++shard) {
    Result<File> file = openFile(shard, open);
    if (!file)
      return file.status();
    files.push_back(file.take());
  }
  return Status::ok();
}

Result<StateShards::File> StateShards::openFile(int64_t shard, OpenWriter open) const {
  const auto shards = std::ssize(paths);
  std::vector<TensorEntry> entries;
  json offsets = json::object();
  for (TensorEntry tensor : whole) {
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
  Result<SafetensorsWriter> writer = open(paths[static_cast<size_t>(shard)], std::move(entries), metadata);
  if (!writer)
    return writer.status();
  File file = {writer.take(), {}};
  for (const TensorEntry &entry : file.writer.tensors())
    file.entries.emplace(entry.name, &entry);
  return file;
}

Status StateShards::write(size_t tensor, int64_t first, std::span<const std::byte> in) {
  if (!files.empty())
    return writeHere(tensor, first, in);
  handing += Packing().add(static_cast<uint64_t>(tensor)).add(first).addList(in).take();
  return handing.size() < kMostHanded ? Status::ok() : handOver(/*isLast=*/false).status();
}

/// A run of a tensor's elements, to the shards that hold them.
Status StateShards::writeHere(size_t tensor, int64_t first, std::span<const std::byte> in) {
  const TensorEntry &entry = whole[tensor];
  const int64_t elementBytes = tensorTypeBytes(entry.type);
  const int64_t each = Cut(entry.shape, std::ssize(files)).each * rowElements(entry.shape);
  while (!in.empty()) {
    File &file = files[static_cast<size_t>(first / each)];
    const int64_t count = std::min(each - first % each, std::ssize(in) / elementBytes);
    const std::span run = in.first(static_cast<size_t>(count * elementBytes));
    WINDLASS_TRY(file.writer.write(*file.entries.at(entry.name), first % each * elementBytes, run));
    first += count;
    in = in.subspan(run.size());
  }
  return Status::ok();
}

Status StateShards::seal(size_t tensor) {
  if (!job->isAlone()) // others may be at it
    return Status::ok();
  for (File &file : files)
    if (auto entry = file.entries.find(whole[tensor].name); entry != file.entries.end())
      WINDLASS_TRY(file.writer.seal(*entry->second));
  return Status::ok();
}

Status StateShards::takeHanded(std::string_view handed) {
  for (Unpacking unpacking(handed); !unpacking.isAtEnd();) {
    const auto tensor = static_cast<size_t>(unpacking.get<uint64_t>());
    const auto first = unpacking.get<int64_t>();
    const std::string_view bytes = unpacking.getText();
    if (!unpacking.isWhole() || tensor >= whole.size())
      return Status::internal("what another process hands over is not whole");
    WINDLASS_TRY(writeHere(tensor, first, std::as_bytes(std::span(bytes))));
  }
  return Status::ok();
}

/// One round, which all processes take part in. Returns whether it was the last: nobody has more.
Result<bool> StateShards::handOver(bool isLast) {
  Result<std::vector<std::string>> handed = job->gather(std::exchange(handing, {}));
  if (!handed)
    return handed.status();
  for (const std::string &each : *handed)
    WINDLASS_TRY(takeHanded(each));
  Result<std::vector<std::string>> more = job->exchange(isLast ? "" : "more");
  if (!more)
    return more.status();
  return std::ranges::all_of(*more, &std::string::empty);
}

Result<std::vector<std::string>> StateShards::finish() {
  for (bool isLast = reach.isSeenByAll(); !isLast;) {
    Result<bool> last = handOver(/*isLast=*/true);
    if (!last)
      return last.status();
    isLast = *last;
  }
  std::vector<std::string> hashes(paths.size());
  for (size_t i = 0; i < files.size(); ++i) {
    WINDLASS_TRY(job->isAlone() ? files[i].writer.finish() : files[i].writer.sync());
    hashes[i] = files[i].writer.hash();
  }
  files.clear();
  WINDLASS_TRY(job->meet());
  // Of a job: only what is opened after all have closed it shows, over a network, what others wrote.
  for (size_t i = 0; !job->isAlone() && job->isFirst() && i < paths.size(); ++i) {
    Result<std::string> hash = hashOfFile(paths[i]);
    if (!hash)
      return hash.status();
    hashes[i] = hash.take();
  }
  return hashes;
}

} // namespace windlass
