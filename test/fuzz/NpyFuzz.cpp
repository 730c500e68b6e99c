// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A .npy header is refused with its file's name, or describes an array.
#include "runtime/base/NpyHeader.h"
#include "test/fuzz/MemoryFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  const fuzz::MemoryFile memory(data, size);
  Result<File> file = File::openForReading(memory.path());
  if (!file)
    std::abort();
  Result<NpyHeader> header = readNpyHeader(*file);
  if (!header && !header.status().message().starts_with(memory.path()))
    std::abort();
  if (header && header->dataBegin > static_cast<int64_t>(size))
    std::abort();
  return 0;
}
