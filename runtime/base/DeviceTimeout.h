// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceTimeout.h - how long a device may take ==========================//
//
// Duty: the seconds that a device may take for one thing that it was given, where nobody says another number,
// and what is said of one that takes longer. Threads: pure functions. Errors: RunFailed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/base/Units.h"

namespace windlass {

inline constexpr double kDeviceSeconds = 600;

inline Status deviceHangs(double seconds) {
  return Status::runFailed("the device has not come to its end in " + formatSeconds(seconds) +
                           " (--device-timeout)");
}

} // namespace windlass
