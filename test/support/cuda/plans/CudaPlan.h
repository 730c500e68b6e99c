// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaPlan.h - a synthetic plan for a GPU ============================//
//
// Duty: makes a plan whose kernels are matmuls one for the backend "cuda": what is launched on the device
// becomes code of a kernel file, in PTX, which multiplies in an order of its own. In its place functions of
// the host by the same names may run, which multiply as the CPU does: so the same plan gives the same bytes
// on both. Ownership: the functions belong to the device that gets them. Threads: they run on the device's.
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

/// Who multiplies on the device: code of the plan, or a library.
enum class CudaProducts { Code, Library };

/// Writes the kernel file into the folder, which must be there.
Result<CudaPlan> makeCudaPlan(const plan::Plan &plan, const std::string &folder,
                              CudaProducts products = CudaProducts::Code);

} // namespace windlass::test
