// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open decisions: the plan is no slower than any named strategy that fits the machine, and no plan is faster
// than the printed bound. The simulated time is the one by which the plan was chosen, its reasons are true,
// and the search tries sizes of buckets if collectives have a latency, both orders of micro-batches with what
// is decided after them, and names with what was found to fit.
#include "compiler/driver/Compile.h"
#include "runtime/plan/check/CheckReasons.h"
#include "runtime/plan/text/ReasonText.h"
#include "test/support/EndToEnd.h"
#include "test/support/Folders.h"
#include "test/support/TestTarget.h"
#include <gtest/gtest.h>
#include <ranges>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr const char *kNames[] = {
    "data-parallel",     "zero-1", "zero-2", "zero-3", "zero-offload", "zero-3-offload", "zero-infinity-cpu",
    "zero-infinity-nvme"};
/// Printed times have three digits.
constexpr double kDigits = 0.005;

json readJson(const std::string &name) {
  return json::parse(readText(WINDLASS_SOURCE_DIR "/examples/" + name));
}

/// Plans an example, with keys of its files replaced, and generates no kernels. Returns nothing if no plan
/// fits.
std::optional<plan::Plan> planExample(const std::string &name, const std::string &machine,
                                      const json &trainingPatch, const json &machinePatch,
                                      const std::string &strategy) {
  TemporaryFolder folder;
  json training = readJson(name + "/training.json"), hardware = readJson(name + "/" + machine);
  training.merge_patch(trainingPatch);
  hardware.merge_patch(machinePatch);
  CompileRequest request;
  request.model = WINDLASS_SOURCE_DIR "/examples/" + name + (name == "mlp" ? "/model.json" : "");
  request.training = folder.write("training.json", training.dump());
  request.hardware = folder.write("machine.json", hardware.dump());
  request.strategy = strategy;
  request.targetCpu = testTarget();
  Result<plan::Plan> plan = compile(request);
  EXPECT_TRUE(plan || plan.status().code() == ExitCode::CannotFit || strategy != "auto")
      << plan.status().message();
  return plan ? std::optional(plan.take()) : std::nullopt;
}

/// The seconds of the busiest resource.
double busiest(const plan::Plan &plan) {
  const plan::Trial *taken = plan::takenTrial(whyOf(plan, "placement"));
  return taken ? taken->price.seconds : (ADD_FAILURE() << "no reason for homes", 0);
}

/// The seconds for which a plan was taken are the seconds of its prediction. The compiler itself checks that
/// both agree up to rounding.
void expectOneClock(const plan::Plan &plan) {
  const plan::Trial *taken = plan::takenTrial(whyOf(plan, "strategy"));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->clock, plan::Clock::LaidOut);
  EXPECT_NEAR(taken->seconds, plan.prediction.stepSeconds, 1e-9 * taken->seconds);
}

/// The value of the plan's record of decisions at a path such as "recompute" or "placement.param"; null if it
/// has none.
json decidedAt(const plan::Plan &plan, const std::string &path) {
  json decided = json::parse(plan.strategy);
  for (const auto &part : std::views::split(path, '.')) {
    const std::string key(part.begin(), part.end());
    decided = decided.is_object() && decided.contains(key) ? decided[key] : json();
  }
  return decided;
}

/// Expects that a reason has the value of the record of decisions, where both spell it alike.
void expectWhatWasDecided(const plan::Plan &plan, const plan::Reason &reason) {
  const json decided = decidedAt(plan, plan::pathOf(reason));
  const std::string spelt = decided.is_string() ? decided.get<std::string>() : decided.dump();
  switch (reason.decision) {
  case plan::Decision::ZeroStage:
  case plan::Decision::Bucket:
  case plan::Decision::Persistence:
  case plan::Decision::MicroBatchOrder:
  case plan::Decision::Prefetch:
  case plan::Decision::Slack:
  case plan::Decision::SequenceParallel:
  case plan::Decision::ReshardActivations:
  case plan::Decision::CheckpointPartition:
    EXPECT_EQ(reason.taken, spelt);
    break;
  case plan::Decision::PipelineSchedule: // the lags follow it
    EXPECT_TRUE(reason.taken.starts_with(spelt)) << reason.taken << " and " << spelt;
    break;
  case plan::Decision::Recompute: // kept activations are an object
    EXPECT_EQ(reason.taken == spelt, !decided.is_object()) << reason.taken << " and " << spelt;
    break;
  case plan::Decision::Placement:
    if (!reason.subject.empty())
      EXPECT_EQ(reason.taken, decided.is_object() ? std::string(plan::kSplit) : spelt);
    break;
  case plan::Decision::ReshardAfterForward: {
    int64_t kept = 0;
    for (const json &reshards : decided)
      kept += decided.is_object() && !reshards.get<bool>();
    EXPECT_EQ(reason.taken, std::to_string(kept));
    break;
  }
  case plan::Decision::Strategy:
  case plan::Decision::Cadence:
  case plan::Decision::Tile: // a decision of the training, not of its plan
  case plan::Decision::Parallel:
  case plan::Decision::Training:
    EXPECT_TRUE(decided.is_null());
    break;
  }
}

/// Expects that one trial was taken, and that no other which fits is faster by more than its cost justifies.
void expectTheFastest(const plan::Reason &reason) {
  const plan::Trial *taken = plan::takenTrial(reason);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->value, reason.taken);
  const bool mustBeWorthIt = reason.decision == plan::Decision::Bucket ||
                             reason.decision == plan::Decision::Persistence ||
                             reason.decision == plan::Decision::MicroBatchOrder ||
                             reason.decision == plan::Decision::ReshardAfterForward;
  for (const plan::Trial &trial : reason.trials) {
    if (trial.clock != plan::Clock::LaidOut)
      continue;
    EXPECT_GE(trial.seconds, taken->seconds * (mustBeWorthIt ? 0.95 : 0.995)) << trial.value;
    EXPECT_EQ(trial.outcome == plan::Outcome::Slower, trial.seconds > taken->seconds * 1.005) << trial.value;
  }
}

/// Expects that each decision has one reason, with its trials, and that every reason is true.
void expectReasons(const plan::Plan &plan) {
  const Status sound = plan::checkReasons(plan.reasons, std::ssize(plan.programs));
  EXPECT_TRUE(sound) << sound.message();
  std::vector<std::string> always = {"placement", "recompute", "zero_stage", "strategy"};
  for (const auto &[cls, home] : json::parse(plan.strategy)["placement"].items())
    if (home != "auto") // the plan has buffers of the class
      always.push_back("placement." + cls);
  for (const std::string &path : always)
    EXPECT_TRUE(plan::findReason(plan.reasons, path)) << path;
  for (const plan::Reason &reason : plan.reasons) {
    SCOPED_TRACE(plan::pathOf(reason) + ": " + plan::reasonText(reason));
    expectWhatWasDecided(plan, reason);
    if (reason.decision != plan::Decision::Prefetch)
      expectTheFastest(reason);
  }
}

struct Case {
  std::string name, example, machine;
  json training = json::object(), hardware = json::object();
};

const Case kCases[] = {
    {"fourLinks", "gpt2-bytes", "four-links.json"},
    {"gradientsOncePerStep", "gpt2-bytes", "four-links.json", {{"cadence", "step"}}},
    {"slowLinks",
     "gpt2-bytes",
     "four-links.json",
     json::object(),
     {{"links", {{"cg", {{"in", "200MB/s"}, {"out", "200MB/s"}}}}}}},
    {"lowPrecision", "gpt2-bytes", "four-links.json", {{"precision", {{"compute", "bf16"}}}}},
    {"smallDevice", "gpt2-bytes", "four-links.json", json::object(), {{"device", {{"capacity", "24MiB"}}}}},
    {"slowCollectives",
     "gpt2-bytes",
     "four-links.json",
     json::object(),
     {{"device", {{"capacity", "40MiB"}}}, {"links", {{"gg", {{"latency", "2ms"}}}}}}},
    {"mlp", "mlp", "machine.json"},
};

class Auto : public ::testing::TestWithParam<Case> {};

TEST_P(Auto, isNoSlowerThanAnyName) {
  const Case &now = GetParam();
  auto planWith = [&](const std::string &strategy) {
    return planExample(now.example, now.machine, now.training, now.hardware, strategy);
  };
  std::optional<plan::Plan> best = planWith("auto");
  ASSERT_TRUE(best);
  EXPECT_LE(busiest(*best), best->prediction.stepSeconds * (1 + kDigits));
  expectOneClock(*best);
  expectReasons(*best);
  for (const plan::Reason &reason : best->reasons) // also if a named strategy was taken
    if (reason.decision != plan::Decision::Cadence)
      EXPECT_NE(reason.basis, plan::Basis::Asked) << plan::pathOf(reason) << ", which nobody asked for";
  int fit = 0;
  for (const char *name : kNames)
    if (std::optional<plan::Plan> named = planWith(name)) {
      ++fit;
      EXPECT_LE(best->prediction.stepSeconds, named->prediction.stepSeconds * (1 + kDigits)) << name;
      EXPECT_LE(busiest(*named), named->prediction.stepSeconds * (1 + kDigits)) << name;
      expectOneClock(*named);
      expectReasons(*named);
    }
  EXPECT_GE(fit, now.training.contains("cadence") ? 2 : 4);
}

INSTANTIATE_TEST_SUITE_P(Machines, Auto, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// Updates on the host bring parameters that stay on the device, and send them back. Together with the
/// gradients that go to the host, these are all bytes of the link, and the bound counts them.
TEST(Bound, countsWhatUpdatesBring) {
  const json slow = {{"links", {{"cg", {{"in", "100MB/s"}, {"out", "100MB/s"}}}}}};
  std::optional<plan::Plan> plan =
      planExample("gpt2-bytes", "four-links.json", json::object(), slow, "zero-offload");
  ASSERT_TRUE(plan);
  double sent = 0;
  for (const auto &[lane, seconds] : plan->prediction.busy)
    if (lane == plan::Lane::CgOut)
      sent = seconds;
  EXPECT_EQ(plan->prediction.boundBy, "cg_out");
  EXPECT_NEAR(busiest(*plan), sent, 0.01 * sent);
}

TEST(Disk, hasAsManyRequestsUnderWayAsTheMachineSays) {
  for (int64_t depth : {1, 4, 16}) {
    const json patch = {{"nvme", {{"depth", depth}}}};
    std::optional<plan::Plan> plan =
        planExample("mlp", "machine.json", json::object(), patch, "zero-infinity-nvme");
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->nvmeDepth, depth);
    expectOneClock(*plan);
  }
}

json strategyOf(const plan::Plan &plan) { return json::parse(plan.strategy); }

/// A plan of stage 3 with all states on the device, where every collective has this latency.
std::optional<plan::Plan> planPartitioned(const std::string &latency, json decisions) {
  decisions.update({{"zero_stage", 3},
                    {"micro_batch_order", "horizontal"},
                    {"reshard_after_forward", true},
                    {"placement", {{"param", "device"}, {"grad", "device"}, {"moments", "device"}}}});
  return planExample("gpt2-bytes", "four-links.json", decisions,
                     {{"device", {{"capacity", "40MiB"}}}, {"links", {{"gg", {{"latency", latency}}}}}}, "");
}

TEST(BucketSizes, keepSmallParametersWholeWhereCollectivesAreSlow) {
  std::optional<plan::Plan> slow = planPartitioned("2ms", {}), quick = planPartitioned("0us", {}),
                            none = planPartitioned("2ms", {{"persistence", 0}});
  ASSERT_TRUE(slow && quick && none);
  EXPECT_GT(strategyOf(*slow)["persistence"].get<int64_t>(), 0);
  EXPECT_LT(slow->prediction.stepSeconds, 0.95 * none->prediction.stepSeconds);
  const plan::Trial *allGathered = plan::findTrial(whyOf(*slow, "persistence"), "0");
  ASSERT_TRUE(allGathered);
  EXPECT_EQ(allGathered->outcome, plan::Outcome::Slower);
  EXPECT_EQ(strategyOf(*quick)["persistence"], 0) << "kept where nothing is to be gained";
  EXPECT_EQ(whyOf(*quick, "persistence"), plan::Reason());
  EXPECT_EQ(strategyOf(*none)["persistence"], 0) << "kept as asked";
  EXPECT_EQ(whyOf(*none, "persistence"), plan::Reason());
}

/// Buckets of 5 MiB, an eighth of the device, are faster than buckets of 1 MiB only because of latencies.
TEST(BucketSizes, arePlayedWhereCollectivesAreSlow) {
  std::optional<plan::Plan> sized = planPartitioned("2ms", {}),
                            small = planPartitioned("2ms", {{"bucket", "1MiB"}});
  ASSERT_TRUE(sized && small);
  EXPECT_LT(sized->prediction.stepSeconds, 0.95 * small->prediction.stepSeconds);
  EXPECT_TRUE(plan::findTrial(whyOf(*sized, "bucket"), std::to_string(5 << 20)));
  EXPECT_EQ(strategyOf(*small)["bucket"], 1 << 20) << "kept as asked";
  EXPECT_EQ(whyOf(*small, "bucket"), plan::Reason());
}

/// As laid out, the vertical order is faster than the horizontal one by less than 5 %. Beside it more buckets
/// fit that stay gathered, and these save what it lacked.
TEST(MicroBatchOrders, areComparedWithWhatIsDecidedAfterThem) {
  const json machine = {{"ranks", 4},
                        {"device",
                         {{"capacity", "1500KiB"},
                          {"flops", {{"f32", "100GFLOP/s"}, {"vector", "80GFLOP/s"}}},
                          {"launch_overhead", "5us"}}},
                        {"links",
                         {{"cg", {{"in", "2GB/s"}, {"out", "16GB/s"}, {"latency", "5us"}}},
                          {"gg", {{"latency", "3us"}, {"hop", "1us"}}}}}};
  auto planIn = [&](const char *order) {
    const json training = {{"global_batch", nullptr},
                           {"micro_batches", 2},
                           {"parallel", {{"data", 4}}},
                           {"micro_batch_order", order}};
    return planExample("mlp", "machine.json", training, machine, "");
  };
  std::optional<plan::Plan> open = planIn("auto"), vertical = planIn("vertical");
  ASSERT_TRUE(open && vertical);
  EXPECT_EQ(strategyOf(*open)["micro_batch_order"], "vertical");
  EXPECT_LE(open->prediction.stepSeconds, vertical->prediction.stepSeconds * (1 + kDigits));
  EXPECT_TRUE(strategyOf(*open)["reshard_after_forward"].is_object()) << "some buckets stay gathered";
  expectOneClock(*open);
  expectReasons(*open);
}

/// Neither all activations nor none fit, under no name. What a search finds between the two is tried for
/// names, too: a name was recorded with the bound of the first plan that was tried for it.
TEST(Names, areTriedWithTheActivationsThatFit) {
  Job job = tinyGpt2(4, 2, 2).with(
      {{"zero_stage", nullptr}, {"recompute", nullptr}, {"precision", {{"compute", "bf16"}}}});
  job.model["n_positions"] = 64;
  job.hardware.merge_patch(
      {{"device",
        {{"capacity", "700KiB"},
         {"flops", {{"f32", "100GFLOP/s"}, {"bf16", "200GFLOP/s"}, {"vector", "80GFLOP/s"}}},
         {"launch_overhead", "5us"}}},
       {"host", {{"capacity", "8MiB"}}},
       {"links", {{"cg", {{"latency", "5us"}}}, {"gg", {{"latency", "3us"}}}}}});
  const TemporaryFolder folder;
  Result<plan::Plan> open = tryCompile(job, folder);
  ASSERT_TRUE(open) << open.status().message();
  for (const char *whole : {"none", "full"}) {
    const plan::Trial *trial = plan::findTrial(whyOf(*open, "recompute"), whole);
    ASSERT_TRUE(trial);
    EXPECT_EQ(trial->outcome, plan::Outcome::DoesNotFit) << whole;
  }
  const plan::Reason &strategy = whyOf(*open, "strategy");
  const plan::Trial *name = plan::findTrial(strategy, "zero-infinity-cpu");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->clock, plan::Clock::LaidOut);
  EXPECT_EQ(strategy.taken, "zero-infinity-cpu");
}

} // namespace
