// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunOnAllRanks.h - runs a schedule on all ranks of a job ===============//
//
// Duty: runs a schedule on the ranks of this process, while the other processes of the job do the same on
// theirs. Then the processes exchange what their ranks reported, so that the host of each process has the
// reports of all ranks. Errors: those of the executor; the verdict of the job. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"
#include "runtime/training/step/StepHosts.h"

namespace windlass {

inline Status runOnAllRanks(JobProcess &job, Executor &executor, plan::Purpose purpose, SharedHost &host) {
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
