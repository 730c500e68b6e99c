// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/OrderedSum.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"

namespace windlass {

bool isSummable(plan::ElementType type) { return type != plan::ElementType::I32; }

namespace {

/// Sums `Stored` elements in `Sum`, which `load` and `store` convert from and to. In one pass: a line of sums
/// stays in registers, while processors fetch all sources ahead, side by side.
template <typename Stored, typename Sum, typename Load, typename Store>
void sumLines(std::span<const std::byte *const> sources, std::byte *out, int64_t bytes, Load load,
              Store store) {
  constexpr int64_t kLine = 64 / sizeof(Sum);
  auto *result = reinterpret_cast<Stored *>(out);
  const auto sumLine = [&](int64_t begin, int64_t n) {
    Sum sums[kLine];
    auto *first = reinterpret_cast<const Stored *>(sources[0]) + begin;
    for (int64_t i = 0; i < n; ++i)
      sums[i] = load(first[i]);
    for (const std::byte *source : sources.subspan(1)) {
      auto *next = reinterpret_cast<const Stored *>(source) + begin;
      for (int64_t i = 0; i < n; ++i)
        sums[i] += load(next[i]);
    }
    for (int64_t i = 0; i < n; ++i)
      result[begin + i] = store(sums[i]);
  };
  const int64_t elements = bytes / static_cast<int64_t>(sizeof(Stored)), ofLines = elements / kLine * kLine;
  for (int64_t begin = 0; begin < ofLines; begin += kLine)
    sumLine(begin, kLine);
  sumLine(ofLines, elements - ofLines);
}

} // namespace

void sumInOrder(plan::ElementType type, std::span<const std::byte *const> sources, std::byte *out,
                int64_t bytes) {
  // Lambdas, so that what converts is part of the loop: of a function only its address would be known there.
  const auto same = [](auto value) { return value; };
  switch (type) {
  case plan::ElementType::F32:
    return sumLines<float, float>(sources, out, bytes, same, same);
  case plan::ElementType::F64:
    return sumLines<double, double>(sources, out, bytes, same, same);
  case plan::ElementType::BF16:
    return sumLines<uint16_t, float>(
        sources, out, bytes, [](uint16_t stored) { return widenBf16(stored); },
        [](float sum) { return roundToBf16(sum); });
  case plan::ElementType::F16:
    return sumLines<uint16_t, float>(
        sources, out, bytes, [](uint16_t stored) { return widenF16(stored); },
        [](float sum) { return roundToF16(sum); });
  case plan::ElementType::I32:
    return;
  }
}

} // namespace windlass
