// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanFolder.h - a plan's folder that appears whole or not at all =======//
//
// Duty: a draft folder beside the folder that the user named, in which the files of a plan are made. commit()
// moves the files to the named folder in as few moves as the system allows: one, unless there is a plan
// already. Without a commit, the draft and the folders that were made above it are removed.
// Errors: BadInput, with the folder and the system's reason. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <vector>

namespace windlass {

/// Makes the missing folders above a path, and removes those that are still empty at its end.
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
  static Result<PlanFolder> draft(const std::string &output);
  PlanFolder(PlanFolder &&other) noexcept;
  PlanFolder &operator=(PlanFolder &&) = delete;
  ~PlanFolder();

  /// The draft folder, in which the files are made.
  const std::string &path() const { return drafted; }
  /// Whether a file as large as kernels are can be written there.
  Status checkRoom() const;
  Status commit();

private:
  PlanFolder(std::string output, std::string drafted, ParentFolders parents)
      : parents(std::move(parents)), output(std::move(output)), drafted(std::move(drafted)) {}

  ParentFolders parents;
  std::string output;
  std::string drafted; ///< empty once committed or moved from
};

} // namespace windlass
