// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Context.h - one GPU, ready to be used =================================//
//
// Duty: one of the devices that the driver shows, in its primary context, which NVIDIA's libraries use too;
// its facts, and waits for its work. A host thread must enter the context before it calls the driver;
// entering it again costs a comparison. Waits poll the device: a blocking call of the driver would never
// return from a device that hangs.
// Ownership: keeps the context as long as it lives; what was made in the context must be destroyed before.
// Threads: any. Errors: CannotFit for a machine without a GPU, or with a driver too old for the code of
// plans; RunFailed for a device that hangs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DeviceTimeout.h"
#include "runtime/cuda/Driver.h"
#include <atomic>
#include <chrono>
#include <memory>

namespace windlass::cuda {

/// The longest sleep between two polls of the device.
inline constexpr std::chrono::microseconds kLongestNap(100);

struct DeviceFacts {
  std::string name;
  int capability = 0; ///< 90 runs code for "sm_90" and for lower ones
  int multiprocessors = 0;
  int driverRelease = 0; ///< the CUDA release that the driver is for: 12040 is 12.4
};

class Context {
public:
  /// `ordinal`: the number of the device among those that the driver shows.
  static Result<std::shared_ptr<Context>> create(const Driver &driver, int ordinal = 0);
  /// The number of devices that the driver shows.
  int devices() const { return shown; }
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Driver &driver() const { return functions; }
  const DeviceFacts &facts() const { return device; }

  /// Makes this the calling thread's context.
  Status enter() const;
  /// Enters, then calls a function of the driver: context.call<&Driver::free>(address).
  template <auto Call, typename... Arguments> Status call(Arguments... arguments) const {
    WINDLASS_TRY(enter());
    return functions.call<Call>(arguments...);
  }

  /// Sets the most seconds that `await` waits.
  void limitWaits(double seconds) { mostSeconds = seconds; }
  double longestWait() const { return mostSeconds; }
  /// Waits until the device has done all work of a stream. Gives the context up if that takes too long, or if
  /// the driver reports a failure. `longestNap`: between two polls; shorter naps notice the end earlier, and
  /// take more of a core.
  Status await(CuStream stream, std::chrono::microseconds longestNap = kLongestNap);

  /// The failure of the device, if it has failed: libraries report less of it. Gives the context up then,
  /// too.
  Status failure(CuStream stream);

  struct Memory {
    int64_t freeBytes = 0, totalBytes = 0;
  };
  Result<Memory> memory() const;

  /// Marks that the device holds work that may never end. From then on nothing that the work may use is
  /// freed.
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
  uint64_t serial; ///< unique in the process, as addresses of contexts are not
  std::atomic<double> mostSeconds = kDeviceSeconds;
  std::atomic<bool> lost = false;
};

/// Sleeps between two polls of a wait: for a quarter of what the wait has taken so far, so that little time
/// is lost after short waits and little work is done in long ones.
void nap(std::chrono::steady_clock::time_point began, std::chrono::microseconds longest = kLongestNap);

} // namespace windlass::cuda
