// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/ReferenceMatmul.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include <cstdint>

namespace windlass {

namespace {

double load(plan::ElementType type, const void *data, int64_t i) {
  switch (type) {
  case plan::ElementType::F32:
    return static_cast<const float *>(data)[i];
  case plan::ElementType::F64:
    return static_cast<const double *>(data)[i];
  case plan::ElementType::BF16:
    return widenBf16(static_cast<const uint16_t *>(data)[i]);
  case plan::ElementType::F16:
    return widenF16(static_cast<const uint16_t *>(data)[i]);
  case plan::ElementType::I32:
    return static_cast<const int32_t *>(data)[i];
  }
  return 0;
}

void store(plan::ElementType type, void *data, int64_t i, double value) {
  switch (type) {
  case plan::ElementType::F32:
    static_cast<float *>(data)[i] = static_cast<float>(value);
    return;
  case plan::ElementType::F64:
    static_cast<double *>(data)[i] = value;
    return;
  case plan::ElementType::BF16:
    static_cast<uint16_t *>(data)[i] = roundToBf16(static_cast<float>(value));
    return;
  case plan::ElementType::F16:
    static_cast<uint16_t *>(data)[i] = roundToF16(static_cast<float>(value));
    return;
  case plan::ElementType::I32:
    static_cast<int32_t *>(data)[i] = static_cast<int32_t>(value);
    return;
  }
}

} // namespace

void referenceMatmul(const plan::MatmulSpec &spec, const void *a, const void *b, void *c) {
  for (int64_t s = 0; s < spec.batch; ++s)
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < spec.k; ++p) {
          int64_t inA = s * spec.m * spec.k + (spec.transposeA ? p * spec.m + i : i * spec.k + p);
          int64_t inB = s * spec.k * spec.n + (spec.transposeB ? j * spec.k + p : p * spec.n + j);
          sum += load(spec.a, a, inA) * load(spec.b, b, inB);
        }
        int64_t inC = (s * spec.m + i) * spec.n + j;
        store(spec.c, c, inC, spec.accumulate ? load(spec.c, c, inC) + sum : sum);
      }
}

} // namespace windlass
