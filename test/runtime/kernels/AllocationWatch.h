//===- AllocationWatch.h - who asks for memory while we look ==============//
//
// Duty: counts every heap request of the process (malloc and its relatives,
// operator new with them) between start and stop. Link AllocationWatch.cpp.
// Under a sanitizer, which owns malloc, `kWatching` is false and counts stay 0.
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
  int64_t count = 0;
  size_t largest = 0;
};

void startWatch();
Allocations stopWatch();

} // namespace windlass::test
