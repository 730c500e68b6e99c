// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MetricsFile.h - one JSON object a step ================================//
//
// Duty: metrics.jsonl with flat keys, appended step by step; a resumed run first
// drops the lines of steps it will do again, and a line a kill left half.
// Errors: RunFailed naming the path.
// Threads: one. append() allocates nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include "runtime/training/report/StepRecord.h"

namespace windlass {

class MetricsFile {
public:
  /// Drops what it is given.
  MetricsFile() = default;
  /// `paced`: links take as long as a user said, and every line says so. Without `followLinks` a link is
  /// refused.
  static Result<MetricsFile> open(const std::string &path, int64_t stepsDone, bool paced = false,
                                  bool followLinks = true);
  /// The whole lines of a file before the first of a step after `stepsDone`; "" of what is no regular file.
  static Result<std::string> linesUpTo(const std::string &path, int64_t stepsDone);
  Status append(const StepRecord &record, double wallSeconds);

private:
  MetricsFile(File file, int64_t end, bool paced) : file(std::move(file)), end(end), paced(paced) {}
  File file;
  int64_t end = 0;
  bool paced = false;
};

} // namespace windlass
