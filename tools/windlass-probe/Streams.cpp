// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/Streams.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WINDLASS_CLONES target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")
#define WINDLASS_WIDEST __attribute__((WINDLASS_CLONES))
#else
#define WINDLASS_WIDEST
#endif

// Products and additions are fused, as generated code does where it uses fused operations.
#ifdef __clang__
#define WINDLASS_FUSED WINDLASS_WIDEST
#define WINDLASS_FUSE_PRODUCTS _Pragma("clang fp contract(fast)")
#else
#define WINDLASS_FUSED WINDLASS_WIDEST __attribute__((optimize("fp-contract=fast")))
#define WINDLASS_FUSE_PRODUCTS
#endif

namespace windlass {
namespace {

constexpr size_t kLanes = 16;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Ints = int __attribute__((vector_size(4 * kLanes)));

} // namespace

WINDLASS_WIDEST void scaledAdd(float *__restrict y, const float *__restrict x, float a, size_t count) {
  for (size_t i = 0; i < count; ++i)
    y[i] += a * x[i];
}

WINDLASS_FUSED void exponential(float *x, size_t count) {
  WINDLASS_FUSE_PRODUCTS
  constexpr float log2e = 1.44269504f, ln2 = 0.693147181f;
  constexpr int bias = 127, mantissaBits = 23, infinity = 0x7f800000, magnitude = 0x7fffffff;
  for (size_t i = 0; i + kLanes <= count; i += kLanes) {
    Floats v;
    __builtin_memcpy(&v, x + i, sizeof v);
    const Ints power = __builtin_convertvector(v * -log2e, Ints);
    const Floats r = __builtin_convertvector(power, Floats) * -ln2 - v;
    Floats sum = 0.0416666f * r + 0.166666f;
    sum = sum * r + 0.5f;
    sum = sum * (r * r) + (r + 1.0f);
    const Ints scale = (power + bias) << mantissaBits;
    Ints bits = __builtin_bit_cast(Ints, sum * __builtin_bit_cast(Floats, scale));
    const Ints isSmall = (power + (bias - 1)) >> 31, isLarge = (bias - power) >> 31;
    const Ints isNegative = __builtin_bit_cast(Ints, v) >> 31;
    bits = (bits & ~isSmall) | (isLarge & infinity);
    bits = (bits & magnitude) | (isNegative & isSmall);
    bits = bits ^ (isSmall & isLarge);
    __builtin_memcpy(x + i, &bits, sizeof bits);
  }
}

WINDLASS_WIDEST void adamw(float *__restrict master, float *__restrict momentum, float *__restrict variance,
                           const float *__restrict gradient, size_t count) {
  constexpr float beta1 = 0.9f, beta2 = 0.95f, rate = 1e-3f, decay = 0.1f, epsilon = 1e-8f;
  for (size_t i = 0; i < count; ++i) {
    float g = gradient[i];
    float m = beta1 * momentum[i] + (1 - beta1) * g;
    float v = beta2 * variance[i] + (1 - beta2) * g * g;
    momentum[i] = m;
    variance[i] = v;
    master[i] -= rate * (m / (__builtin_sqrtf(v) + epsilon) + decay * master[i]);
  }
}

} // namespace windlass
