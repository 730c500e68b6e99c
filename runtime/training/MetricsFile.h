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
  static Result<MetricsFile> open(const std::string &path, int64_t stepsDone);
  Status append(const StepRecord &record, double wallSeconds);

private:
  MetricsFile(File file, int64_t end) : file(std::move(file)), end(end) {}
  File file;
  int64_t end = 0;
};

} // namespace windlass
