// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelSet.h - the kernels of a plan on one kind of processor ==========//
//
// Duty: the seam behind which a plan's kernels, generated ones and those of libraries, are loaded and
// launched. A set is loaded once; each lane that launches has a launcher of its own.
// Ownership: a set outlives its launchers, a plan its sets.
// Threads: a set is read by any number of threads, a launcher belongs to one.
// Errors: RunFailed for a launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/Stream.h"
#include <memory>

namespace windlass {

class KernelLauncher {
public:
  virtual ~KernelLauncher() = default;

  /// Runs kernel number `kernel` of the plan over [begin, end), or a whole matmul, on the operands at `args`,
  /// a matmul's scratch behind the others. Enqueued on the launcher's stream, or done on return where it has
  /// none; the list of arguments may be reused when the call returns. Allocates nothing of ours.
  virtual Status launch(int32_t kernel, void *const *args, int64_t begin, int64_t end) = 0;

  /// Seconds of a core that threads beside the caller's have worked on its launches until now.
  virtual double helperSeconds() const { return 0; }
};

class KernelSet {
public:
  virtual ~KernelSet() = default;

  /// For a lane of a rank. Null `stream`: launches are done when they return.
  virtual Result<std::unique_ptr<KernelLauncher>> makeLauncher(int64_t rank, Stream *stream) const = 0;
};

} // namespace windlass
