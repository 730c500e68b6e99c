// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Desk.h - copies that a host waits for ==============================//
//
// Duty: copies between a device and memory of the host that need not be pinned, by way of bytes that are, a
// part at a time, and complete when they return. The driver's own such copies would not come back from a
// device that hangs. Ownership: keeps the context, and frees what is pinned, unless the context was given up.
// Threads: one at a time; on the device's null stream. Errors: CannotFit for memory that cannot be pinned, as
// Context::await for copies.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Context.h"
#include <cstddef>

namespace windlass::cuda {

class Desk {
public:
  static constexpr size_t kBytes = 4 << 20;

  /// No larger than copies are: `mostBytes`.
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
