// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/FolderReach.h"

#include "runtime/base/DurableFile.h"
#include <algorithm>
#include <filesystem>

namespace windlass {

namespace {

/// Whether this process finds the first process's file `mark` and can create a file beside it.
bool mayWriteBeside(const std::string &mark, int64_t process) {
  std::error_code unreachable;
  const std::string own = mark + "-" + std::to_string(process);
  return std::filesystem::exists(mark, unreachable) && File::create(own).isOk() &&
         std::filesystem::remove(own, unreachable);
}

} // namespace

Result<FolderReach> FolderReach::find(JobProcess &job, const std::string &folder) {
  namespace fs = std::filesystem;
  FolderReach reach;
  if (job.isAlone())
    return reach;
  const std::string mark = (fs::path(folder.empty() ? "." : folder) / (".job-" + freshToken())).string();
  if (job.isFirst())
    WINDLASS_TRY(File::create(mark).status());
  Result<std::string> told = job.tell(mark);
  if (!told)
    return told.status();
  std::error_code unreachable;
  Result<std::vector<std::string>> all = job.exchange(mayWriteBeside(*told, job.process()) ? "" : "unseen");
  if (job.isFirst())
    fs::remove(mark, unreachable);
  if (!all)
    return all.status();
  if (!std::ranges::all_of(*all, &std::string::empty))
    for (const std::string &each : *all)
      reach.unseen.push_back(!each.empty());
  return reach;
}

} // namespace windlass
