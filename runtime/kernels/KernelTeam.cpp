// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/KernelTeam.h"
#include <algorithm>
#include <ctime>
#include <pthread.h>
#include <system_error>

namespace windlass {

KernelTeam::KernelTeam(int64_t threads) {
  try {
    for (int64_t member = 1; member < threads; ++member)
      helpers.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error &error) {
    start = Status::runFailed(std::string("a thread of a kernel team cannot be started: ") + error.what());
  }
}

KernelTeam::~KernelTeam() {
  {
    std::lock_guard lock(mutex);
    closing = true;
  }
  jobPosted.notify_all();
  for (std::thread &helper : helpers)
    helper.join();
}

void KernelTeam::Job::run(int64_t member) const {
  int64_t from = begin + member * part, to = std::min(end, from + part);
  if (from < to)
    kernel(args, from, to);
}

void KernelTeam::run(KernelFunction kernel, void *const *args, int64_t begin, int64_t end, int64_t grain) {
  int64_t members = static_cast<int64_t>(helpers.size()) + 1;
  int64_t grains = (end - begin + grain - 1) / grain;
  if (members == 1 || grains <= 1)
    return kernel(args, begin, end);
  Job mine{kernel, args, begin, end, (grains + members - 1) / members * grain};
  {
    std::lock_guard lock(mutex);
    job = mine;
    working = members - 1;
    ++posted;
  }
  jobPosted.notify_all();
  mine.run(0);
  std::unique_lock lock(mutex);
  jobDone.wait(lock, [this] { return working == 0; });
}

double KernelTeam::helperSeconds() const {
  double seconds = 0;
  for (const std::thread &helper : helpers) {
    clockid_t clock;
    timespec time{};
    // Only a thread that has ended has no clock, and helpers end with the team.
    if (pthread_getcpuclockid(const_cast<std::thread &>(helper).native_handle(), &clock) == 0 &&
        clock_gettime(clock, &time) == 0)
      seconds += static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  return seconds;
}

void KernelTeam::serve(int64_t member) {
  uint64_t seen = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    jobPosted.wait(lock, [&] { return posted != seen || closing; });
    if (closing)
      return;
    seen = posted;
    Job mine = job;
    lock.unlock();
    mine.run(member);
    lock.lock();
    if (--working == 0)
      jobDone.notify_one();
  }
}

} // namespace windlass
