//===- KernelRunner.h - one lane's way to launch kernels ==================//
//
// Duty: what a thread needs of its own to launch kernels of a shared library:
// library handles and a team of helper threads. A launch allocates nothing of ours.
// Ownership: the library must outlive it. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelLibrary.h"
#include <optional>

namespace windlass {

class KernelRunner {
public:
  static Result<std::unique_ptr<KernelRunner>> create(const KernelLibrary &library);
  explicit KernelRunner(const KernelLibrary &library) : library(library), team(library.threadsPerRank()) {}

  /// Runs kernel number `kernel` over [begin, end), or a whole matmul, on the lane's team.
  Status launch(int32_t kernel, void *const *args, int64_t begin, int64_t end);

private:
  const KernelLibrary &library;
  KernelTeam team;
  std::vector<std::optional<MatmulCall>> calls; ///< per kernel of the plan
};

} // namespace windlass
