// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaMemory.h - the device tier of a rank in the memory of a GPU =======//
//
// Duty: the DeviceMemory of a GPU: one allocation, made before the run, and copies between it and the host.
// A copy without a stream may be of memory that is not pinned, and is complete when it returns.
// Ownership: frees the arena and gives pinned memory free, unless the context was given up.
// Threads: as DeviceMemory. Errors: CannotFit naming what the device has; RunFailed for a copy.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Desk.h"
#include "runtime/tiers/DeviceMemory.h"
#include <vector>

namespace windlass {

class CudaMemory final : public DeviceMemory {
public:
  /// `canary` in 0..255 fills every byte; any other value leaves zeros.
  static Result<std::unique_ptr<DeviceMemory>> create(std::shared_ptr<cuda::Context> context, int64_t bytes,
                                                      int canary);
  explicit CudaMemory(std::shared_ptr<cuda::Context> context) : context(std::move(context)) {}
  ~CudaMemory() override;

  std::byte *data() const override { return reinterpret_cast<std::byte *>(arena); }
  std::span<const std::byte> hostView() const override { return {}; }
  Result<std::unique_ptr<Stream>> makeStream(int64_t depth) override;
  Status pin(std::span<std::byte> host) override;
  Status upload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) override;
  Status offload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) override;

private:
  Status reserve(int64_t bytes, unsigned char fill);

  std::shared_ptr<cuda::Context> context;
  cuda::CuAddress arena = 0;
  std::unique_ptr<cuda::Desk> desk; ///< of copies without a stream
  std::vector<void *> pinned;       ///< where each range begins
};

} // namespace windlass
