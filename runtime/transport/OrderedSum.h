// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OrderedSum.h - the sum that every transport must agree on =============//
//
// Duty: element by element, source 0 + source 1 + ... in that order, in f32
// (f64 for f64), rounded once to the type (bf16, f16: nearest even, by integers).
// Threads: pure functions. Errors: none; an i32 sum is refused before (isSummable).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace windlass {

bool isSummable(plan::ElementType type);

/// out[0, bytes) = sum of sources[q][0, bytes). `out` may not overlap a source.
void sumInOrder(plan::ElementType type, std::span<const std::byte *const> sources, std::byte *out,
                int64_t bytes);

} // namespace windlass
