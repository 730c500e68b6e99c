// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/FetchedCheckpoint.h"

#include "runtime/base/DurableFile.h"
#include "runtime/base/Hash.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace windlass {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kChunk = 8 << 20; // bytes that all processes are told at once

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure))
    if (entry->is_regular_file(failure))
      names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// Of the files of a checkpoint: names, sizes, and what the one says that has the hashes of all others.
std::string appearanceOf(const std::string &folder) {
  Packing packing;
  std::error_code ignored;
  for (const std::string &name : filesIn(folder))
    packing.addText(name).add(static_cast<uint64_t>(fs::file_size(folder + "/" + name, ignored)));
  const Result<std::string> hash = hashOfFile(folder + "/trainer_state.json");
  return packing.addText(hash ? *hash : "").take();
}

} // namespace

FetchedCheckpoint::FetchedCheckpoint(FetchedCheckpoint &&other) noexcept
    : folder(std::move(other.folder)), isMade(std::exchange(other.isMade, false)) {}

FetchedCheckpoint::~FetchedCheckpoint() {
  std::error_code ignored;
  if (isMade)
    fs::remove_all(folder, ignored);
}

Result<FetchedCheckpoint> FetchedCheckpoint::fetch(JobProcess &job, const std::string &checkpoint,
                                                   const std::string &own) {
  Result<std::vector<std::string>> seen = job.exchange(appearanceOf(checkpoint));
  if (!seen)
    return seen.status();
  std::set<std::string> served;
  int64_t maker = -1; // of this host's copy
  for (int64_t process = 0; process < std::ssize(*seen); ++process) {
    if ((*seen)[static_cast<size_t>(process)] == seen->front())
      continue;
    if (served.insert(job.hostOf(process)).second && job.hostOf(process) == job.hostOf(job.process()))
      maker = process;
  }
  if (served.empty())
    return FetchedCheckpoint(checkpoint);
  Result<std::string> name = job.tell(".received-" + freshToken());
  if (!name)
    return name.status();
  const bool isSeen = (*seen)[static_cast<size_t>(job.process())] == seen->front();
  FetchedCheckpoint fetched(isSeen ? checkpoint : own + "/" + *name);
  fetched.isMade = !isSeen && maker == job.process();
  WINDLASS_TRY(fetched.receive(job, checkpoint));
  WINDLASS_TRY(job.meet()); // copies are complete
  return fetched;
}

/// The first process reads and tells; who makes a copy writes; all others listen.
Status FetchedCheckpoint::receive(JobProcess &job, const std::string &checkpoint) {
  Result<std::string> told = job.tell(job.isFirst() ? packTexts(filesIn(checkpoint)) : "");
  if (!told)
    return told.status();
  if (isMade)
    WINDLASS_TRY(makeFolders(folder));
  for (const std::string &name : unpackTexts(*told)) {
    File from, to;
    int64_t bytes = 0;
    if (job.isFirst()) {
      Result<File> opened = File::openForReading(checkpoint + "/" + name);
      Result<int64_t> size = opened ? opened->size() : Result<int64_t>(opened.status());
      if (!size)
        return size.status();
      from = opened.take();
      bytes = *size;
    }
    if (isMade) {
      Result<File> made = File::create(folder + "/" + name);
      if (!made)
        return made.status();
      to = made.take();
    }
    Result<std::string> size = job.tell(std::to_string(bytes));
    if (!size)
      return size.status();
    bytes = std::stoll(*size);
    for (int64_t at = 0; at < bytes; at += kChunk) {
      std::string chunk(job.isFirst() ? static_cast<size_t>(std::min(kChunk, bytes - at)) : 0, '\0');
      if (job.isFirst())
        WINDLASS_TRY(from.readAt(at, std::as_writable_bytes(std::span(chunk))));
      Result<std::string> received = job.tell(std::move(chunk));
      if (!received)
        return received.status();
      if (isMade)
        WINDLASS_TRY(to.writeAt(at, std::as_bytes(std::span(*received))));
    }
  }
  return Status::ok();
}

} // namespace windlass
