// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaStream.h - one lane's queue on a GPU ==============================//
//
// Duty: the Stream of a GPU: a non-blocking stream of the driver, and a ring of events for its marks.
// `finish` polls the event, with naps that grow with the wait: a blocking call of the driver would never
// return from a device that hangs.
// Ownership: keeps the context. If the device does not complete the work of a stopped stream, the stream is
// not destroyed, nor is anything that the work may use (Context::giveUp).
// Threads, errors: as Stream.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Context.h"
#include "runtime/tiers/Stream.h"
#include <mutex>
#include <vector>

namespace windlass {

/// The reason why the results of a stream are not valid, although the stream may end: a library has aborted
/// work on it. With a reason every `finish` fails. The first reason is kept. Any thread.
class StreamBreak {
public:
  void breakOff(const Status &why) {
    const std::scoped_lock lock(mutex);
    if (reason.isOk())
      reason = why;
  }
  Status status() const {
    const std::scoped_lock lock(mutex);
    return reason;
  }

private:
  mutable std::mutex mutex;
  Status reason; ///< ok: none
};

class CudaStream final : public Stream {
public:
  static Result<std::unique_ptr<Stream>> create(std::shared_ptr<cuda::Context> context, int64_t depth);
  explicit CudaStream(std::shared_ptr<cuda::Context> context) : context(std::move(context)) {}
  ~CudaStream() override;

  Status mark(uint32_t count) override;
  Status startAfter(Stream &other, uint32_t count) override;
  Status finish(uint32_t count) override;
  void stop() override { isStopped = true; }
  /// Shared, since a holder may outlive the stream.
  const std::shared_ptr<StreamBreak> &breaking() const { return broken; }

  cuda::CuStream handle() const { return stream; }

private:
  cuda::CuEvent eventOf(uint32_t count) const { return ring[count % ring.size()]; }
  Status open(int64_t depth);
  bool drain() const;

  std::shared_ptr<cuda::Context> context;
  cuda::CuStream stream = nullptr;
  std::vector<cuda::CuEvent> ring; ///< as many as marks that are not finished
  std::atomic<bool> isStopped = false;
  std::shared_ptr<StreamBreak> broken = std::make_shared<StreamBreak>();
};

} // namespace windlass
