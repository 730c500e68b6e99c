// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckpointFolder.h - OUT/checkpoints and what is complete in it =======//
//
// Duty: checkpoints appear whole or not at all: they are written in a hidden
// folder, synced, and renamed to step-NNNNNNNN; they go by a rename to a hidden
// name before anything in them is removed. So every step-NNNNNNNN is complete,
// whenever the process was killed; mend() does the rest when the next one starts.
// `latest` names the newest for people and tools.
// Errors: RunFailed naming the path.
// Threads: one; one process per folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace windlass {

class CheckpointFolder {
public:
  explicit CheckpointFolder(std::string path) : root(std::move(path)) {}

  /// Ok if the folder can be read, and written if `isWritten`, or is not there. Else BadInput: what cannot be
  /// read is not taken for empty.
  Status check(bool isWritten) const;

  /// Steps with a complete checkpoint, oldest first.
  std::vector<int64_t> steps() const;
  std::string pathOf(int64_t step) const; ///< ROOT/step-00000600
  /// Whether a path leads to one of them.
  bool holds(const std::string &checkpoint) const;
  /// Where the checkpoint of a step is while it is written.
  std::string unfinishedPathOf(int64_t step) const;

  /// Finishes what a killed process left half done: hidden folders go, a checkpoint that was to be replaced
  /// and was not returns, and `latest` names the newest.
  Status mend() const;

  /// Runs `write` on a fresh folder and makes it the checkpoint of `step`; then
  /// keeps the newest `keep` (0: all) up to it. A failing write leaves nothing behind.
  Status commit(int64_t step, int64_t keep, const std::function<Status(const std::string &folder)> &write);

  /// Moves the checkpoints of steps behind `after` to ROOT.1 (or .2, ...): a run that begins there would take
  /// them for its own. Returns where to, or "" if there are none.
  Result<std::string> setAside(int64_t after);

private:
  Status removeHidden(const std::string &prefix) const;
  Status restoreReplaced() const;
  Status retire(int64_t step) const;
  Status nameLatest(int64_t step) const;

  std::string root;
};

} // namespace windlass
