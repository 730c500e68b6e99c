// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Streams.h - the loops a probe times ===================================//
//
// Duty: loops that load memory and arithmetic units as kernels do, compiled for the widest vectors of the
// CPU. Threads: pure functions over the caller's arrays.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace windlass {

/// y[i] += a * x[i]: 12 bytes an element.
void scaledAdd(float *y, const float *x, float a, size_t count);
inline constexpr double kScaledAddBytes = 12;

/// exp(-x) in place, with the mixture of fused and plain arithmetic, conversions, shifts and masks that
/// generated code has: 22 operations an element, each an instruction on a vector.
void exponential(float *x, size_t count);
inline constexpr double kExponentialOperations = 22;

/// One AdamW step in place: four arrays read, three written.
void adamw(float *master, float *momentum, float *variance, const float *gradient, size_t count);

} // namespace windlass
