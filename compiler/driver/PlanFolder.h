// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanFolder.h - a plan's folder that appears whole or not at all =====//
//
// Duty: a new folder beside the one the user named, for the files of a plan as they
// are made. commit() moves them to their place in as few moves as the system allows:
// one, unless there is a plan already. Without a commit nothing remains, nor of the folders
// above it that were made for it.
// Errors: bad input, with the folder and the system's reason.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <vector>

namespace windlass {

/// The folders above a path: those that are missing are made, and go again where nothing was put in them.
class ParentFolders {
public:
  static Result<ParentFolders> of(const std::string &path);
  ParentFolders(ParentFolders &&other) noexcept : made(std::exchange(other.made, {})) {}
  ParentFolders &operator=(ParentFolders &&) = delete;
  ~ParentFolders();

private:
  ParentFolders() = default;

  std::vector<std::string> made; ///< the outermost first
};

class PlanFolder {
public:
  static Result<PlanFolder> stage(const std::string &output);
  PlanFolder(PlanFolder &&other) noexcept;
  PlanFolder &operator=(PlanFolder &&) = delete;
  ~PlanFolder();

  /// Where the files are made.
  const std::string &path() const { return staged; }
  /// Whether a file as large as kernels are can be written there.
  Status checkRoom() const;
  Status commit();

private:
  PlanFolder(std::string output, std::string staged, ParentFolders parents)
      : parents(std::move(parents)), output(std::move(output)), staged(std::move(staged)) {}

  ParentFolders parents;
  std::string output;
  std::string staged; ///< empty once committed or moved from
};

} // namespace windlass
