// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/cuda/CudaStream.h"
#include <chrono>

namespace windlass {

using cuda::CuResult;
using cuda::Driver;

namespace {

using Clock = std::chrono::steady_clock;

/// How long a stopped stream may take to come to its end.
constexpr std::chrono::seconds kPatience(2);

} // namespace

Result<std::unique_ptr<Stream>> CudaStream::create(std::shared_ptr<cuda::Context> context, int64_t depth) {
  auto made = std::make_unique<CudaStream>(std::move(context));
  WINDLASS_TRY(made->open(depth));
  return std::unique_ptr<Stream>(std::move(made));
}

Status CudaStream::open(int64_t depth) {
  WINDLASS_TRY(context->call<&Driver::createStream>(&stream, cuda::kNonBlockingStream));
  for (int64_t i = 0; i < depth; ++i) {
    cuda::CuEvent event = nullptr;
    WINDLASS_TRY(context->call<&Driver::createEvent>(&event, cuda::kUntimedEvent));
    ring.push_back(event);
  }
  return Status::ok();
}

/// Whether the device has come to the end of the stream, or to its own.
bool CudaStream::drain() const {
  const Clock::time_point began = Clock::now();
  while (context->driver().queryStream(stream) == CuResult::NotReady) {
    if (context->isGivenUp() || (isStopped && Clock::now() - began > kPatience))
      return false;
    cuda::nap(began);
  }
  return true;
}

CudaStream::~CudaStream() {
  if (!stream || !context->enter())
    return;
  if (!drain()) {
    context->giveUp();
    return;
  }
  for (cuda::CuEvent event : ring)
    context->driver().destroyEvent(event);
  context->driver().destroyStream(stream);
}

Status CudaStream::mark(uint32_t count) { return context->call<&Driver::record>(eventOf(count), stream); }

Status CudaStream::startAfter(Stream &other, uint32_t count) {
  return context->call<&Driver::waitForEvent>(stream, static_cast<CudaStream &>(other).eventOf(count), 0u);
}

Status CudaStream::finish(uint32_t count) {
  WINDLASS_TRY(context->enter());
  const Clock::time_point began = Clock::now();
  for (;;) {
    const CuResult result = context->driver().queryEvent(eventOf(count));
    WINDLASS_TRY(broken->status()); // behind the query: an end that breaking off brought about is none
    if (result != CuResult::NotReady)
      return context->driver().status(result, cuda::symbolOf<&Driver::queryEvent>());
    if (isStopped)
      return Status::runFailed("the stream was stopped");
    cuda::nap(began);
  }
}

} // namespace windlass
