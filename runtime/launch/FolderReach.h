// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FolderReach.h - who of a job sees the same folder ==================//
//
// Duty: hosts may share a folder, or each have one of that name for itself. A file of a name that no other
// job gives, which the first process makes, shows to whom its folder is the same; who may not make one beside
// it is no better off than who does not see it.
// Threads: one; all processes ask together. Errors: RunFailed where the first process cannot write there; the
// verdict of the job.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"

namespace windlass {

class FolderReach {
public:
  /// Seen by all, who may write there.
  FolderReach() = default;
  static Result<FolderReach> find(JobProcess &job, const std::string &folder);

  bool isSeenBy(int64_t process) const { return unseen.empty() || !unseen[static_cast<size_t>(process)]; }
  bool isSeenByAll() const { return unseen.empty(); }

private:
  std::vector<bool> unseen; ///< by process; empty: nobody fails to see it
};

} // namespace windlass
