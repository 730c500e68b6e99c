// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CpuMemory.h - a device tier in the memory of the host =================//
//
// Duty: the DeviceMemory of the CPU backend: an arena like that of the host tier, and copies that are done
// when they return.
// Threads, errors: as DeviceMemory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/Arena.h"
#include "runtime/tiers/DeviceMemory.h"

namespace windlass {

class CpuMemory final : public DeviceMemory {
public:
  explicit CpuMemory(Arena arena) : arena(std::move(arena)) {}

  std::byte *data() const override { return arena.data(); }
  std::span<const std::byte> hostView() const override { return arena.span(); }
  Result<std::unique_ptr<Stream>> makeStream(int64_t depth) override;
  Status pin(std::span<std::byte> host) override;
  Status upload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) override;
  Status offload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) override;

private:
  Arena arena;
};

} // namespace windlass
