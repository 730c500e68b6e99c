// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlainLoops.h - loops that kernels are measured against ================//
//
// Duty: hand-written loops against which generated kernels are measured. They are compiled for the processor
// of this machine (-O3 -march=native). Units: `size` in elements. Errors: none. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

/// Updates `size` parameters in place by AdamW without weight decay.
void plainAdamw(float *p, const float *g, float *m, float *v, float rate, float correction, int64_t size);

/// Reads and writes the same arrays as plainAdamw, and does little else, so that memory sets its time.
void plainStream(float *p, const float *g, float *m, float *v, int64_t size);
