// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryFile.h - a file in memory =======================================//
//
// Duty: gives the bytes of a fuzzer to readers that take a path, through memfd.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace windlass::fuzz {

class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size) : descriptor(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor < 0 || ::write(descriptor, data, size) != static_cast<ssize_t>(size))
      std::abort();
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() { ::close(descriptor); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  int descriptor;
};

} // namespace windlass::fuzz
