#include "tools/windlass-probe/Streams.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WINDLASS_WIDEST                                                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"),                               \
                 optimize("O3", "no-math-errno", "no-trapping-math")))
#else
#define WINDLASS_WIDEST
#endif

namespace windlass {

WINDLASS_WIDEST void scaledAdd(float *__restrict y, const float *__restrict x, float a, size_t count) {
  for (size_t i = 0; i < count; ++i)
    y[i] += a * x[i];
}

WINDLASS_WIDEST void polynomial(float *x, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float v = x[i], sum = 1e-4f;
    sum = sum * v + 2e-4f;
    sum = sum * v + 1e-3f;
    sum = sum * v + 8e-3f;
    sum = sum * v + 4e-2f;
    sum = sum * v + 1e-1f;
    sum = sum * v + 2e-1f;
    sum = sum * v + 5e-1f;
    x[i] = sum * v + 1e-2f;
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
