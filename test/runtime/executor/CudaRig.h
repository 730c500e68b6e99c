// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaRig.h - a plan on simulated GPUs, with simulated libraries ========//
//
// Duty: shared by tests of executors: a plan in its form for GPUs, simulated GPUs with one policy and seed,
// and the backend "cuda" on them. Threads: one. Errors: failures of GoogleTest.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/cuda/CudaBackend.h"
#include "test/runtime/executor/Agreement.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/SyntheticPlan.h"
#include "test/support/cuda/blaslt/SimBlasLt.h"
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/nccl/SimNccl.h"
#include "test/support/cuda/plans/CudaPlan.h"
#include <gtest/gtest.h>

namespace windlass::test {

inline ExecutorOptions inScratch(bool reference) {
  ExecutorOptions options;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  options.reference = reference;
  options.canary = 0x5A;
  return options;
}

inline CudaLibraries simulated(const cuda::Driver &driver) {
  return {driver, [] { return Result<cuda::BlasLt>(SimBlasLt::table()); },
          [] { return Result<cuda::Nccl>(SimNccl::table()); }};
}

/// Settings of the simulated GPUs.
struct RigOptions {
  SimPolicy policy = SimPolicy::Eager;
  uint64_t seed = 1;
  std::vector<SimFault> faults = {};
  SimLoader loader = {}; ///< empty: functions of the host run in place of the code of the plan
  CudaProducts products = CudaProducts::Code;
  int64_t devices = 1;
};

class Rig {
public:
  Rig(const plan::Plan &plan, const RigOptions &how)
      : cuda(makeCudaPlan(plan, folder.path, how.products).take()), sim(optionsOf(how)) {}

  Contestant contestant(bool reference = false, cuda::Driver driver = SimDriver::table()) {
    ExecutorOptions options = inScratch(reference);
    options.kernelsFolder = folder.path;
    return {options, [driver] { return makeCudaBackend(simulated(driver)).take(); }, &cuda.plan};
  }
  void expectNothingBroken() {
    for (const SimViolation &each : sim.violations())
      ADD_FAILURE() << nameOf(each.rule) << ": " << each.what;
    EXPECT_EQ(sim.leftovers(), "");
    EXPECT_EQ(SimNccl::leftovers(), "");
  }

  TemporaryFolder folder;
  CudaPlan cuda;
  SimDriver sim;

private:
  SimOptions optionsOf(const RigOptions &how) const {
    SimOptions options;
    options.policy = how.policy;
    options.seed = how.seed;
    options.loader = how.loader ? how.loader : SimHostCode::loader(cuda.functions);
    options.faults = how.faults;
    options.devices = static_cast<int>(how.devices);
    return options;
  }
};

/// A random plan, drawn from the seed.
inline plan::Plan planOf(uint64_t seed) {
  return makeSyntheticPlan({.seed = seed,
                            .ranks = 1 + static_cast<int64_t>(seed % 3),
                            .microBatches = 1 + static_cast<int64_t>(seed % 4),
                            .layers = 2 + static_cast<int64_t>(seed % 3)});
}

} // namespace windlass::test
