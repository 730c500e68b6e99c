// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arena.h - the memory of one tier of one rank ==========================//
//
// Duty: one mapping that holds every buffer of a tier, made before the run and
// never grown. Begins on a 2 MiB border and asks for huge pages (direct reads
// into huge pages are three times faster than into small ones). Other processes of
// the host may see it in place, where that is wanted and files have huge pages, too.
// Ownership: unmaps itself. Threads: the bytes are shared, the object is not.
// Errors: CannotFit when the system does not grant the bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/SharedMemory.h"
#include "runtime/base/Status.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace windlass {

class Arena {
public:
  /// Who else may see the bytes, if the system lets it.
  enum class Seen { ByNobody, ByProcessesOfHost };
  /// `canary` in 0..255 fills every byte; any other value leaves zeros.
  static Result<Arena> create(int64_t bytes, int canary = -1, Seen seen = Seen::ByNobody);

  Arena() = default;
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  std::byte *data() const { return start; }
  int64_t size() const { return bytes; }
  std::span<std::byte> span() const { return {start, static_cast<size_t>(bytes)}; }

private:
  std::byte *start = nullptr;
  int64_t bytes = 0;
  int64_t mapped = 0;
  SharedFile file; ///< that others see, if any may
};

} // namespace windlass
