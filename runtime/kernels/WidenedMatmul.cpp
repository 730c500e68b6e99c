#include "runtime/kernels/WidenedMatmul.h"
#include "runtime/base/Bf16.h"
#include <cstddef>

namespace windlass {

namespace {

constexpr int64_t kAlignment = 64;
constexpr size_t kC = 2, kScratch = 3;

int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

float *panelAt(void *scratch, int64_t at) {
  return reinterpret_cast<float *>(static_cast<std::byte *>(scratch) + at);
}

} // namespace

WidenedMatmul::WidenedMatmul(const plan::MatmulSpec &spec, int64_t libraryScratch)
    : accumulate(spec.accumulate), end(aligned(libraryScratch)) {
  const plan::ElementType types[] = {spec.a, spec.b, spec.c};
  const int64_t elements[] = {spec.m * spec.k, spec.k * spec.n, spec.m * spec.n};
  for (size_t i = 0; i < panels.size(); ++i) {
    panels[i] = {types[i] == plan::ElementType::BF16, spec.batch * elements[i], end};
    if (panels[i].isNarrow)
      end = aligned(end + panels[i].elements * static_cast<int64_t>(sizeof(float)));
  }
}

plan::MatmulSpec WidenedMatmul::widened(plan::MatmulSpec spec) {
  spec.a = spec.b = spec.c = plan::ElementType::F32;
  return spec;
}

std::array<void *, 4> WidenedMatmul::widen(void *const *args) const {
  std::array<void *, 4> wide = {args[0], args[1], args[kC], args[kScratch]};
  for (size_t i = 0; i < panels.size(); ++i) {
    if (!panels[i].isNarrow)
      continue;
    float *panel = panelAt(args[kScratch], panels[i].at);
    wide[i] = panel;
    if (i == kC && !accumulate)
      continue; // only written
    const auto *narrow = static_cast<const uint16_t *>(args[i]);
    for (int64_t e = 0; e < panels[i].elements; ++e)
      panel[e] = widenBf16(narrow[e]);
  }
  return wide;
}

void WidenedMatmul::narrow(void *const *args) const {
  if (!panels[kC].isNarrow)
    return;
  const float *panel = panelAt(args[kScratch], panels[kC].at);
  auto *c = static_cast<uint16_t *>(args[kC]);
  for (int64_t e = 0; e < panels[kC].elements; ++e)
    c[e] = roundToBf16(panel[e]);
}

} // namespace windlass
