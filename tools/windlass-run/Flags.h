// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Flags.h - the command line of windlass-run ============================//
//
// Duty: reads the command line of windlass-run into the options of a run and of its job.
// Errors: printed to stderr; the exit code says so.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/Run.h"

namespace windlass {

/// The options, or the exit code of a process that is done: help and version
/// were printed (0), or the command line was wrong (2).
struct ParsedFlags {
  RunOptions options;
  JobOptions job;
  int64_t processes = 0;    ///< to start on this machine; 0: none, this one runs
  std::string verifyFolder; ///< of checkpoints to check, in place of a run; empty: none
  std::optional<int> exitCode;
};

ParsedFlags parseFlags(int argc, char **argv);

} // namespace windlass
