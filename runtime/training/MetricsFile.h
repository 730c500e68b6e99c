//===- MetricsFile.h - one JSON object a step ==============================//
//
// Duty: metrics.jsonl with flat keys, appended step by step; a resumed run first
// drops the lines of steps it will do again, and a line a kill left half.
// Errors: RunFailed naming the path.
// Threads: one. append() allocates nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include "runtime/training/StepRecord.h"

namespace windlass {

class MetricsFile {
public:
  /// `rateName`: "tokens_per_s" or "examples_per_s".
  static Result<MetricsFile> open(const std::string &path, int64_t stepsDone, std::string rateName);
  Status append(const StepRecord &record, double wallSeconds);

private:
  MetricsFile(File file, int64_t end, std::string rateName)
      : file(std::move(file)), end(end), rateName(std::move(rateName)) {}
  File file;
  int64_t end = 0;
  std::string rateName;
};

} // namespace windlass
