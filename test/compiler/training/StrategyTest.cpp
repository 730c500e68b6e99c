// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies by name and from files: reading, writing, and the messages of errors.
#include "compiler/training/Strategy.h"

#include "runtime/base/File.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include <gtest/gtest.h>

using namespace windlass;

namespace {

std::string refusal(const std::string &document) {
  TemporaryFolder folder;
  Result<Decisions> decisions = readStrategy(folder.write("s.json", document));
  EXPECT_FALSE(decisions) << document;
  EXPECT_EQ(decisions.status().code(), ExitCode::BadInput);
  return decisions.status().message();
}

void expectHolds(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "lacks " << part << ": " << text;
}

TEST(Strategy, namesAreDecisions) {
  Result<Decisions> automatic = readStrategy("auto");
  ASSERT_TRUE(automatic) << automatic.status().message();
  EXPECT_TRUE(automatic->zeroStage.isAuto());
  EXPECT_TRUE(automatic->paramHome.isAuto());
  Result<Decisions> offload = readStrategy("zero-offload");
  ASSERT_TRUE(offload) << offload.status().message();
  EXPECT_EQ(offload->zeroStage.others, 2);
  EXPECT_EQ(offload->paramHome.others, plan::Tier::Device);
  EXPECT_EQ(offload->momentsHome.others, plan::Tier::Host);
  Result<Decisions> infinity = readStrategy("zero-infinity-nvme");
  ASSERT_TRUE(infinity) << infinity.status().message();
  EXPECT_EQ(infinity->gradHome.others, plan::Tier::Nvme);
}

TEST(Strategy, whatItLeavesOutStaysAsAskedFor) {
  Decisions asked;
  asked.zeroStage.others = 3;
  asked.recompute = Recompute::Full;
  asked.momentsHome = {plan::Tier::Host, {{"decay.0", plan::Tier::Nvme}}};
  asked.prefetchGg = {{5}};
  EXPECT_EQ(readStrategy("auto", asked).take(), asked);
  Result<Decisions> named = readStrategy("zero-1", asked);
  ASSERT_TRUE(named) << named.status().message();
  EXPECT_EQ(named->zeroStage.others, 1);
  EXPECT_EQ(named->momentsHome, (Homes{plan::Tier::Device, {}}));
  EXPECT_EQ(named->recompute, Recompute::Full);
  EXPECT_EQ(named->prefetchGg, asked.prefetchGg);
  TemporaryFolder folder;
  Result<Decisions> opened = readStrategy(
      folder.write("s.json", R"({"format": "windlass.strategy/1", "zero_stage": "auto"})"), asked);
  ASSERT_TRUE(opened) << opened.status().message();
  EXPECT_TRUE(opened->zeroStage.isAuto());
  EXPECT_EQ(opened->momentsHome, asked.momentsHome);
}

TEST(Strategy, whatIsWrittenReadsBack) {
  Decisions decisions;
  decisions.zeroStage = {2, {{"decay.0", 3}, {"no_decay.0", 0}}};
  decisions.reshardAfterForward.of = {{"decay.0", false}, {"no_decay.0", std::nullopt}};
  decisions.recompute = Recompute::Full;
  decisions.bucket = 65536;
  decisions.updateChunk = 8192;
  decisions.paramHome.of = {{"decay.0", plan::Tier::Device}, {"no_decay.0", plan::Tier::Nvme}};
  decisions.momentsHome.others = plan::Tier::Host;
  decisions.prefetchNc = {{3, 1}};
  decisions.prefetchGg = {{3}};
  decisions.overlap = false;
  TemporaryFolder folder;
  Result<Decisions> back = readStrategy(folder.write("s.json", writeStrategy(decisions)));
  ASSERT_TRUE(back) << back.status().message();
  EXPECT_EQ(writeStrategy(*back), writeStrategy(decisions));
  EXPECT_EQ(back->paramHome.of, decisions.paramHome.of);
  EXPECT_EQ(back->zeroStage.others, 2);
  EXPECT_EQ(back->zeroStage.of, decisions.zeroStage.of);
  EXPECT_EQ(back->reshardAfterForward.of, decisions.reshardAfterForward.of);
  EXPECT_EQ(back->recompute, Recompute::Full);
  EXPECT_EQ(back->prefetchNc, decisions.prefetchNc);
  EXPECT_EQ(back->prefetchCg.at(0), std::nullopt);
  EXPECT_EQ(back->prefetchGg.at(7), 3);
  EXPECT_FALSE(back->overlap);
}

TEST(Strategy, activationsAreAList) {
  Decisions decisions;
  decisions.recompute = Recompute({{"block", {"matmul.0", "attention.0#1"}}, {"layers", {}}});
  EXPECT_EQ(word(decisions.recompute), "block: matmul.0, attention.0#1; layers:");
  TemporaryFolder folder;
  Result<Decisions> back = readStrategy(folder.write("s.json", writeStrategy(decisions)));
  ASSERT_TRUE(back) << back.status().message();
  EXPECT_EQ(back->recompute, decisions.recompute);
  decisions.recompute.layers = 3;
  back = readStrategy(folder.write("s.json", writeStrategy(decisions)));
  ASSERT_TRUE(back) << back.status().message();
  EXPECT_EQ(back->recompute, decisions.recompute);
  EXPECT_EQ(word(decisions.recompute), "block: matmul.0, attention.0#1; layers: (of the first 3 layers)");
  EXPECT_EQ(recomputeOf("per-activation"), Recompute(Recompute::PerActivation));
  EXPECT_EQ(recomputeOf("block: matmul.0"), std::nullopt);
}

TEST(Strategy, recomputationIsAWordOrAnObject) {
  EXPECT_EQ(readRecompute("layers:3").take(), Recompute(Recompute::Full, 1, 3));
  Recompute kept(Recompute::PerActivation);
  kept.kept = {{"block", {"map.2"}}};
  kept.layers = 3;
  EXPECT_EQ(readRecompute(R"({"keep": {"block": ["map.2"]}, "layers": 3})").take(), kept);
  for (const char *wrong : {"ful", R"({"kep": 1})", "{", R"({"keep": {"block": []}}, "overlap": "off")",
                            R"(none", "overlap": "off)"}) {
    const Status refusal = readRecompute(wrong).status();
    EXPECT_EQ(refusal.code(), ExitCode::Usage) << wrong;
    expectHolds(refusal.message(), std::string("--recompute ") + wrong + ": ");
  }
}

TEST(Strategy, whatIsWrongIsNamed) {
  expectHolds(readStrategy("zero-4").status().message(), "did you mean \"zero-1\"?");
  const std::string format = R"("format": "windlass.strategy/1")";
  expectHolds(refusal("{}"), "s.json: format: is missing");
  expectHolds(refusal(R"({"format": "windlass.strategy/2"})"), "format: must be \"windlass.strategy/1\"");
  expectHolds(refusal("{" + format + R"(, "zero": 3})"), "zero: unknown key");
  expectHolds(refusal("{" + format + R"(, "steps": 3})"), "steps: unknown key");
  expectHolds(
      refusal("{" + format + R"(, "offload_param": 1, "stage": 2})"),
      "offload_param: unknown key, did you mean \"placement.param\"?; stage: unknown key, did you mean "
      "\"zero_stage\"?");
  expectHolds(refusal("{" + format + R"(, "recompute": {"keep": {"block": "matmul.0"}}})"),
              "recompute.keep.block: must be a list");
  expectHolds(refusal("{" + format + R"(, "recompute": {}})"), "recompute.keep: is missing");
  expectHolds(refusal("{" + format + R"(, "recompute": {"keep": {}}})"),
              "recompute.keep: must name a layer function");
  expectHolds(refusal("{" + format + R"(, "recompute": {"keep": {"block": []}, "layer": 2}})"),
              "recompute.layer: unknown key, did you mean \"layers\"?");
  expectHolds(refusal("{" + format + R"(, "placement": {"param": {"decay.0": "disk"}}})"),
              "placement.param.decay.0: must be \"auto\", \"device\", \"host\"");
  expectHolds(refusal("{" + format + R"(, "zero_stage": 4})"),
              "zero_stage: must be a whole number from 0 to 3");
  expectHolds(refusal("{" + format + R"(, "zero_stage": {"*": 3, "decay.0": "all"}})"),
              "zero_stage.decay.0: must be a whole number from 0 to 3");
}

TEST(Strategy, theDocumentedTablesAreTheTables) {
  Result<std::string> page = readFile(std::string(WINDLASS_SOURCE_DIR) + "/docs/strategies.md");
  ASSERT_TRUE(page) << page.status().message();
  EXPECT_NE(page->find(strategyTable()), std::string::npos) << strategyTable();
  EXPECT_NE(page->find(decisionKeyTable()), std::string::npos) << decisionKeyTable();
}

} // namespace
