// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReferenceMatmul.h - what a matmul means ===============================//
//
// Duty: products of f64, added up in f64 in the order of k, from zero; what C held is added to the sum, and
// that is rounded to the type of C: for 16 bits to f32 first. No library and no number of threads changes a
// bit of it, so it is the oracle of Matmul, and what plans multiply by that are to have the same bits on
// every backend (Target::multipliesByReference). Threads: as stated.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelTeam.h"
#include "runtime/plan/Plan.h"

namespace windlass {

void referenceMatmul(const plan::MatmulSpec &spec, const void *a, const void *b, void *c);

/// The same for rows [begin, end) of C, counted through the batch. Calls for other rows may run at once.
void referenceRows(const plan::MatmulSpec &spec, const void *a, const void *b, void *c, int64_t begin,
                   int64_t end);

/// The same on a team. args: A, B, C.
void multiplyByReference(const plan::MatmulSpec &spec, void *const *args, KernelTeam &team);

} // namespace windlass
