// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/cuda/CudaMemory.h"
#include "runtime/base/Units.h"
#include "runtime/tiers/cuda/CudaStream.h"

namespace windlass {

using cuda::addressOf;
using cuda::CuResult;
using cuda::CuStream;
using cuda::Driver;

namespace {

CuStream handleOf(Stream *stream) { return static_cast<CudaStream *>(stream)->handle(); }

/// Work that was enqueued on no stream stands on the null stream.
constexpr CuStream kNullStream = nullptr;

} // namespace

Result<std::unique_ptr<DeviceMemory>> CudaMemory::create(std::shared_ptr<cuda::Context> context,
                                                         int64_t bytes, int canary) {
  auto made = std::make_unique<CudaMemory>(std::move(context));
  if (bytes > 0)
    WINDLASS_TRY(made->reserve(bytes, static_cast<unsigned char>(canary >= 0 && canary <= 255 ? canary : 0)));
  return std::unique_ptr<DeviceMemory>(std::move(made));
}

Status CudaMemory::reserve(int64_t bytes, unsigned char fill) {
  const Result<cuda::Context::Memory> before = context->memory();
  WINDLASS_TRY(before.status());
  if (Status status = context->call<&Driver::allocate>(&arena, static_cast<size_t>(bytes)); !status.isOk())
    return Status::cannotFit("an arena of " + formatBytes(bytes) + " is not granted: " + status.message() +
                             "; of " + formatBytes(before->totalBytes) + " on the device " +
                             formatBytes(before->freeBytes) + " are free");
  WINDLASS_TRY(context->call<&Driver::enqueueFill>(arena, fill, static_cast<size_t>(bytes), kNullStream));
  WINDLASS_TRY(context->await(kNullStream));
  Result<std::unique_ptr<cuda::Desk>> made = cuda::Desk::create(context, static_cast<size_t>(bytes));
  WINDLASS_TRY(made.status());
  desk = made.take();
  return Status::ok();
}

CudaMemory::~CudaMemory() {
  if (context->isGivenUp() || !context->enter())
    return;
  for (auto range = pinned.rbegin(); range != pinned.rend(); ++range)
    context->driver().unregisterHost(*range);
  if (arena)
    context->driver().free(arena);
}

Result<std::unique_ptr<Stream>> CudaMemory::makeStream(int64_t depth) {
  return CudaStream::create(context, depth);
}

Status CudaMemory::pin(std::span<std::byte> host) {
  if (host.empty())
    return Status::ok();
  if (Status status = context->call<&Driver::registerHost>(static_cast<void *>(host.data()), host.size(),
                                                           cuda::kPortableHost);
      !status.isOk())
    return Status::cannotFit(formatBytes(std::ssize(host)) +
                             " of host memory cannot be pinned: " + status.message());
  pinned.push_back(host.data());
  return Status::ok();
}

Status CudaMemory::upload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) {
  const auto size = static_cast<size_t>(bytes);
  if (size == 0)
    return Status::ok();
  if (stream)
    return context->call<&Driver::enqueueUpload>(addressOf(to), static_cast<const void *>(from), size,
                                                 handleOf(stream));
  return desk->upload(addressOf(to), from, size);
}

Status CudaMemory::offload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) {
  const auto size = static_cast<size_t>(bytes);
  if (size == 0)
    return Status::ok();
  if (stream)
    return context->call<&Driver::enqueueOffload>(static_cast<void *>(to), addressOf(from), size,
                                                  handleOf(stream));
  return desk->offload(to, addressOf(from), size);
}

} // namespace windlass
