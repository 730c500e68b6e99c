// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Context.h - one GPU, ready to be used ==============================//
//
// Duty: one of the devices that the driver shows, in its primary context, which NVIDIA's libraries use too,
// and what is asked of a device before anything runs there. A host thread must enter the context before it
// calls the driver; doing so again costs a comparison. Whoever waits for a device asks it again and again: a
// call of the driver that waits would not come back from one that hangs. Ownership: keeps the context as long
// as it lives; what was made in the context must be gone before. Threads: any. Errors: CannotFit for a
// machine without a GPU, or with a driver too old for the code of plans; RunFailed for a device that hangs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DeviceTimeout.h"
#include "runtime/cuda/Driver.h"
#include <atomic>
#include <chrono>
#include <memory>

namespace windlass::cuda {

/// Between two questions, where nobody says another.
inline constexpr std::chrono::microseconds kLongestNap(100);

struct DeviceFacts {
  std::string name;
  int capability = 0; ///< 90 runs code for "sm_90" and for lower ones
  int multiprocessors = 0;
  int driverRelease = 0; ///< the CUDA release that the driver is for: 12040 is 12.4
};

class Context {
public:
  /// `ordinal`: which of the devices that the driver shows.
  static Result<std::shared_ptr<Context>> create(const Driver &driver, int ordinal = 0);
  /// How many the driver shows.
  int devices() const { return shown; }
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Driver &driver() const { return functions; }
  const DeviceFacts &facts() const { return device; }

  /// Makes the context that of the calling thread.
  Status enter() const;
  /// Enters, then calls a function of the driver: context.call<&Driver::free>(address).
  template <auto Call, typename... Arguments> Status call(Arguments... arguments) const {
    WINDLASS_TRY(enter());
    return functions.call<Call>(arguments...);
  }

  /// The most that `await` waits.
  void limitWaits(double seconds) { mostSeconds = seconds; }
  double longestWait() const { return mostSeconds; }
  /// Until the device has come to the end of a stream. One that does not, or does not say, is given up.
  /// `longestNap`: between two questions; with a short one the wait is known closely, and takes more of a
  /// core.
  Status await(CuStream stream, std::chrono::microseconds longestNap = kLongestNap);

  /// What the device has failed at, if it has: libraries that are told of it say less. Given up then, too.
  Status failure(CuStream stream);

  struct Memory {
    int64_t freeBytes = 0, totalBytes = 0;
  };
  Result<Memory> memory() const;

  /// Says that the device holds work that nobody can wait for: nothing that it may touch is freed any more.
  void giveUp() { lost = true; }
  bool isGivenUp() const { return lost; }

private:
  Status failedAt(CuResult result);
  explicit Context(const Driver &driver);
  Status open(int ordinal);
  Status describe();

  Driver functions;
  CuDevice number = 0;
  int shown = 0;
  CuContext context = nullptr;
  DeviceFacts device;
  uint64_t serial; ///< of all contexts of the process: addresses of contexts may come again
  std::atomic<double> mostSeconds = kDeviceSeconds;
  std::atomic<bool> lost = false;
};

/// Between two questions: a quarter of what the wait has taken already, so that little is lost and a long
/// wait costs little.
void nap(std::chrono::steady_clock::time_point began, std::chrono::microseconds longest = kLongestNap);

} // namespace windlass::cuda
