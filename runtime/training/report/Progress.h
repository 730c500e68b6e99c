// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Progress.h - what a person sees while it trains =======================//
//
// Duty: one line a step as nanoGPT and llm.c print it; on a terminal one line
// that is rewritten. Results go to stdout.
// Errors: RunFailed where whoever read stdout has left.
// Threads: one. show() allocates nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include "runtime/training/report/StepRecord.h"
#include <string>

namespace windlass {

class Progress {
public:
  struct Options {
    bool quiet = false;
    int64_t every = 1; ///< lines, where stdout is no terminal
  };
  Progress(const plan::Plan &plan, Options options, int64_t lastStep);
  ~Progress();

  Status show(const StepRecord &record);
  /// "note: TEXT" on stderr, below the line that is shown.
  void note(const std::string &text);

private:
  void closeLine();

  Options options;
  int64_t lastStep;
  bool terminal, openLine = false;
  const char *rateUnit;
  std::string memory;                         ///< "mem device 46.1 MiB, host ..."
  std::optional<ValidationRecord> validation; ///< the newest
  double meanSeconds = 0;                     ///< of late, for the time left
};

} // namespace windlass
