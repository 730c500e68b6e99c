//===- KernelLibrary.h - the kernels of a plan, ready to run ==============//
//
// Duty: checks CPU and file hash, then loads the generated kernels and makes one
// library primitive per distinct matmul. A plan is code: nothing of it is loaded
// before its hash is right.
// Ownership: keeps the shared object loaded; the plan must outlive the library.
// Threads: read by any number of threads after load.
// Errors: BadInput for a wrong file, CannotFit for a CPU or scratch too small.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelTeam.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Plan.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace windlass {

/// One row of Plan::kernels: exactly one of the two is set.
struct LoadedKernel {
  KernelFunction generated = nullptr;
  std::shared_ptr<const Matmul> matmul;
  int64_t grain = 1; ///< borders of thread cuts: whole vectors for kernels over plain elements
};

class KernelLibrary {
public:
  /// `folder` holds Plan::kernelFiles.
  static Result<std::unique_ptr<KernelLibrary>> load(const plan::Plan &plan, const std::string &folder);

  std::span<const LoadedKernel> kernels() const { return loaded; }
  int64_t threadsPerRank() const { return threads; }

private:
  Status openGenerated(const plan::Plan &plan, const std::string &folder);
  Status bind(const plan::Plan &plan);
  Status checkScratch(const plan::Plan &plan) const;

  std::shared_ptr<void> object; ///< dlopen handle
  std::vector<LoadedKernel> loaded;
  int64_t threads = 1;
};

} // namespace windlass
