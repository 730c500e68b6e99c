// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/RunFolder.h"

#include "runtime/training/checkpoint/CheckpointFolder.h"
#include <set>

namespace windlass {

Status asBadInput(const Status &status) {
  return status.isOk() ? status : Status::badInput(status.message());
}

Status RunFolder::claim(bool onlyReads, bool resumes) {
  if (job.isFirst()) {
    WINDLASS_TRY(make());
    WINDLASS_TRY(hold(onlyReads));
  }
  Result<FolderReach> found = FolderReach::find(job, path);
  if (!found)
    return asBadInput(found.status());
  reach = found.take();
  if (!reach.isSeenBy(job.process()))
    WINDLASS_TRY(make()); // one of that name, for scratch files
  return reach.isSeenByAll() ? Status::ok() : findNewest(resumes);
}

Status RunFolder::make() {
  std::error_code unreachable;
  for (std::filesystem::path folder = path;
       !folder.empty() && !std::filesystem::exists(folder, unreachable) && !unreachable;
       folder = folder.parent_path())
    newFolders.push_back(folder);
  return asBadInput(makeFolders(path));
}

Status RunFolder::hold(bool onlyReads) {
  Result<File> held = File::lockFolder(path);
  const bool isTaken = !held && held.status().code() == ExitCode::BadInput;
  if (isTaken && onlyReads) {
    said = "another run is writing to " + path + ": its newest checkpoint is read";
    return Status::ok();
  }
  if (isTaken)
    return Status::badInput(
        held.status().message() +
        "; say another --out (--sample and --export without --data read what it has saved)");
  if (!held)
    return asBadInput(held.status());
  lock = held.take();
  return Status::ok();
}

/// A job that was started in another order of hosts would begin again, beside all that it had done.
Status RunFolder::findNewest(bool resumes) {
  const std::vector<int64_t> steps = CheckpointFolder(path + "/checkpoints").steps();
  Result<std::vector<std::string>> all =
      job.exchange(std::to_string(resumes && !steps.empty() ? steps.back() : -1));
  if (!all)
    return all.status();
  const int64_t first = std::stoll(all->front());
  for (int64_t process = 1; process < std::ssize(*all); ++process)
    if (const int64_t other = std::stoll((*all)[static_cast<size_t>(process)]);
        !reach.isSeenBy(process) && other > first)
      return Status::badInput("--out " + path + ": host " + job.hostOf(process) +
                              " has a checkpoint of step " + std::to_string(other) +
                              ", but that of the first process, on host " + job.hostOf(0) + ", has " +
                              (first < 0 ? "none" : "none after step " + std::to_string(first)) +
                              ": start the first process there, copy the checkpoint, or say --resume off");
  return Status::ok();
}

std::string RunFolder::describe() const {
  if (job.isAlone())
    return "";
  std::set<std::string> hosts, others;
  for (int64_t process = 0; process < job.processes(); ++process) {
    hosts.insert(job.hostOf(process));
    if (!reach.isSeenBy(process))
      others.insert(job.hostOf(process));
  }
  if (hosts.size() == 1 && others.empty())
    return path;
  if (others.empty())
    return path + ", which all hosts share";
  std::string names;
  for (const std::string &host : others)
    names += (names.empty() ? "" : ", ") + host;
  return path + " on host " + job.hostOf(0) + "; not shared by " + names + ", which hands over what it holds";
}

void RunFolder::dropIfEmpty() const {
  std::error_code ignored;
  for (const std::filesystem::path &folder : newFolders)
    std::filesystem::remove(folder, ignored);
}

} // namespace windlass
