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

/// Maps `length` bytes on a huge-page border, those of the file if there is one: maps one page more and gives
/// back both ends.
std::byte *mapAligned(int64_t length, SharedFile &file) {
  void *raw = mmap(nullptr, length + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return nullptr;
  auto *base = static_cast<std::byte *>(raw);
  int64_t before = -reinterpret_cast<intptr_t>(raw) & (kHugePage - 1);
  if (before > 0)
    munmap(base, before);
  munmap(base + before + length, kHugePage - before);
  const std::span memory(base + before, static_cast<size_t>(length));
  return !file.isOpen() || file.mapAt(memory) ? memory.data() : nullptr;
}

/// Pages now, so that the first step does not wait for them and a lack of memory shows before the run.
/// Kernels before 5.14 do not know the request; their pages come with the first touch.
bool fill(std::byte *start, int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  return madvise(start, bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
#else
  return true;
#endif
}

/// Makes huge pages of the small ones that a file is filled with where `shmem_enabled` is `never`, as it is
/// by default. Kernels before 6.1 do not know the request.
bool collapse(std::byte *start, int64_t bytes) {
  constexpr int kCollapse = 25; // MADV_COLLAPSE, by the name that older headers lack
  return madvise(start, bytes, kCollapse) == 0;
}

/// Whether the system makes huge pages for files: tried, once.
bool filesHaveHugePages() {
  static const bool have = [] {
    SharedFile file = SharedFile::create(kHugePage);
    std::byte *page = file.isOpen() ? mapAligned(kHugePage, file) : nullptr;
    const bool isHuge = page && fill(page, kHugePage) && collapse(page, kHugePage);
    if (page)
      munmap(page, kHugePage);
    return isHuge;
  }();
  return have;
}

} // namespace

Result<Arena> Arena::create(int64_t bytes, int canary, Seen seen) {
  Arena arena;
  if (bytes <= 0)
    return arena;
  arena.bytes = bytes;
  arena.mapped = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  if (seen == Seen::ByProcessesOfHost && filesHaveHugePages())
    arena.file = SharedFile::create(arena.mapped);
  arena.start = mapAligned(arena.mapped, arena.file);
  if (!arena.start)
    return Status::cannotFit("an arena of " + formatBytes(bytes) +
                             " is not granted: " + std::strerror(errno));
  madvise(arena.start, arena.mapped, MADV_HUGEPAGE); // a wish: small pages are slower, not wrong
  if (!fill(arena.start, arena.mapped))
    return Status::cannotFit("an arena of " + formatBytes(bytes) +
                             " cannot be filled: " + std::strerror(errno));
  if (arena.file.isOpen())
    collapse(arena.start, arena.mapped); // a wish, too
  if (canary >= 0 && canary <= 255)
    std::memset(arena.start, canary, bytes);
  return arena;
}

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  std::swap(mapped, other.mapped);
  std::swap(file, other.file);
  return *this;
}

Arena::~Arena() {
  if (start)
    munmap(start, mapped);
}

} // namespace windlass
