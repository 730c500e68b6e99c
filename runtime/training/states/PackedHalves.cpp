// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/PackedHalves.h"

#include <algorithm>
#include <array>

namespace windlass {
namespace {

constexpr int64_t kStride = 4096;

/// Calls `visit(bits, place behind them)` for `count` elements from byte `at` on.
template <typename Visit> Status forEachElement(const File &file, int64_t at, int64_t count, Visit visit) {
  constexpr unsigned kPayload = 7, kWidth = 32;
  Result<int64_t> size = file.size();
  if (!size)
    return size.status();
  std::array<std::byte, 4096> buffer;
  uint32_t bits = 0;
  unsigned shift = 0;
  while (count > 0) {
    const int64_t left = std::min(*size - at, std::ssize(buffer));
    if (left <= 0)
      return Status::badInput(file.path() + ": ends inside a list of elements");
    const std::span piece = std::span(buffer).first(static_cast<size_t>(left));
    WINDLASS_TRY(file.readAt(at, piece));
    for (std::byte byte : piece) {
      ++at;
      if (shift < kWidth)
        bits |= (std::to_integer<uint32_t>(byte) & 0x7F) << shift;
      shift += kPayload;
      if ((byte & std::byte{0x80}) != std::byte{0})
        continue;
      visit(static_cast<uint16_t>(bits), at);
      bits = shift = 0;
      if (--count == 0)
        break;
    }
  }
  return Status::ok();
}

} // namespace

Result<PackedHalves> PackedHalves::open(const File &file, int64_t begin, int64_t count) {
  PackedHalves halves(file);
  halves.marks.push_back(begin);
  int64_t seen = 0;
  Status read = forEachElement(file, begin, count, [&](uint16_t, int64_t behind) {
    if (++seen % kStride == 0)
      halves.marks.push_back(behind);
  });
  return read ? Result<PackedHalves>(std::move(halves)) : Result<PackedHalves>(read);
}

Status PackedHalves::read(int64_t first, std::span<uint16_t> out) const {
  int64_t skipped = first % kStride;
  auto to = out.begin();
  return forEachElement(*file, marks[static_cast<size_t>(first / kStride)], skipped + std::ssize(out),
                        [&](uint16_t bits, int64_t) {
                          if (skipped-- <= 0)
                            *to++ = bits;
                        });
}

} // namespace windlass
