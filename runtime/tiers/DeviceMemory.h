// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceMemory.h - the device tier of one rank ==========================//
//
// Duty: the arena of the device tier, the copies between it and host memory, and the streams of its lanes.
// Addresses of the arena are computed by anyone and followed by nobody but the backend that made it: the host
// may be unable to read them.
// Ownership: owns the arena. Outlives its streams, and is outlived by memory that was pinned.
// Threads: copies on different streams at once; those without a stream while no lane runs.
// Errors: RunFailed for a copy; CannotFit where streams or pinned memory are not granted.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/Stream.h"
#include <cstddef>
#include <memory>
#include <span>

namespace windlass {

class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// The device's address of the first byte; on a border of 64 bytes at least.
  virtual std::byte *data() const = 0;
  /// All bytes, where the host can read them; else empty.
  virtual std::span<const std::byte> hostView() const = 0;

  /// A queue in which `depth` instructions may be unfinished; null where calls are done when they return.
  virtual Result<std::unique_ptr<Stream>> makeStream(int64_t depth) = 0;
  /// Prepares host memory that copies will read and write. Once, before the first copy.
  virtual Status pin(std::span<std::byte> host) = 0;

  /// Host to device, device to host: enqueued on `stream`, or done on return where it is null.
  virtual Status upload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) = 0;
  virtual Status offload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) = 0;
};

} // namespace windlass
