// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/training/checkpoint/KillAtCall.h"

#include <csignal>
#include <cstdarg>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

bool isCounting = false;
int64_t calls = 0, last = 0;
std::map<std::string, int64_t> kinds;

void count(const char *kind) {
  if (!isCounting)
    return;
  if (++calls == last)
    kill(getpid(), SIGKILL);
  ++kinds[kind];
}

/// The function of the C library.
template <typename Function> Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// Writes in two halves, as a kill may fall between them.
template <typename Write> ssize_t writeInTwo(const char *kind, const void *bytes, size_t size, Write write) {
  const auto *from = static_cast<const char *>(bytes);
  count(kind);
  if (!isCounting || size < 2)
    return write(from, size, 0);
  const ssize_t first = write(from, size / 2, 0);
  if (first < 0)
    return first;
  count(kind);
  const ssize_t rest = write(from + first, size - static_cast<size_t>(first), static_cast<size_t>(first));
  return rest < 0 ? first : first + rest;
}

} // namespace

namespace windlass::test {

void killAtCall(int64_t instant) {
  calls = 0;
  last = instant;
  kinds.clear();
  isCounting = true;
}

int64_t callsSoFar() { return calls; }
std::map<std::string, int64_t> stopCounting() {
  isCounting = false;
  return kinds;
}

} // namespace windlass::test

extern "C" {

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (flags & (O_CREAT | O_TRUNC))
    count("open");
  return next<int(const char *, int, ...)>("open")(path, flags, mode);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  static auto *write = next<ssize_t(int, const void *, size_t, off_t)>("pwrite");
  return writeInTwo("pwrite", bytes, size, [&](const char *from, size_t count, size_t done) {
    return write(file, from, count, at + static_cast<off_t>(done));
  });
}

ssize_t write(int file, const void *bytes, size_t size) {
  static auto *write = next<ssize_t(int, const void *, size_t)>("write");
  return writeInTwo("write", bytes, size,
                    [&](const char *from, size_t count, size_t) { return write(file, from, count); });
}

int fsync(int file) {
  count("fsync");
  return isCounting ? 0 : next<int(int)>("fsync")(file);
}

int ftruncate(int file, off_t size) noexcept {
  count("ftruncate");
  return next<int(int, off_t)>("ftruncate")(file, size);
}

int posix_fallocate(int file, off_t at, off_t size) {
  count("posix_fallocate");
  return next<int(int, off_t, off_t)>("posix_fallocate")(file, at, size);
}

int rename(const char *from, const char *to) noexcept {
  count("rename");
  return next<int(const char *, const char *)>("rename")(from, to);
}

int mkdir(const char *path, mode_t mode) noexcept {
  count("mkdir");
  return next<int(const char *, mode_t)>("mkdir")(path, mode);
}

int unlinkat(int folder, const char *path, int flags) noexcept {
  count("unlinkat");
  return next<int(int, const char *, int)>("unlinkat")(folder, path, flags);
}

int remove(const char *path) noexcept {
  count("remove");
  return next<int(const char *)>("remove")(path);
}
}
