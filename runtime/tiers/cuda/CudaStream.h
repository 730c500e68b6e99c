// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaStream.h - one lane's queue on a GPU ===========================//
//
// Duty: the Stream of a GPU: a stream of the driver, which waits for no other unasked, and a ring of events
// for its marks. `finish` asks again and again, with naps that grow with what it waits for: a call of the
// driver that waits would not come back from a device that hangs.
// Ownership: keeps the context. A stopped stream whose device does not come to an end is left behind, and
// with it whatever it may touch (Context::giveUp).
// Threads, errors: as Stream.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Context.h"
#include "runtime/tiers/Stream.h"
#include <mutex>
#include <vector>

namespace windlass {

/// What says that a stream may come to its end without having done what stands in it: every `finish` fails
/// from then on, for the first reason that was given. Any thread.
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
  Status reason; ///< ok: it goes on
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
  /// Outlives the stream where somebody keeps it.
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
