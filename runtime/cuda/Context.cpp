// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Context.h"
#include <algorithm>
#include <array>
#include <sys/prctl.h>
#include <thread>

namespace windlass::cuda {

namespace {

/// The first release whose drivers read PTX of version 8.0, which plans are written in.
constexpr int kOldestRelease = 12000;

std::atomic<uint64_t> contextsMade = 0;
/// The context that this thread has entered.
thread_local uint64_t entered = 0;

} // namespace

Context::Context(const Driver &driver) : functions(driver), serial(++contextsMade) {}

Result<std::shared_ptr<Context>> Context::create(const Driver &driver, int ordinal) {
  std::shared_ptr<Context> made(new Context(driver));
  WINDLASS_TRY(made->open(ordinal));
  WINDLASS_TRY(made->describe());
  return made;
}

Status Context::open(int ordinal) {
  int release = 0;
  if (Status status = functions.call<&Driver::init>(0u); !status.isOk())
    return needs("an NVIDIA GPU, and the driver shows none: " + status.message());
  WINDLASS_TRY(functions.call<&Driver::driverVersion>(&release));
  if (release < kOldestRelease)
    return needs("a driver for CUDA " + releaseText(kOldestRelease) + " or later; this one is for CUDA " +
                 releaseText(release));
  WINDLASS_TRY(functions.call<&Driver::deviceCount>(&shown));
  if (shown == 0)
    return needs("an NVIDIA GPU, and the driver shows none");
  if (ordinal >= shown)
    return needs("GPU " + std::to_string(ordinal) + ", and the driver shows " + std::to_string(shown));
  device.driverRelease = release;
  WINDLASS_TRY(functions.call<&Driver::device>(&number, ordinal));
  if (Status status = functions.call<&Driver::retainContext>(&context, number); !status.isOk())
    return needs("a GPU that is free to use: " + status.message());
  return Status::ok();
}

Status Context::describe() {
  std::array<char, 256> name{};
  WINDLASS_TRY(functions.call<&Driver::deviceName>(name.data(), static_cast<int>(name.size() - 1), number));
  int major = 0, minor = 0;
  WINDLASS_TRY(functions.call<&Driver::deviceAttribute>(&major, kCapabilityMajor, number));
  WINDLASS_TRY(functions.call<&Driver::deviceAttribute>(&minor, kCapabilityMinor, number));
  WINDLASS_TRY(functions.call<&Driver::deviceAttribute>(&device.multiprocessors, kMultiprocessors, number));
  device.name = name.data();
  device.capability = 10 * major + minor;
  return Status::ok();
}

Context::~Context() {
  if (context && !lost)
    functions.releaseContext(number);
}

Status Context::enter() const {
  if (entered == serial)
    return Status::ok();
  WINDLASS_TRY(functions.call<&Driver::setContext>(context));
  entered = serial;
  return Status::ok();
}

Status Context::failure(CuStream stream) {
  WINDLASS_TRY(enter());
  const CuResult result = functions.queryStream(stream);
  return result == CuResult::Success || result == CuResult::NotReady ? Status::ok() : failedAt(result);
}

/// Gives the context up: the state of a device that has failed is not known.
Status Context::failedAt(CuResult result) {
  giveUp();
  return functions.status(result, symbolOf<&Driver::queryStream>());
}

Status Context::await(CuStream stream, std::chrono::microseconds longestNap) {
  WINDLASS_TRY(enter());
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    const CuResult result = functions.queryStream(stream);
    if (result == CuResult::Success)
      return Status::ok();
    if (result != CuResult::NotReady)
      return failedAt(result);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > mostSeconds) {
      giveUp();
      return deviceHangs(mostSeconds);
    }
    nap(began, longestNap);
  }
}

void nap(std::chrono::steady_clock::time_point began, std::chrono::microseconds longest) {
  using std::chrono::microseconds;
  // Without this the system adds up to 50 us to each sleep, which is as long as several kernels.
  [[maybe_unused]] thread_local const int prompt = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const auto waited = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - began);
  std::this_thread::sleep_for(std::clamp(waited / 4, std::min(microseconds(5), longest), longest));
}

Result<Context::Memory> Context::memory() const {
  size_t free = 0, total = 0;
  WINDLASS_TRY(call<&Driver::memoryInfo>(&free, &total));
  return Memory{static_cast<int64_t>(free), static_cast<int64_t>(total)};
}

} // namespace windlass::cuda
