// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines without a disk, or without spare host memory. Models that fit the remaining tiers compile and give
// the same bits. The refusal of others names the tier.
#include "runtime/plan/Layout.h"
#include "runtime/plan/text/ReasonText.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;
using plan::Tier;

namespace {

/// The states take 1 MiB on each rank, and work on the device takes half as much again.
Job jobOn(const std::string &device, const std::string &host) {
  Job job = tinyGpt2(2, 2);
  job.hardware["device"]["capacity"] = device;
  job.hardware["host"]["capacity"] = host;
  job.hardware.erase("nvme");
  return job;
}

std::set<Tier> homes(const plan::Plan &plan) {
  std::set<Tier> tiers;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.persistent && buffer.cls != plan::BufferClass::Workspace)
      tiers.insert(buffer.tier);
  return tiers;
}

int64_t arenaBytes(const plan::Plan &plan, Tier tier) {
  const plan::Arena *arena = plan::arenaOf(plan.programs[0], tier);
  return arena ? arena->bytes : 0;
}

TEST(MachineWithoutADisk, keepsItsStatesOnDeviceAndHost) {
  std::unique_ptr<Compiled> roomy = compileJob(tinyGpt2(2, 2));
  std::unique_ptr<Compiled> split = compileJob(jobOn("1400KiB", "64MiB"));
  ASSERT_TRUE(roomy && split);
  EXPECT_EQ(homes(roomy->plan), std::set<Tier>{Tier::Device});
  EXPECT_TRUE(homes(split->plan).contains(Tier::Host));
  EXPECT_FALSE(homes(split->plan).contains(Tier::Nvme));
  EXPECT_EQ(arenaBytes(split->plan, Tier::Nvme), 0);
  for (const plan::Reason &reason : split->plan.reasons)
    EXPECT_EQ(plan::reasonText(reason).find("nvme"), std::string::npos) << plan::reasonText(reason);
  expectSameBits(train(*roomy), train(*split));
}

/// Staging buffers share a pool above the homes on the host. Only the pool is pinned.
TEST(PinnedPool, holdsNothingThatRests) {
  std::unique_ptr<Compiled> compiled = compileJob(tinyGpt2(2, 2).with(
      {{"zero_stage", 3}, {"placement", {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}}}}));
  ASSERT_TRUE(compiled);
  const plan::ByteSpan pool = plan::pinnedPool(compiled->plan.programs[0]);
  int64_t resting = 0, staged = 0;
  for (const plan::Buffer &buffer : compiled->plan.programs[0].buffers) {
    if (buffer.tier != Tier::Host)
      continue;
    if (buffer.persistent)
      EXPECT_LE(buffer.offset + buffer.bytes, pool.begin) << buffer.name;
    (buffer.persistent ? resting : staged) += buffer.bytes;
  }
  EXPECT_GT(resting, 0);
  EXPECT_GT(pool.bytes(), 0);
  EXPECT_LE(pool.bytes(), arenaBytes(compiled->plan, Tier::Host) - resting);
  EXPECT_GT(staged, pool.bytes()) << "nothing takes turns";
  train(*compiled);
}

/// Without a disk the pool is empty.
TEST(PinnedPool, isEmptyWithoutADisk) {
  std::unique_ptr<Compiled> compiled = compileJob(jobOn("1400KiB", "64MiB"));
  ASSERT_TRUE(compiled);
  EXPECT_EQ(plan::pinnedPool(compiled->plan.programs[0]).bytes(), 0);
}

TEST(MachineWithoutADisk, isRefusedByTheTierThatIsShort) {
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(jobOn("1400KiB", "64KiB"), folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::CannotFit) << plan.status().message();
  EXPECT_NE(plan.status().message().find("host.capacity "), std::string::npos) << plan.status().message();
  EXPECT_EQ(plan.status().message().find("nvme"), std::string::npos) << plan.status().message();
}

TEST(MachineWithoutADisk, cannotBeAskedToUseIt) {
  TemporaryFolder folder;
  Job job = jobOn("64MiB", "64MiB").with({{"placement", {{"moments", "nvme"}}}});
  Result<plan::Plan> plan = tryCompile(job, folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::CannotFit) << plan.status().message();
  EXPECT_NE(plan.status().message().find("placement.moments asks for tier \"nvme\""), std::string::npos)
      << plan.status().message();
}

/// Batches and reports pass through the host, so that a machine always needs some host memory. Without other
/// bytes there, states stay on the device.
TEST(MachineWithoutSpareHost, keepsItsStatesOnTheDevice) {
  std::unique_ptr<Compiled> roomy = compileJob(jobOn("64MiB", "64MiB"));
  ASSERT_TRUE(roomy);
  const int64_t needed = arenaBytes(roomy->plan, Tier::Host);
  ASSERT_GT(needed, 0);
  std::unique_ptr<Compiled> bare = compileJob(jobOn("64MiB", std::to_string(2 * needed)));
  ASSERT_TRUE(bare);
  EXPECT_EQ(homes(bare->plan), std::set<Tier>{Tier::Device});
  TemporaryFolder folder;
  Result<plan::Plan> less = tryCompile(jobOn("64MiB", std::to_string(2 * needed - 8192)), folder);
  ASSERT_FALSE(less);
  EXPECT_EQ(less.status().code(), ExitCode::CannotFit) << less.status().message();
  EXPECT_NE(less.status().message().find("host"), std::string::npos) << less.status().message();
}

/// Every rank has the whole sum, and stores its own part of each unit. These parts may share blocks of a
/// disk.
TEST(ReducedToAll, givesTheSameBitsWhereverGradientsRest) {
  for (int64_t microBatches : {1, 2}) {
    const Job job = tinyGpt2(2, microBatches);
    std::unique_ptr<Compiled> plain = compileJob(job);
    ASSERT_TRUE(plain);
    const Outcome expected = train(*plain);
    for (const char *tier : {"device", "host", "nvme"})
      for (const char *order : {"horizontal", "vertical"}) {
        SCOPED_TRACE(std::string(tier) + ", " + order);
        std::unique_ptr<Compiled> compiled = compileJob(job.with({{"zero_stage", 1},
                                                                  {"reduce", "all"},
                                                                  {"micro_batch_order", order},
                                                                  {"placement", {{"grad", tier}}}}));
        ASSERT_TRUE(compiled);
        expectSameBits(expected, train(*compiled));
      }
  }
}

/// The planner chooses the homes, for machines that hold nothing to machines that hold everything.
TEST(ReducedToAll, fitsOrIsRefused) {
  std::set<Tier> gradients;
  for (const char *device : {"500KiB", "900KiB", "1300KiB", "2MiB"}) {
    SCOPED_TRACE(device);
    TemporaryFolder folder;
    Job job = tinyGpt2(2, 2).with({{"zero_stage", 1}, {"reduce", "all"}});
    job.hardware["device"]["capacity"] = device;
    job.hardware["host"]["capacity"] = "1MiB";
    Result<plan::Plan> plan = tryCompile(job, folder);
    EXPECT_TRUE(plan || plan.status().code() == ExitCode::CannotFit) << plan.status().message();
    if (plan)
      for (Tier tier : tiersOf(*plan, plan::BufferClass::Gradient))
        gradients.insert(tier);
  }
  EXPECT_FALSE(gradients.empty()) << "nothing fits";
}

} // namespace
