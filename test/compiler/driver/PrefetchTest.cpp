// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefetch credits follow from latencies if no file sets them, and the plan has the reason.
#include "runtime/plan/Reasons.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Parameters are gathered from the disks of two ranks. Every collective has this latency, whatever its size.
Job withLatency(const std::string &latency, const json &patch = json::object()) {
  Job job = tinyGpt2(2, 2).with({{"zero_stage", 3},
                                 {"recompute", "none"},
                                 {"persistence", 0},
                                 {"micro_batch_order", "horizontal"},
                                 {"placement", {{"param", "nvme"}, {"grad", "host"}, {"moments", "nvme"}}}});
  job.hardware["links"]["gg"]["latency"] = latency;
  return job.with(patch);
}

json creditsOf(const plan::Plan &plan) { return json::parse(plan.strategy)["prefetch"]; }

} // namespace

TEST(Prefetch, quotesTheLatencyThatDecides) {
  std::unique_ptr<Compiled> sized = compileJob(withLatency("70us"));
  ASSERT_TRUE(sized);
  for (const auto &[link, latency] : {std::pair("nc", "nvme.latency"), std::pair("cg", "links.cg.latency"),
                                      std::pair("gg", "links.gg.latency")}) {
    const plan::Reason &why = whyOf(sized->plan, std::string("prefetch.") + link);
    EXPECT_EQ(why.taken, creditsOf(sized->plan)[link].dump());
    EXPECT_EQ(why.window.latency.key, latency);
    EXPECT_GE(why.window.ahead * (1 + 1e-9), why.window.seconds) << "it ends before its user begins";
  }
  EXPECT_DOUBLE_EQ(whyOf(sized->plan, "prefetch.gg").window.latency.seconds, 70e-6);
  EXPECT_GT(creditsOf(sized->plan)["nc"].get<int64_t>(), 1)
      << "three hops are meant to take longer than what computes between";
}

/// Credits that are set are taken as they are, and change no number.
TEST(Prefetch, isTakenAsGiven) {
  std::unique_ptr<Compiled> sized = compileJob(withLatency("70us")),
                            pinned = compileJob(withLatency("70us", {{"prefetch", {{"gg", 1}, {"nc", 9}}}}));
  ASSERT_TRUE(sized && pinned);
  EXPECT_EQ(creditsOf(pinned->plan)["gg"], 1);
  EXPECT_EQ(creditsOf(pinned->plan)["nc"], 9);
  EXPECT_EQ(whyOf(pinned->plan, "prefetch.gg"), plan::Reason());
  EXPECT_EQ(whyOf(pinned->plan, "prefetch.cg").basis, plan::Basis::Solved);
  expectSameBits(train(*sized), train(*pinned));
}
