// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/FetchedCheckpoint.h"

#include "runtime/base/DurableFile.h"
#include "runtime/base/Hash.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>
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

/// What is seen of the files of a checkpoint without reading them: their names and sizes.
std::string appearanceOf(const std::string &folder) {
  Packing packing;
  std::error_code ignored;
  for (const std::string &name : filesIn(folder))
    packing.addText(name).add(static_cast<uint64_t>(fs::file_size(folder + "/" + name, ignored)));
  return packing.take();
}

/// The numbers of the files on their file system, and when each was last changed there: equal for two
/// processes that read the same files, wherever they run, and not for a file and its copy.
std::string identityOf(const std::string &folder) {
  Packing packing;
  for (const std::string &name : filesIn(folder)) {
    struct stat about{};
    if (::stat((folder + "/" + name).c_str(), &about) == 0)
      packing.addText(name).add(about.st_ino).add(about.st_ctim.tv_sec).add(about.st_ctim.tv_nsec);
  }
  return packing.take();
}

/// The hashes of all files.
std::string contentsOf(const std::string &folder) {
  Packing packing;
  for (const std::string &name : filesIn(folder)) {
    const Result<std::string> hash = hashOfFile(folder + "/" + name);
    packing.addText(name).addText(hash ? *hash : "");
  }
  return packing.take();
}

/// By process: whether what it sees under the checkpoint's name is the first process's checkpoint, or a copy
/// with the same bytes. Of the processes of a host that see the same copy one reads it, and so does the first
/// process.
Result<std::vector<bool>> findEqual(JobProcess &job, const std::string &checkpoint) {
  Result<std::vector<std::string>> appearances = job.exchange(appearanceOf(checkpoint));
  if (!appearances)
    return appearances.status();
  Result<std::vector<std::string>> identities = job.exchange(identityOf(checkpoint));
  if (!identities)
    return identities.status();
  const size_t mine = static_cast<size_t>(job.process());
  std::vector<size_t> readers(appearances->size()); // by process: who reads what it sees; 0: no need to
  std::map<std::pair<std::string, std::string>, size_t> copies; // on a host: the first process that sees it
  for (size_t process = 1; process < readers.size(); ++process)
    if ((*appearances)[process] == appearances->front() && (*identities)[process] != identities->front())
      readers[process] =
          copies.try_emplace({job.hostOf(static_cast<int64_t>(process)), (*identities)[process]}, process)
              .first->second;
  const bool reads = !copies.empty() && (job.isFirst() || readers[mine] == mine);
  Result<std::vector<std::string>> contents = job.exchange(reads ? contentsOf(checkpoint) : "");
  if (!contents)
    return contents.status();
  std::vector<bool> equal(readers.size());
  for (size_t process = 0; process < equal.size(); ++process)
    equal[process] =
        (*appearances)[process] == appearances->front() && (*contents)[readers[process]] == contents->front();
  return equal;
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
  if (job.isAlone())
    return FetchedCheckpoint(checkpoint);
  Result<std::vector<bool>> equal = findEqual(job, checkpoint);
  if (!equal)
    return equal.status();
  std::set<std::string> served;
  int64_t maker = -1; // of this host's copy
  for (int64_t process = 0; process < std::ssize(*equal); ++process) {
    if ((*equal)[static_cast<size_t>(process)])
      continue;
    if (served.insert(job.hostOf(process)).second && job.hostOf(process) == job.hostOf(job.process()))
      maker = process;
  }
  if (served.empty())
    return FetchedCheckpoint(checkpoint);
  Result<std::string> name = job.tell(".received-" + freshToken());
  if (!name)
    return name.status();
  const bool isEqual = (*equal)[static_cast<size_t>(job.process())];
  FetchedCheckpoint fetched(isEqual ? checkpoint : own + "/" + *name);
  fetched.isMade = !isEqual && maker == job.process();
  WINDLASS_TRY(fetched.receive(job, checkpoint));
  if (fetched.isMade)
    WINDLASS_TRY(checkCheckpoint(fetched.path()).status()); // as far as it says what was written
  WINDLASS_TRY(job.meet());                                 // copies are complete
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
