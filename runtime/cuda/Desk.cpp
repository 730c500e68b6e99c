// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Desk.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace windlass::cuda {

namespace {

constexpr size_t kPage = 4096;
constexpr CuStream kNullStream = nullptr;

} // namespace

Result<std::unique_ptr<Desk>> Desk::create(std::shared_ptr<Context> context, size_t mostBytes) {
  auto made = std::make_unique<Desk>(std::move(context));
  const size_t size = (std::min(mostBytes, kBytes) + kPage - 1) / kPage * kPage;
  auto *bytes = static_cast<std::byte *>(std::aligned_alloc(kPage, size));
  if (Status status =
          made->context->call<&Driver::registerHost>(static_cast<void *>(bytes), size, kPortableHost);
      !status.isOk()) {
    std::free(bytes);
    return Status::cannotFit(
        formatBytes(static_cast<int64_t>(size)) +
        " of host memory, through which bytes go to the device, cannot be pinned: " + status.message());
  }
  made->pinned = bytes;
  made->size = size;
  return made;
}

Desk::~Desk() {
  if (!pinned || context->isGivenUp() || !context->enter()) // the device may write there yet
    return;
  context->driver().unregisterHost(pinned);
  std::free(pinned);
}

Status Desk::upload(CuAddress to, const std::byte *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += size) {
    const size_t part = std::min(size, bytes - at);
    std::memcpy(pinned, from + at, part);
    WINDLASS_TRY(
        context->call<&Driver::enqueueUpload>(to + at, static_cast<const void *>(pinned), part, kNullStream));
    WINDLASS_TRY(context->await(kNullStream));
  }
  return Status::ok();
}

Status Desk::offload(std::byte *to, CuAddress from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += size) {
    const size_t part = std::min(size, bytes - at);
    WINDLASS_TRY(
        context->call<&Driver::enqueueOffload>(static_cast<void *>(pinned), from + at, part, kNullStream));
    WINDLASS_TRY(context->await(kNullStream));
    std::memcpy(to + at, pinned, part);
  }
  return Status::ok();
}

} // namespace windlass::cuda
