// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AllocationWatch.h - counts heap requests and mappings =================//
//
// Duty: counts every heap request of the process (malloc and its relatives, operator new) and every mapping
// between start and stop. Tells requests of the libraries that compute (oneDNN, OpenMP) from all others. A
// test links AllocationWatch.cpp. Under a sanitizer, which replaces malloc, `kWatching` is false and counts
// stay 0.
// Threads: any may allocate; one starts, reads and stops the watch.
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
  int64_t ours = 0;     ///< heap requests from outside of these libraries
  int64_t mappings = 0; ///< calls of mmap
  size_t largest = 0;   ///< bytes of the largest heap request
  int64_t kept = 0;     ///< bytes requested less bytes freed since the start
  int64_t most = 0;     ///< the largest `kept` so far
};

/// An upper bound, in bytes, of each heap request of oneDNN in a matmul. oneDNN allocates descriptions of
/// memory, and its products for AVX2 pack a tile of 16 KiB on the heap, even with a scratchpad.
size_t libraryRequestLimit();

void startWatch();
/// The counts since the start, while the watch goes on.
Allocations seenSoFar();
Allocations stopWatch();

} // namespace windlass::test
