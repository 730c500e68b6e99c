// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FolderReach.h - which processes of a job share a folder ===============//
//
// Duty: finds which processes of a job see the folder of the first process, and may write there. Hosts may
// share a folder, or each may have a folder of the same name. The first process creates a file with a random
// name in its folder. A process sees the folder if it finds this file and can create a file beside it.
// Threads: one; all processes call find() together. Errors: RunFailed if the first process cannot write to
// its folder; else the verdict of the job.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"

namespace windlass {

class FolderReach {
public:
  /// A folder that all processes see.
  FolderReach() = default;
  /// `folder`: of the first process; empty: the working folder.
  static Result<FolderReach> find(JobProcess &job, const std::string &folder);

  bool isSeenBy(int64_t process) const { return unseen.empty() || !unseen[static_cast<size_t>(process)]; }
  bool isSeenByAll() const { return unseen.empty(); }

private:
  std::vector<bool> unseen; ///< by process; empty: all processes see it
};

} // namespace windlass
