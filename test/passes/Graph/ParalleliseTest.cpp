// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares tensor ranks with one rank: losses and every gradient, joined from the ranks' parts.

#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/SplitPasses.h"
#include "test/passes/Graph/TrainingModule.h"

namespace windlass::graph {
namespace {

/// Changes two heads to four.
const Edits kFourHeads = {{"heads(2) causal", "heads(4) causal"}, {"tensor<2x2x6xf32>", "tensor<2x4x6xf32>"}};

struct Case {
  std::string name;
  int64_t ranks = 1;
  Edits edits = {};
  bool isNarrow = false; ///< bf16, rounded
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

/// The reports of each rank by item, summed over micro-batches. Gradients have the name of their parameter.
std::vector<Reports> runRanks(interpreter::Interpreter &interpreter, const std::string &step, int ranks) {
  std::vector<Reports> byRank(ranks);
  auto reports = interpreter.runStep(step, drawFeed);
  EXPECT_TRUE(reports) << reports.status().message();
  if (!reports)
    return byRank;
  for (interpreter::Report &report : *reports) {
    auto [sum, isFirst] = byRank[report.rank].try_emplace(report.item, report.value);
    for (int64_t i = 0; !isFirst && i < report.value.size(); ++i)
      sum->second.data[i] += report.value.data[i];
  }
  return byRank;
}

/// Joins the whole tensor from the parts of all ranks. Padding must be 0.
Tensor joinParts(const StateSplit &split, const std::vector<const Tensor *> &parts, const std::string &name) {
  Tensor whole(split.whole, std::nan(""));
  for (size_t rank = 0; rank < parts.size(); ++rank)
    for (int64_t i = 0; i < parts[rank]->size(); ++i) {
      auto element = split.wholeElement(static_cast<int64_t>(rank), i);
      if (element)
        whole.data[*element] = parts[rank]->data[i];
      else
        EXPECT_EQ(parts[rank]->data[i], 0.0) << name << ": padding of rank " << rank;
    }
  return whole;
}

/// The reports that one rank would make, joined from those of all ranks.
Reports joinRanks(mlir::ModuleOp module, const std::vector<Reports> &byRank, int64_t &splitGradients) {
  std::map<std::string, StateSplit> splits; // by the item of the report
  for (auto step : module.getOps<StepOp>())
    for (auto report : step.getOps<ReportOp>())
      if (auto of = report.getGradientOf())
        if (auto split = splitOf(module.lookupSymbol<StateOp>(*of)))
          splits[report.getItem().str()] = *split;
  Reports joined;
  for (const auto &[item, value] : byRank.front()) {
    std::vector<const Tensor *> parts;
    for (const Reports &of : byRank)
      parts.push_back(&of.at(item));
    if (auto split = splits.find(item); split != splits.end()) {
      joined[item] = joinParts(split->second, parts, item);
      ++splitGradients;
      continue;
    }
    for (const Tensor *part : parts)
      EXPECT_EQ(*part, value) << item << " is not the same on all ranks";
    joined[item] = value;
  }
  return joined;
}

class Parallelise : public testing::TestWithParam<Case> {
protected:
  static void SetUpTestSuite() { registerGraphSplitPasses(); }
  std::string types() const { return GetParam().isNarrow ? "precision{compute=bf16}," : "precision,"; }
};

TEST_P(Parallelise, AgreesWithOneRankInLossAndGradients) {
  const Case &tested = GetParam();
  const std::string gradients = "differentiate{micro-batches=2}";
  TrainingModule one(types() + gradients, tested.edits);
  TrainingModule many(types() + "parallelise{ranks=" + std::to_string(tested.ranks) + "},verify-splits," +
                          gradients + ",verify-splits",
                      tested.edits);
  auto oneRank = one.interpret(tested.isNarrow);
  interpreter::Interpreter allRanks(
      *many.module, {.ranks = static_cast<int>(tested.ranks), .roundToTypes = tested.isNarrow, .seed = 7});
  const double tolerance = tested.isNarrow ? 0.05 : 1e-12;
  int64_t splitGradients = 0;
  for (const std::string step : {"evaluate", "train"}) {
    const Reports expected = runRanks(oneRank, step, 1).front();
    const Reports found =
        joinRanks(*many.module, runRanks(allRanks, step, static_cast<int>(tested.ranks)), splitGradients);
    ASSERT_FALSE(expected.empty());
    expectSame(found, expected, tolerance);
  }
  // The table, and for each layer: the two linear layers of the MLP, its inner bias, queries, keys and
  // values, and their projection.
  EXPECT_EQ(splitGradients, 1 + 2 * 5);
}

/// Two replicas of two ranks each: the number of examples is that of a replica, and sums over ranks are over
/// replicas.
TEST(ParalleliseBesideData, SumsOverReplicasAlone) {
  registerGraphSplitPasses();
  const std::string gradients = "differentiate{micro-batches=2}";
  TrainingModule one(gradients), many("parallelise{ranks=2}," + gradients);
  interpreter::Interpreter twoRanks(*one.module, {.ranks = 2, .seed = 7});
  interpreter::Interpreter fourRanks(*many.module, {.ranks = 4, .seed = 7});
  const Reports expected = runRanks(twoRanks, "train", 2).front();
  std::vector<Reports> byRank = runRanks(fourRanks, "train", 4);
  EXPECT_EQ(byRank[0], byRank[2]);
  EXPECT_EQ(byRank[1], byRank[3]);
  byRank.resize(2);
  int64_t splitGradients = 0;
  expectSame(joinRanks(*many.module, byRank, splitGradients), expected, 1e-12);
  EXPECT_GT(splitGradients, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Parallelise,
                         testing::Values(Case{"TwoRanks", 2}, Case{"TwoRanksInBf16", 2, {}, true},
                                         Case{"FourRanks", 4, kFourHeads},
                                         Case{"FourRanksInBf16", 4, kFourHeads, true}),
                         [](const auto &tested) { return tested.param.name; });

} // namespace
} // namespace windlass::graph
