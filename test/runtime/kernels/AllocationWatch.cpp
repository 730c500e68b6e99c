// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/kernels/AllocationWatch.h"
#include "runtime/kernels/InstructionSet.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> watching = false;
std::atomic<int64_t> count = 0, ours = 0, mappings = 0, kept = 0, most = 0;
std::atomic<size_t> largest = 0;

/// The addresses of a library's code.
struct Code {
  uintptr_t begin = 0, end = 0;
};
std::array<Code, 8> libraries;
size_t libraryCount = 0;

int addCode(dl_phdr_info *object, size_t, void *) {
  if (!std::strstr(object->dlpi_name, "libdnnl") && !std::strstr(object->dlpi_name, "libgomp"))
    return 0;
  for (int i = 0; i < object->dlpi_phnum && libraryCount < libraries.size(); ++i)
    if (const ElfW(Phdr) &part = object->dlpi_phdr[i]; part.p_type == PT_LOAD && (part.p_flags & PF_X)) {
      const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
      libraries[libraryCount++] = {begin, begin + part.p_memsz};
    }
  return 0;
}

bool isLibrary(const void *caller) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(caller);
  for (size_t i = 0; i < libraryCount; ++i)
    if (at >= libraries[i].begin && at < libraries[i].end)
      return true;
  return false;
}

[[maybe_unused]] void *noted(void *memory, size_t bytes, const void *caller) {
  if (!watching.load(std::memory_order_relaxed))
    return memory;
  ++count;
  ours += !isLibrary(caller);
  const int64_t bytesNow = kept += static_cast<int64_t>(malloc_usable_size(memory));
  for (int64_t seen = most; bytesNow > seen && !most.compare_exchange_weak(seen, bytesNow);)
    ;
  for (size_t seen = largest; bytes > seen && !largest.compare_exchange_weak(seen, bytes);)
    ;
  return memory;
}

[[maybe_unused]] void noteReturn(void *memory) {
  if (watching.load(std::memory_order_relaxed))
    kept -= static_cast<int64_t>(malloc_usable_size(memory));
}

} // namespace

namespace windlass::test {

void startWatch() {
  libraryCount = 0;
  dl_iterate_phdr(addCode, nullptr);
  count = ours = mappings = kept = most = 0;
  largest = 0;
  watching = true;
}

size_t libraryRequestLimit() { return libraryInstructionSet().starts_with("avx512") ? 1 << 10 : 17 << 10; }

Allocations seenSoFar() { return {count, ours, mappings, largest, kept, most}; }

Allocations stopWatch() {
  watching = false;
  return seenSoFar();
}

} // namespace windlass::test

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#define CALLER __builtin_return_address(0)

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t bytes) { return noted(__libc_malloc(bytes), bytes, CALLER); }
void *calloc(size_t n, size_t bytes) { return noted(__libc_calloc(n, bytes), n * bytes, CALLER); }
void *realloc(void *old, size_t bytes) {
  noteReturn(old);
  return noted(__libc_realloc(old, bytes), bytes, CALLER);
}
void *memalign(size_t alignment, size_t bytes) {
  return noted(__libc_memalign(alignment, bytes), bytes, CALLER);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return noted(__libc_memalign(alignment, bytes), bytes, CALLER);
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = noted(__libc_memalign(alignment, bytes), bytes, CALLER);
  return *out ? 0 : ENOMEM;
}
void free(void *memory) {
  noteReturn(memory);
  __libc_free(memory);
}

void *mmap(void *wanted, size_t bytes, int protection, int flags, int file, off_t at) {
  mappings += watching.load(std::memory_order_relaxed);
  return reinterpret_cast<void *>(syscall(SYS_mmap, wanted, bytes, protection, flags, file, at));
}
void *mmap64(void *wanted, size_t bytes, int protection, int flags, int file, off_t at) {
  return mmap(wanted, bytes, protection, flags, file, at);
}
}

// The operators call malloc themselves, so that CALLER is their caller and not the standard library.
void *operator new(size_t bytes) {
  if (void *memory = noted(__libc_malloc(bytes), bytes, CALLER))
    return memory;
  throw std::bad_alloc();
}
void *operator new[](size_t bytes) {
  if (void *memory = noted(__libc_malloc(bytes), bytes, CALLER))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }

#endif
