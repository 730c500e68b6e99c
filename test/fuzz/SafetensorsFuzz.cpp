// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A safetensors file is refused with its name, or every tensor in it can be read.
#include "runtime/base/Safetensors.h"
#include "test/fuzz/MemoryFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  const fuzz::MemoryFile file(data, size);
  Result<SafetensorsReader> reader = SafetensorsReader::open(file.path());
  if (!reader) {
    if (!reader.status().message().starts_with(file.path()))
      std::abort();
    return 0;
  }
  for (const auto &[name, entry] : reader->tensors()) {
    std::vector<std::byte> bytes(static_cast<size_t>(entry.bytes));
    if (!reader->read(entry, 0, bytes))
      std::abort();
  }
  return 0;
}
