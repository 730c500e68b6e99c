// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaPlan.h - a synthetic plan for a GPU ===============================//
//
// Duty: converts a plan whose kernels are matmuls to the backend "cuda": kernels on the device get PTX code
// in a kernel file, with another order of sums. In place of this code, host functions of the same names may
// run, which multiply as the CPU does, so that both plans give the same bytes. Ownership: the functions
// belong to the device that gets them. Threads: they run on the thread of the device.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "test/support/cuda/SimCode.h"

namespace windlass::test {

struct CudaPlan {
  plan::Plan plan;
  std::string folder; ///< of its kernel file
  SimHostCode::Functions functions;
};

/// The implementation of products on the device: the plan's code, or a library.
enum class CudaProducts { Code, Library };

/// Writes the kernel file into the folder, which must be there.
Result<CudaPlan> makeCudaPlan(const plan::Plan &plan, const std::string &folder,
                              CudaProducts products = CudaProducts::Code);

} // namespace windlass::test
