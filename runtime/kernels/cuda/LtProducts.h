// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LtProducts.h - the library products of a plan on a GPU ================//
//
// Duty: an LtMatmul for each kernel of a plan that is a library's and is launched on the device, on the terms
// that the plan's launches grant; and what they add to the numerics record. The library is looked up only
// where there is one. Threads: made by one, read by any. Errors: CannotFit where the machine lacks the
// library, or the library what the plan asks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/cuda/LtMatmul.h"
#include <functional>
#include <map>
#include <vector>

namespace windlass {

/// Where the library comes from: of this machine, or a simulation.
using FindBlasLt = std::function<Result<cuda::BlasLt>()>;

/// Whether a kernel is a library's: a matmul for which the plan brings no code.
bool isLibraryProduct(const plan::Kernel &kernel);

class LtProducts {
public:
  static Result<std::shared_ptr<const LtProducts>> create(std::shared_ptr<cuda::Context> context,
                                                          const FindBlasLt &find, const plan::Plan &plan);

  /// Null: that kernel is no library's, or not launched on the device.
  const LtMatmul *of(size_t kernel) const { return products[kernel].get(); }

  /// The library's release, what it was asked by the environment, a hash of the algorithms that it chose, and
  /// the number of multiprocessors, on which its choices depend. Nothing without products.
  std::map<std::string, std::string> numerics() const;

private:
  std::shared_ptr<const LtLibrary> library;              ///< null: no product asks for it
  std::vector<std::unique_ptr<const LtMatmul>> products; ///< per kernel of the plan
};

} // namespace windlass
