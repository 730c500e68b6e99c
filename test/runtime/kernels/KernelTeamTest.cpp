// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/KernelTeam.h"
#include <algorithm>
#include <atomic>
#include <ctime>
#include <gtest/gtest.h>

using windlass::KernelTeam;

namespace {

/// args[0]: one counter per index; args[1]: the grain; args[2]: the number of ranges that begin off the
/// grain.
void visit(void *const *args, int64_t begin, int64_t end) {
  auto *visits = static_cast<std::atomic<int> *>(args[0]);
  int64_t grain = *static_cast<int64_t *>(args[1]);
  if ((begin - 3) % grain != 0)
    ++*static_cast<std::atomic<int> *>(args[2]);
  for (int64_t i = begin; i < end; ++i)
    ++visits[i];
}

TEST(KernelTeam, everyIndexRunsOnceAndCutsKeepTheGrain) {
  constexpr int64_t kBegin = 3;
  for (int64_t threads : {1, 2, 3})
    for (int64_t grain : {1, 64})
      for (int64_t length : {1, 63, 64, 65, 200, 640}) {
        KernelTeam team(threads);
        std::vector<std::atomic<int>> visits(kBegin + length);
        std::atomic<int> offGrain = 0;
        void *args[] = {visits.data(), &grain, &offGrain};
        for (int round = 0; round < 20; ++round)
          team.run(visit, args, kBegin, kBegin + length, grain);
        EXPECT_EQ(offGrain, 0);
        for (int64_t i = 0; i < kBegin + length; ++i)
          ASSERT_EQ(visits[i], i < kBegin ? 0 : 20) << "threads " << threads << " length " << length;
      }
}

double ownSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Every index except the first works for 20 ms of processor time.
void workBesideTheCaller(void *const *, int64_t begin, int64_t end) {
  for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i)
    for (const double start = ownSeconds(); ownSeconds() - start < 0.02;)
      continue;
}

TEST(KernelTeam, countsWhatItsHelpersWork) {
  KernelTeam alone(1), three(3);
  alone.run(workBesideTheCaller, nullptr, 0, 3, 1);
  EXPECT_EQ(alone.helperSeconds(), 0);
  const double before = three.helperSeconds(), own = ownSeconds();
  three.run(workBesideTheCaller, nullptr, 0, 3, 1);
  EXPECT_GE(three.helperSeconds() - before, 0.04);
  EXPECT_LT(ownSeconds() - own, 0.02);
}

} // namespace
