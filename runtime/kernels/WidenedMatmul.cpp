// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/WidenedMatmul.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "runtime/kernels/Scratch.h"
#include <cstddef>

namespace windlass {

namespace {

constexpr size_t kC = 2, kScratch = 3;

float *panelAt(void *scratch, int64_t at) {
  return reinterpret_cast<float *>(static_cast<std::byte *>(scratch) + at);
}

template <float (*Widen)(uint16_t)> void widenAll(const void *from, float *to, int64_t elements) {
  const auto *narrow = static_cast<const uint16_t *>(from);
  for (int64_t e = 0; e < elements; ++e)
    to[e] = Widen(narrow[e]);
}

template <uint16_t (*Round)(float)> void roundAll(const float *from, void *to, int64_t elements) {
  auto *narrow = static_cast<uint16_t *>(to);
  for (int64_t e = 0; e < elements; ++e)
    narrow[e] = Round(from[e]);
}

} // namespace

bool isHalf(plan::ElementType type) {
  return type == plan::ElementType::BF16 || type == plan::ElementType::F16;
}

WidenedMatmul::WidenedMatmul(const plan::MatmulSpec &spec, int64_t libraryScratch)
    : accumulate(spec.accumulate), end(alignedScratch(libraryScratch)) {
  const plan::ElementType types[] = {spec.a, spec.b, spec.c};
  const int64_t elements[] = {spec.m * spec.k, spec.k * spec.n, spec.m * spec.n};
  for (size_t i = 0; i < panels.size(); ++i) {
    panels[i] = {types[i], spec.batch * elements[i], end};
    if (isHalf(types[i]))
      end = alignedScratch(end + panels[i].elements * static_cast<int64_t>(sizeof(float)));
  }
}

bool WidenedMatmul::isNeeded(const plan::MatmulSpec &spec, bool nativeBf16) {
  auto isBf16 = [](plan::ElementType type) { return type == plan::ElementType::BF16; };
  const bool none = !isHalf(spec.a) && !isHalf(spec.b) && !isHalf(spec.c);
  return !none && !(nativeBf16 && isBf16(spec.a) && isBf16(spec.b) && spec.c != plan::ElementType::F16);
}

plan::MatmulSpec WidenedMatmul::widened(plan::MatmulSpec spec) {
  spec.a = spec.b = spec.c = plan::ElementType::F32;
  return spec;
}

std::array<void *, 4> WidenedMatmul::widen(void *const *args) const {
  std::array<void *, 4> wide = {args[0], args[1], args[kC], args[kScratch]};
  for (size_t i = 0; i < panels.size(); ++i) {
    if (!isHalf(panels[i].type))
      continue;
    float *panel = panelAt(args[kScratch], panels[i].at);
    wide[i] = panel;
    if (i == kC && !accumulate)
      continue; // only written
    const bool isF16 = panels[i].type == plan::ElementType::F16;
    (isF16 ? widenAll<widenF16> : widenAll<widenBf16>)(args[i], panel, panels[i].elements);
  }
  return wide;
}

void WidenedMatmul::narrow(void *const *args) const {
  const Panel &panel = panels[kC];
  if (!isHalf(panel.type))
    return;
  const bool isF16 = panel.type == plan::ElementType::F16;
  (isF16 ? roundAll<roundToF16> : roundAll<roundToBf16>)(panelAt(args[kScratch], panel.at), args[kC],
                                                         panel.elements);
}

} // namespace windlass
