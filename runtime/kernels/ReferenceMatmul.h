// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReferenceMatmul.h - what a matmul means ============================//
//
// Duty: the oracle of Matmul: three loops, products summed in f64, one rounding.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"

namespace windlass {

void referenceMatmul(const plan::MatmulSpec &spec, const void *a, const void *b, void *c);

} // namespace windlass
