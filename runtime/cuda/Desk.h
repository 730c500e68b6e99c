// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Desk.h - copies that a host waits for =================================//
//
// Duty: copies between a device and host memory that need not be pinned. Bytes go part by part through a
// pinned buffer; a copy is complete when it returns. The driver's own blocking copies would never return from
// a device that hangs.
// Ownership: keeps the context, and frees the pinned buffer, unless the context was given up. Threads: one at
// a time; on the device's null stream. Errors: CannotFit for memory that cannot be pinned; for copies, as
// Context::await.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Context.h"
#include <cstddef>

namespace windlass::cuda {

class Desk {
public:
  static constexpr size_t kBytes = 4 << 20;

  /// `mostBytes`: the largest copy; the pinned buffer has no more bytes than that, or kBytes.
  static Result<std::unique_ptr<Desk>> create(std::shared_ptr<Context> context, size_t mostBytes = kBytes);
  explicit Desk(std::shared_ptr<Context> context) : context(std::move(context)) {}
  ~Desk();
  Desk(const Desk &) = delete;

  Status upload(CuAddress to, const std::byte *from, size_t bytes);
  Status offload(std::byte *to, CuAddress from, size_t bytes);

private:
  std::shared_ptr<Context> context;
  std::byte *pinned = nullptr;
  size_t size = 0;
};

} // namespace windlass::cuda
