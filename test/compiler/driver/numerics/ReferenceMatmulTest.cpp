// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans whose products sum in one fixed order: the plan and its record have this choice, and nothing else
// changes a bit.
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

class ByReference : public ::testing::TestWithParam<std::string> {};

Job job(const std::string &compute, const json &more = json::object()) {
  return tinyGpt2(2, 2).with({{"precision", {{"compute", compute}}}}).with(more);
}

/// The record without threads, which change no bit in these plans.
json recordWithoutThreads(const plan::Plan &plan) {
  json record = json::parse(plan.numerics);
  record.erase("threads_per_rank");
  return record;
}

TEST_P(ByReference, theRecordSaysSoAndLossesAreNearTheLibrarys) {
  std::unique_ptr<Compiled> library = compileJob(job(GetParam())),
                            reference = compileJob(job(GetParam(), {{"matmul", "reference"}}));
  ASSERT_TRUE(library && reference);
  EXPECT_FALSE(json::parse(library->plan.numerics).contains("matmul"));
  EXPECT_EQ(json::parse(reference->plan.numerics).at("matmul"), "reference 1");
  EXPECT_TRUE(reference->plan.target.multipliesByReference());
  const Outcome expected = train(*library), found = train(*reference);
  ASSERT_EQ(expected.losses.size(), found.losses.size());
  const double tolerance = GetParam() == "fp32" ? 1e-5 : 2e-2;
  for (size_t step = 0; step < found.losses.size(); ++step)
    EXPECT_NEAR(found.losses[step], expected.losses[step], tolerance * expected.losses[step]) << step;
}

TEST_P(ByReference, neitherDecisionsNorThreadsChangeABit) {
  std::unique_ptr<Compiled> base = compileJob(job(GetParam(), {{"matmul", "reference"}}));
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  for (const json &other : {json{{"threads_per_rank", 3}}, json{{"zero_stage", 3}, {"recompute", "full"}}}) {
    SCOPED_TRACE(other.dump());
    std::unique_ptr<Compiled> decided = compileJob(job(GetParam(), {{"matmul", "reference"}}).with(other));
    ASSERT_TRUE(decided);
    EXPECT_EQ(recordWithoutThreads(decided->plan), recordWithoutThreads(base->plan));
    expectSameBits(expected, train(*decided));
  }
}

INSTANTIATE_TEST_SUITE_P(Matmul, ByReference, ::testing::Values("fp32", "bf16", "fp16"));

} // namespace
