// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that generated kernels are measured against, compiled for this very processor (-O3 -march=native).
#pragma once

#include <cstdint>

/// AdamW in place, without decay, over `size` parameters.
void plainAdamw(float *p, const float *g, float *m, float *v, float rate, float correction, int64_t size);

/// Reads and writes the bytes of plainAdamw: an in-place stream.
void plainStream(float *p, const float *g, float *m, float *v, int64_t size);
