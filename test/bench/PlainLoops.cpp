// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlainLoops.h"

#include <cmath>

void plainAdamw(float *__restrict p, const float *__restrict g, float *__restrict m, float *__restrict v,
                float rate, float correction, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    m[i] = m[i] * 0.9f + g[i] * 0.1f;
    v[i] = v[i] * 0.999f + g[i] * g[i] * 0.001f;
    p[i] = p[i] - rate * (m[i] / (std::sqrt(v[i] / correction) + 1.0e-8f));
  }
}

void plainStream(float *__restrict p, const float *__restrict g, float *__restrict m, float *__restrict v,
                 int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    p[i] += g[i];
    m[i] += g[i];
    v[i] += g[i];
  }
}
