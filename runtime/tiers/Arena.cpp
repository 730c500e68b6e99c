// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/Arena.h"
#include "runtime/base/Units.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace windlass {

namespace {

constexpr int64_t kHugePage = int64_t{2} << 20;

/// Maps `length` bytes on a huge-page border: maps one page more and gives back both ends.
std::byte *mapAligned(int64_t length) {
  void *raw = mmap(nullptr, length + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return nullptr;
  auto *base = static_cast<std::byte *>(raw);
  int64_t before = -reinterpret_cast<intptr_t>(raw) & (kHugePage - 1);
  if (before > 0)
    munmap(base, before);
  munmap(base + before + length, kHugePage - before);
  return base + before;
}

} // namespace

Result<Arena> Arena::create(int64_t bytes, int canary) {
  Arena arena;
  if (bytes <= 0)
    return arena;
  arena.bytes = bytes;
  arena.mapped = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  arena.start = mapAligned(arena.mapped);
  if (!arena.start)
    return Status::cannotFit("an arena of " + formatBytes(bytes) +
                             " is not granted: " + std::strerror(errno));
  madvise(arena.start, arena.mapped, MADV_HUGEPAGE); // a wish: small pages are slower, not wrong
#ifdef MADV_POPULATE_WRITE
  // Pages now, so that the first step does not wait for them and a lack of memory shows before the run.
  // Kernels before 5.14 do not know the request; their pages come with the first touch.
  if (madvise(arena.start, arena.mapped, MADV_POPULATE_WRITE) != 0 && errno != EINVAL)
    return Status::cannotFit("an arena of " + formatBytes(bytes) +
                             " cannot be filled: " + std::strerror(errno));
#endif
  if (canary >= 0 && canary <= 255)
    std::memset(arena.start, canary, bytes);
  return arena;
}

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  std::swap(mapped, other.mapped);
  return *this;
}

Arena::~Arena() {
  if (start)
    munmap(start, mapped);
}

} // namespace windlass
