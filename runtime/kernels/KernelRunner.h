// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelRunner.h - one lane's way to launch kernels =====================//
//
// Duty: the KernelLauncher of the CPU: what a thread needs of its own to launch kernels of a shared library:
// library handles and a team of helper threads. A launch allocates nothing of ours.
// Ownership: the library must outlive it. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelLibrary.h"
#include <optional>

namespace windlass {

class KernelRunner final : public KernelLauncher {
public:
  static Result<std::unique_ptr<KernelRunner>> create(const KernelLibrary &library);
  explicit KernelRunner(const KernelLibrary &library) : library(library), team(library.threadsPerRank()) {}

  /// On the lane's team; done on return.
  Status launch(int32_t kernel, void *const *args, int64_t begin, int64_t end) override;
  double helperSeconds() const override { return team.helperSeconds(); }

private:
  const KernelLibrary &library;
  KernelTeam team;
  std::vector<std::optional<MatmulCall>> calls; ///< per kernel of the plan
};

} // namespace windlass
