// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatmulParts.h - one matmul cut for several threads ====================//
//
// Duty: which rows, or which matrices of a batch, each thread multiplies. The cut
// follows from the spec and the number of threads alone, for it may change last bits.
// Units: elements of the operand. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>
#include <vector>

namespace windlass {

struct MatmulPart {
  plan::MatmulSpec spec;             ///< m, or batch, is the part's own
  int64_t leadingA = 0;              ///< elements between rows of A as it is stored
  int64_t atA = 0, atB = 0, atC = 0; ///< first elements
};

std::vector<MatmulPart> cutMatmul(const plan::MatmulSpec &spec, int64_t threads);

} // namespace windlass
