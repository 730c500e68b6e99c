// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductBound.h - how far a product may be from the exact one ==========//
//
// Duty: says whether a product that was summed in f32, in whatever order, can be what it is: each sum of k
// products is within k roundings of the exact one, relative to the sum of their magnitudes, and is then
// rounded once more to the type of C. Threads: pure functions. Errors: RunFailed with the first element.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass {

/// `operands`: A, B and C as they were before; `exact`: C by reference, of the type of C as `found` is.
Status checkProductBound(const plan::MatmulSpec &spec, void *const *operands, const void *exact,
                         const void *found);

} // namespace windlass
