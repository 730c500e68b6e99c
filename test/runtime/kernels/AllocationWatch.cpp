#include "test/runtime/kernels/AllocationWatch.h"
#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

std::atomic<bool> watching = false;
std::atomic<int64_t> count = 0;
std::atomic<size_t> largest = 0;

[[maybe_unused]] void note(size_t bytes) {
  if (!watching.load(std::memory_order_relaxed))
    return;
  ++count;
  for (size_t seen = largest; bytes > seen && !largest.compare_exchange_weak(seen, bytes);)
    ;
}

} // namespace

namespace windlass::test {

void startWatch() {
  count = 0;
  largest = 0;
  watching = true;
}

Allocations stopWatch() {
  watching = false;
  return {count, largest};
}

} // namespace windlass::test

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
  note(bytes);
  return __libc_malloc(bytes);
}
void *calloc(size_t n, size_t bytes) {
  note(n * bytes);
  return __libc_calloc(n, bytes);
}
void *realloc(void *old, size_t bytes) {
  note(bytes);
  return __libc_realloc(old, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  note(bytes);
  *out = __libc_memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}
}
#endif
