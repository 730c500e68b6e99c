// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/DiskRates.h"

#include <algorithm>

namespace windlass {

DiskCost splitRequests(const MeasuredDisk &disk) {
  constexpr double kMostShare = 0.9;
  const double large = static_cast<double>(disk.largeBytes), small = static_cast<double>(disk.smallBytes),
               reading = large / disk.large.read, writing = large / disk.large.write,
               readingSmall = small / disk.smallRead;
  const double request = std::clamp((readingSmall * large - reading * small) / (large - small), 0.0,
                                    kMostShare * std::min(reading, writing));
  DiskCost cost{{large / (reading - request), large / (writing - request)}, request};
  // Seconds that a byte takes each way, one after the other.
  const double apart = 1 / cost.rates.read + 1 / cost.rates.write,
               measuredApart = 1 / disk.large.read + 1 / disk.large.write;
  cost.rates.both = disk.large.both * measuredApart / apart;
  return cost;
}

} // namespace windlass
