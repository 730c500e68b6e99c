// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelTeam.h - one kernel on several threads ==========================//
//
// Duty: splits [begin, end) of a generated kernel over a fixed set of threads,
// of which the caller is one. The kernel ABI promises the same bits for every cut.
// Threads: one caller. Waiting blocks; it never spins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace windlass {

/// The ABI of generated kernels.
using KernelFunction = void (*)(void *const *args, int64_t begin, int64_t end);

class KernelTeam {
public:
  explicit KernelTeam(int64_t threads);
  ~KernelTeam();

  /// Whether all its threads were started; without, it does the same with fewer.
  const Status &started() const { return start; }

  /// Cuts fall on multiples of `grain` counted from `begin`.
  void run(KernelFunction kernel, void *const *args, int64_t begin, int64_t end, int64_t grain);

  /// Seconds of a core that its helpers, all but the caller, have worked until now.
  double helperSeconds() const;

private:
  struct Job {
    KernelFunction kernel = nullptr;
    void *const *args = nullptr;
    int64_t begin = 0, end = 0, part = 0;
    void run(int64_t member) const;
  };
  void serve(int64_t member);

  std::mutex mutex;
  std::condition_variable jobPosted, jobDone;
  Job job;
  uint64_t posted = 0;
  int64_t working = 0;
  bool closing = false;
  Status start;
  std::vector<std::thread> helpers;
};

} // namespace windlass
