// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AllocationWatch.h - who asks for memory while we look ==============//
//
// Duty: counts every heap request of the process (malloc and its relatives,
// operator new with them) and every mapping between start and stop, and tells
// those of the libraries we compute with (oneDNN, OpenMP) from all others.
// Link AllocationWatch.cpp. Under a sanitizer, which owns malloc, `kWatching` is
// false and counts stay 0.
// Threads: any may allocate; one looks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace windlass::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kWatching = false;
#else
inline constexpr bool kWatching = true;
#endif

struct Allocations {
  int64_t count = 0;    ///< heap requests
  int64_t ours = 0;     ///< those among them that no library made
  int64_t mappings = 0; ///< calls of mmap
  size_t largest = 0;   ///< bytes of the largest heap request
  int64_t kept = 0;     ///< bytes taken and not given back
  int64_t most = 0;     ///< the most that were taken at once
};

/// Bytes that no request of oneDNN in a matmul reaches: it describes memory, and its products for AVX2 pack a
/// tile of 16 KiB on the heap, whatever scratchpad they are given.
size_t libraryRequestLimit();

void startWatch();
/// What was seen since the start, while the watch goes on.
Allocations seenSoFar();
Allocations stopWatch();

} // namespace windlass::test
