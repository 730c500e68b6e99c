// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/CpuMemory.h"
#include <cstring>

namespace windlass {

Result<std::unique_ptr<Stream>> CpuMemory::makeStream(int64_t) { return std::unique_ptr<Stream>(); }

Status CpuMemory::pin(std::span<std::byte>) { return Status::ok(); }

Status CpuMemory::upload(std::byte *to, const std::byte *from, int64_t bytes, Stream *) {
  std::memcpy(to, from, bytes);
  return Status::ok();
}

Status CpuMemory::offload(std::byte *to, const std::byte *from, int64_t bytes, Stream *) {
  std::memcpy(to, from, bytes);
  return Status::ok();
}

} // namespace windlass
