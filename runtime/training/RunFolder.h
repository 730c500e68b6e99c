// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunFolder.h - the folder that a run writes to =========================//
//
// Duty: makes --out and holds it for one run at a time. Hosts of a job may share it, or have one each: then
// that of the first process has the run's files, and those of other hosts nothing but what goes with them.
// Threads: one. Errors: BadInput where another run writes there, or where a host has a newer checkpoint that
// the first process does not see.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include "runtime/launch/FolderReach.h"
#include <filesystem>

namespace windlass {

/// A failure as the caller's: what the run was given, a folder or a file, cannot be used.
Status asBadInput(const Status &status);

class RunFolder {
public:
  RunFolder(std::string path, JobProcess &job) : path(std::move(path)), job(job) {}

  /// `onlyReads`: a run that only reads goes on beside one that writes; `resumes`: it begins at the newest
  /// checkpoint.
  Status claim(bool onlyReads, bool resumes);
  /// Whether it is this run's alone.
  bool isHeld() const { return lock.isOpen(); }
  /// What a person should know of it; empty: nothing.
  const std::string &note() const { return said; }
  /// "out, which 2 hosts share"; "" alone.
  std::string describe() const;
  /// What was refused leaves no trace: the folders made for it go, unless something is in them.
  void dropIfEmpty() const;

private:
  Status make();
  Status hold(bool onlyReads);
  Status findNewest(bool resumes);

  std::string path;
  JobProcess &job;
  File lock;
  FolderReach reach;
  std::string said;
  std::vector<std::filesystem::path> newFolders; ///< made for this run, the innermost first
};

} // namespace windlass
