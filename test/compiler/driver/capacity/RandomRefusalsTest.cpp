// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random models on random machines that are too small: the growth that a refusal quotes is enough, and less
// is not. The test shows both by plans that are made without bounds.
#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "compiler/driver/capacity/Refusal.h"
#include "compiler/driver/capacity/SmallestGrowth.h"
#include "test/compiler/driver/Planning.h"
#include "test/compiler/driver/capacity/QuotedChanges.h"
#include "test/support/Dice.h"

using namespace windlass;
using namespace windlass::test;

namespace {

/// Draws a model, decisions and a machine with little of everything.
class SmallMachines : Dice {
public:
  using Dice::Dice;

  Job draw() {
    const int64_t ranks = between(1, 2), layers = oneOf<int64_t>({3, 12, 28});
    Job job = biasFreeMlp({1, 1}, ranks, between(1, 2), between(1, 3));
    job.model = layersOf(layers, oneOf<int64_t>({16, 40, 64}), between(0, 1) == 1);
    job.hardware["device"]["capacity"] = between(4, 20) * 4096;
    job.hardware["host"]["capacity"] = ranks * between(4, 400) * 4096;
    if (between(0, 1) == 1)
      job.hardware.erase("nvme");
    else
      job.hardware["nvme"]["capacity"] = ranks * between(1, 100) * 4096;
    json decisions = {{"overlap", between(0, 3) > 0},
                      {"recompute", oneOf<std::string>({"none", "full", "auto"})},
                      {"zero_stage", "auto"}};
    if (between(0, 1) == 1)
      decisions["zero_stage"] = between(0, 3);
    return job.with(decisions);
  }

private:
  /// A model with its layers in blocks, or written out.
  static json layersOf(int64_t layers, int64_t width, bool isFlat) {
    json model = {{"format", "windlass.model/1"},
                  {"dims", {{"B", "batch"}, {"H", width}}},
                  {"inputs",
                   {{"x", {{"role", "features"}, {"shape", {"B", "H"}}}},
                    {"y", {{"role", "targets"}, {"shape", {"B", "H"}}}}}},
                  {"params", json::object()},
                  {"ops", {{{"op", "relu"}, {"in", {"x"}}, {"out", "h"}}}},
                  {"loss", "losses"}};
    const json weight = {{"shape", {"H", "H"}}, {"init", {{"normal", 0.1}}}};
    std::string value = "h";
    for (int64_t layer = 0; isFlat && layer < layers; ++layer) {
      const std::string name = "layer." + std::to_string(layer);
      model["params"][name + ".weight"] = weight;
      model["ops"].push_back(
          {{"op", "matmul"}, {"in", {value, name + ".weight"}}, {"out", name + ".linear"}});
      model["ops"].push_back({{"op", "relu"}, {"in", {name + ".linear"}}, {"out", name + ".active"}});
      value = name + ".active";
    }
    if (!isFlat) {
      model["blocks"]["layer"] = {{"in", {"h"}},
                                  {"params", {{"weight", weight}}},
                                  {"ops",
                                   {{{"op", "matmul"}, {"in", {"h", "weight"}}, {"out", "linear"}},
                                    {{"op", "relu"}, {"in", {"linear"}}, {"out", "active"}}}},
                                  {"out", {"active"}}};
      model["ops"].push_back(
          {{"repeat", layers}, {"block", "layer"}, {"carry", {"h"}}, {"name", "layer.{i}"}});
    }
    model["ops"].push_back({{"op", "mse"}, {"in", {value, "y"}}, {"out", "losses"}});
    return model;
  }
};

class RandomRefusals : public ::testing::TestWithParam<unsigned> {
protected:
  RandomRefusals() : planning(SmallMachines(GetParam()).draw()), layers(layersOf(*planning.imported)) {}

  static int64_t layersOf(mlir::ModuleOp module) {
    return module->getAttrOfType<mlir::IntegerAttr>("windlass.layers").getInt();
  }

  /// Whether some candidate has a plan. Bounds are not asked.
  bool fits(const model::Machine &machine) {
    Result<FeasibilityCandidates> candidates =
        FeasibilityCandidates::of(planning.training, {layers}, *planning.planner);
    EXPECT_TRUE(candidates) << candidates.status().message();
    for (size_t index = 0; index < candidates->size(); ++index) {
      const Status planned = candidates->plan(index, machine, {.ask = Ask::Best}).status();
      if (planned)
        return true;
      EXPECT_EQ(planned.code(), ExitCode::CannotFit) << planned.message();
    }
    return false;
  }

  /// The machine with the quoted capacities, less some bytes on each rank.
  model::Machine changed(const Changes &changes, int64_t less = 0) const {
    model::Machine machine = planning.machine;
    for (const Change &change : changes)
      for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme})
        if (plan::textOf(tier) == change.tier)
          givenCapacity(machine, tier) =
              change.capacity - less * (tier == plan::Tier::Device ? 1 : machine.ranksPerNode);
    return machine;
  }

  Planning planning;
  int64_t layers;
};

TEST_P(RandomRefusals, quoteTheSmallestChangesThatFit) {
  if (fits(planning.machine))
    return;
  const Status refusal =
      Refusal(planning.training, planning.machine, {layers}, *planning.planner).describe([] {
        return Status::cannotFit("nothing would help");
      });
  ASSERT_EQ(refusal.code(), ExitCode::CannotFit) << refusal.message();
  const std::vector<Changes> alternatives = quotedChanges(refusal.message());
  ASSERT_FALSE(alternatives.empty()) << refusal.message();
  for (const Changes &changes : alternatives) {
    EXPECT_TRUE(fits(changed(changes))) << refusal.message();
    EXPECT_FALSE(fits(changed(changes, 4096))) << refusal.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRefusals, ::testing::Range(1u, 25u));

} // namespace
