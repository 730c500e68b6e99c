// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FetchedCheckpoint.h - a checkpoint where every process sees it ========//
//
// Duty: the folder that a process of a job loads a checkpoint from: that of the first process where it sees
// the same files, or a copy with the same bytes, which hashes compare; else a copy on its own host, which
// came from the first process and goes after loading. Threads: one; all processes do the same. Errors: those
// of files; the verdict of the job.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"

namespace windlass {

class FetchedCheckpoint {
public:
  /// `own`: a folder of this process's host that may be written to.
  static Result<FetchedCheckpoint> fetch(JobProcess &job, const std::string &checkpoint,
                                         const std::string &own);
  FetchedCheckpoint(FetchedCheckpoint &&other) noexcept;
  FetchedCheckpoint &operator=(FetchedCheckpoint &&) = delete;
  /// Removes the copy that this process made.
  ~FetchedCheckpoint();

  const std::string &path() const { return folder; }

private:
  explicit FetchedCheckpoint(std::string folder) : folder(std::move(folder)) {}
  Status receive(JobProcess &job, const std::string &checkpoint);

  std::string folder;
  bool isMade = false; ///< by this process
};

} // namespace windlass
