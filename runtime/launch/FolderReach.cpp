// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/FolderReach.h"

#include "runtime/base/DurableFile.h"
#include <algorithm>
#include <filesystem>

namespace windlass {

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
  Result<std::vector<std::string>> all = job.exchange(fs::exists(*told, unreachable) ? "" : "unseen");
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
