// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelLibrary.h - the kernels of a plan, ready to run =================//
//
// Duty: the KernelSet of the CPU. Checks CPU and file hash, then loads the generated
// kernels and makes one library primitive per distinct matmul. A plan is code:
// nothing of it is loaded before its hash is right.
// Ownership: keeps the shared object loaded; the plan must outlive the library.
// Threads: read by any number of threads after load.
// Errors: BadInput for a wrong file, CannotFit for a CPU or scratch too small.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelSet.h"
#include "runtime/kernels/KernelTeam.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Plan.h"
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace windlass {

/// Which launches of a plan a library serves: all, or, where the device has kernels of its own, the host's.
enum class Serves { EveryLane, HostLane };

/// A generated kernel's sum in two phases (runtime/base/PieceSymbols.h).
struct PiecedSum {
  KernelFunction pieces, total;
  int64_t count; ///< of pieces
};

/// One row of Plan::kernels: generated, matmul or reference is set, or none where the library does not serve
/// it.
struct LoadedKernel {
  KernelFunction generated = nullptr;
  std::optional<PiecedSum> pieced; ///< of a generated one that several threads make in two phases
  std::shared_ptr<const Matmul> matmul;
  const plan::MatmulSpec *reference = nullptr; ///< a matmul of a plan that multiplies by reference
  int64_t grain = 1; ///< borders of thread cuts: whole vectors for kernels over plain elements
};

class KernelLibrary final : public KernelSet {
public:
  /// `folder` holds Plan::kernelFiles. `threads`: of a launch; without it, as the plan says.
  static Result<std::unique_ptr<KernelLibrary>> load(const plan::Plan &plan, const std::string &folder,
                                                     Serves serves = Serves::EveryLane,
                                                     std::optional<int64_t> threads = std::nullopt);

  /// Launches are done when they return: the stream must be null, and the rank is nothing to it.
  Result<std::unique_ptr<KernelLauncher>> makeLauncher(int64_t rank, Stream *stream) const override;

  std::span<const LoadedKernel> kernels() const { return loaded; }
  int64_t threadsPerRank() const { return threads; }
  /// Lines that say what this processor does in another way than the plan's types suggest.
  std::vector<std::string> notices(const plan::Plan &plan) const;

private:
  Status openGenerated(const plan::Plan &plan, const std::string &folder);
  Status bind(const plan::Plan &plan);
  std::optional<PiecedSum> findPieces(const std::string &symbol) const;
  Status checkScratch(const plan::Plan &plan) const;
  Status checkScratch(const plan::Plan &plan, const plan::Instruction &launch) const;

  bool serves(plan::Lane lane) const { return which == Serves::EveryLane || lane == plan::Lane::HostCompute; }

  Serves which = Serves::EveryLane;
  std::shared_ptr<void> object;                               ///< dlopen handle
  std::map<std::string, std::string, std::less<>> signatures; ///< of the generated kernels, as made
  std::vector<LoadedKernel> loaded;
  int64_t threads = 1;
};

} // namespace windlass
