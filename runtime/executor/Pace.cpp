// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Pace.h"
#include <algorithm>

namespace windlass {

void Pace::setLink(plan::Lane lane, double bytesPerSecond, double latencySeconds) {
  links[static_cast<size_t>(lane)] = {bytesPerSecond, latencySeconds, {}};
}

Pace::Link &Pace::linkOf(plan::Lane lane) {
  Link &own = links[static_cast<size_t>(lane)];
  return lane == plan::Lane::Nodes && own.bytesPerSecond <= 0 ? links[static_cast<size_t>(plan::Lane::Gg)]
                                                              : own;
}

Pace::Clock::time_point Pace::book(plan::Lane lane, int64_t bytes) {
  Clock::time_point now = Clock::now();
  Link &link = linkOf(lane);
  if (link.bytesPerSecond <= 0)
    return now;
  auto seconds = [](double s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  };
  std::lock_guard lock(mutex);
  link.free = std::max(now, link.free) + seconds(static_cast<double>(bytes) / link.bytesPerSecond);
  return link.free + seconds(link.latencySeconds);
}

} // namespace windlass
