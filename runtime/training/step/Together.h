// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Together.h - a run of all ranks of a job ===========================//
//
// Duty: runs a schedule on the ranks of this process, while the others do the same on theirs, and tells the
// host what was reported elsewhere: afterwards it is the same in every process. Errors: those of the
// executor; the verdict of the job. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"
#include "runtime/training/step/StepHosts.h"

namespace windlass {

inline Status runTogether(JobProcess &job, Executor &executor, plan::Purpose purpose, SharedHost &host) {
  WINDLASS_TRY(executor.run(purpose, host));
  if (job.isAlone())
    return Status::ok();
  Result<std::vector<std::string>> all = job.exchange(host.reports());
  if (!all)
    return all.status();
  for (int64_t process = 0; process < job.processes(); ++process)
    if (process != job.process())
      host.addReports((*all)[static_cast<size_t>(process)]);
  return Status::ok();
}

} // namespace windlass
