// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/OrderedSum.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include <algorithm>

namespace windlass {

bool isSummable(plan::ElementType type) { return type != plan::ElementType::I32; }

namespace {

constexpr int64_t kBlock = 2048; // elements; accumulators stay in the first-level cache

/// Sums blocks of `Stored` elements in `Sum`, which `load` and `store` convert from and to.
template <typename Stored, typename Sum, typename Load, typename Store>
void sumBlocks(std::span<const std::byte *const> sources, std::byte *out, int64_t bytes, Load load,
               Store store) {
  Sum sums[kBlock];
  auto *result = reinterpret_cast<Stored *>(out);
  int64_t elements = bytes / static_cast<int64_t>(sizeof(Stored));
  for (int64_t begin = 0; begin < elements; begin += kBlock) {
    int64_t n = std::min(kBlock, elements - begin);
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
  }
}

} // namespace

void sumInOrder(plan::ElementType type, std::span<const std::byte *const> sources, std::byte *out,
                int64_t bytes) {
  auto same = [](auto value) { return value; };
  switch (type) {
  case plan::ElementType::F32:
    return sumBlocks<float, float>(sources, out, bytes, same, same);
  case plan::ElementType::F64:
    return sumBlocks<double, double>(sources, out, bytes, same, same);
  case plan::ElementType::BF16:
    return sumBlocks<uint16_t, float>(sources, out, bytes, widenBf16, roundToBf16);
  case plan::ElementType::F16:
    return sumBlocks<uint16_t, float>(sources, out, bytes, widenF16, roundToF16);
  case plan::ElementType::I32:
    return;
  }
}

} // namespace windlass
