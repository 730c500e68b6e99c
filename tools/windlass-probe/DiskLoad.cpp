// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/DiskLoad.h"

#include <chrono>

namespace windlass {

Result<double> DiskLoad::rate(std::initializer_list<NvmeQueue *> queues, int64_t blockBytes) {
  using Clock = std::chrono::steady_clock;
  const int64_t blocks = fileBytes / blockBytes, width = static_cast<int64_t>(queues.size());
  const Clock::time_point start = Clock::now();
  auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  int64_t sent = 0, back = 0; // requests, by each queue
  auto isOver = [&] { return sent >= blocks && passed() >= seconds; };
  while (!isOver() || back < sent) {
    for (; sent - back < inFlight && !isOver(); ++sent) {
      int64_t slot = sent % inFlight * width;
      for (NvmeQueue *queue : queues)
        WINDLASS_TRY(
            queue->submit({memory.data() + slot++ * blockBytes, sent % blocks * blockBytes, blockBytes}));
    }
    for (NvmeQueue *queue : queues)
      WINDLASS_TRY(queue->reap());
    ++back;
  }
  done += back * width;
  return static_cast<double>(back * width * blockBytes) / passed();
}

} // namespace windlass
