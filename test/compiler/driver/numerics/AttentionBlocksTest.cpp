// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over tile.attention is computed by blocks: no buffer holds the scores of all pairs of tokens. The
// losses agree with those of whole scores up to rounding, and plans with one limit give the same bits under
// all decisions.
#include "runtime/plan/Layout.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>
#include <regex>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A GPT-2 over 320 tokens, whose largest tensor is the scores, even as probabilities in bf16.
constexpr int64_t kTokens = 320, kHeads = 2, kScores = 4 * kHeads * kTokens * kTokens;

Job longGpt2(int64_t ranks, int64_t microBatches, double dropout = 0) {
  Job job = tinyGpt2(ranks, microBatches);
  job.model["n_positions"] = kTokens;
  job.model["n_layer"] = 1;
  job.model["vocab_size"] = 64;
  job.model["attn_pdrop"] = dropout;
  return job;
}

Job blocked(const Job &job, int64_t limit) { return job.with({{"tile", {{"attention", limit}}}}); }

/// The bytes of the largest buffer except workspaces of libraries, which depend on the processor: without
/// AVX-512, they hold bf16 widened to f32.
int64_t largestBuffer(const plan::Plan &plan) {
  int64_t largest = 0;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls != plan::BufferClass::Workspace)
      largest = std::max(largest, buffer.bytes);
  return largest;
}

/// Blocks of 80 by 80 scores.
constexpr int64_t kLimit = kScores / 16;

TEST(AttentionBlocks, noBufferHoldsAllPairsOfTokens) {
  for (const char *compute : {"fp32", "bf16"}) {
    const Job job = longGpt2(2, 1).with({{"precision", {{"compute", compute}}}});
    std::unique_ptr<Compiled> whole = compileJob(job), parts = compileJob(blocked(job, kLimit));
    ASSERT_TRUE(whole && parts);
    EXPECT_GE(largestBuffer(whole->plan), kScores);
    EXPECT_LT(largestBuffer(parts->plan), kScores / 2);
    EXPECT_EQ(json::parse(whole->plan.numerics)["attention_blocking"], nullptr);
    EXPECT_EQ(json::parse(parts->plan.numerics)["attention_blocking"], kLimit);
  }
}

/// A limit at least as large as all scores changes only the record.
TEST(AttentionBlocks, whatIsWithinTheLimitStaysWhole) {
  std::unique_ptr<Compiled> whole = compileJob(longGpt2(2, 1)),
                            within = compileJob(blocked(longGpt2(2, 1), kScores));
  ASSERT_TRUE(whole && within);
  EXPECT_NE(within->plan.numerics, whole->plan.numerics);
  within->plan.numerics = whole->plan.numerics;
  within->plan.model = whole->plan.model; // the only difference: the names of their folders
  EXPECT_TRUE(programText(whole->plan) == programText(within->plan));
}

/// Sums over keys have another order, and AdamW turns a gradient near zero into a step of the size of the
/// learning rate. Five steps stay well within 1e-4.
TEST(AttentionBlocks, trainAsAllAtOnce) {
  for (double dropout : {0.0, 0.2}) {
    const Job job = longGpt2(2, 2, dropout);
    std::unique_ptr<Compiled> whole = compileJob(job), parts = compileJob(blocked(job, kLimit));
    ASSERT_TRUE(whole && parts);
    RunSettings settings;
    settings.steps = 5;
    const std::vector<double> expected = train(*whole, settings).losses,
                              found = train(*parts, settings).losses;
    ASSERT_EQ(expected.size(), 5u);
    ASSERT_EQ(found.size(), 5u);
    for (size_t step = 0; step < 5; ++step)
      EXPECT_NEAR(found[step], expected[step], (step == 0 ? 1e-6 : 1e-4) * expected[step]) << step;
  }
}

TEST(AttentionBlocks, decisionsDoNotChangeThem) {
  const Job job = blocked(longGpt2(2, 2, 0.2), kLimit);
  std::unique_ptr<Compiled> base = compileJob(job);
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  const json nvme = {{"param", "nvme"}, {"grad", "nvme"}, {"moments", "nvme"}};
  for (const json &patch : std::vector<json>{{{"zero_stage", 0}},
                                             {{"zero_stage", 2}, {"recompute", "selective"}},
                                             {{"zero_stage", 3}, {"recompute", "full"}},
                                             {{"placement", nvme}, {"recompute", "full"}},
                                             {{"overlap", false}, {"bucket", "16KiB"}}}) {
    SCOPED_TRACE(patch.dump());
    std::unique_ptr<Compiled> decided = compileJob(job.with(patch));
    ASSERT_TRUE(decided);
    ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
    expectSameBits(expected, train(*decided));
    RunSettings reference;
    reference.executor.reference = true;
    expectSameBits(expected, train(*decided, reference));
  }
}

/// If the device has room for only a part of the scores, the refusal quotes a limit that fits.
TEST(AttentionBlocks, aRefusalNamesTheLimitThatWouldFit) {
  Job job = longGpt2(1, 1).with({{"placement", {{"param", "host"}, {"grad", "host"}, {"moments", "host"}}}});
  std::unique_ptr<Compiled> parts = compileJob(blocked(job, kScores / 16));
  ASSERT_TRUE(parts);
  job.hardware["device"]["capacity"] = plan::arenaOf(parts->plan.programs[0], plan::Tier::Device)->bytes;
  TemporaryFolder folder, other;
  Result<plan::Plan> refused = tryCompile(job, folder);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status().code(), ExitCode::CannotFit);
  static const std::regex quoted(R"re("tile": \{"attention": (\d+)\} in .*, or --tile auto$)re");
  std::smatch found;
  const std::string message = refused.status().message();
  ASSERT_TRUE(std::regex_search(message, found, quoted)) << message;
  const int64_t limit = std::stoll(found[1]);
  EXPECT_GE(limit, kScores / 16);
  EXPECT_TRUE(compileJob(blocked(job, limit)));
  EXPECT_FALSE(tryCompile(blocked(job, 2 * limit), other));
}

/// The smallest block has four by four tokens, of one example and both heads.
TEST(AttentionBlocks, aLimitBelowTheSmallestBlockIsAnError) {
  constexpr int64_t kLeast = 4 * kHeads * 4 * 4;
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(blocked(tinyGpt2(1, 1), kLeast - 1), folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  EXPECT_EQ(plan.status().message(),
            folder / "training.json" + ": tile.attention: must be at least " + std::to_string(kLeast) +
                ", the bytes of the smallest block of scores, is " + std::to_string(kLeast - 1));
  EXPECT_TRUE(compileJob(blocked(tinyGpt2(1, 1), kLeast)));
}

/// Auto takes blocks alone if they are enough, and tiles beside them if not. The record has the limits.
TEST(AttentionBlocks, autoTakesBlocksWhereTilesDoNotHelp) {
  Job job = longGpt2(1, 1).with({{"recompute", "full"}});
  std::unique_ptr<Compiled> whole = compileJob(job);
  ASSERT_TRUE(whole);
  const int64_t bytes = plan::arenaOf(whole->plan.programs[0], plan::Tier::Device)->lowerBound;
  job.chooseTiles = true;
  for (bool alsoTiles : {false, true}) {
    job.hardware["device"]["capacity"] = std::to_string(alsoTiles ? bytes / 3 : bytes * 2 / 3);
    std::unique_ptr<Compiled> chosen = compileJob(job);
    ASSERT_TRUE(chosen);
    const json record = json::parse(chosen->plan.numerics);
    EXPECT_FALSE(record["attention_blocking"].is_null()) << record;
    EXPECT_EQ(record["tile_limit"].is_null(), !alsoTiles) << record;
  }
}

} // namespace
