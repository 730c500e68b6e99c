// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts over which the terms of a loss are means. They are counted over the whole batch.
#include "runtime/training/data/LossCounts.h"

#include "runtime/training/step/StepHosts.h"
#include <cstring>
#include <gtest/gtest.h>

namespace windlass {
namespace {

using plan::ElementType;
using plan::InputRole;
using plan::MeanOf;

/// Three examples of two labels for each of two inputs.
class Labels final : public DataSource {
public:
  Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const override {
    const int32_t first[3][2] = {{0, 3}, {3, 3}, {2, 1}}, second[3][2] = {{-100, 1}, {1, 1}, {-100, 0}};
    std::memcpy(out.data(), input.name == "y" ? first[example] : second[example], out.size());
    return Status::ok();
  }
};

plan::Plan planOf(std::vector<plan::LossShare> shares) {
  plan::Plan plan;
  plan.training.microBatches = 6;
  plan.training.globalBatch = 3;
  plan.inputs = {{"y", ElementType::I32, {1, 2}, InputRole::Labels, 4, 3},
                 {"z", ElementType::I32, {1, 2}, InputRole::OtherLabels, 2}};
  plan.lossShares = std::move(shares);
  return plan;
}

void addAll(LossCounts &counts) {
  counts.begin();
  for (int64_t example = 0; example < 3; ++example)
    ASSERT_TRUE(counts.add(Labels(), example));
  counts.finish();
}

TEST(LossCountsTest, sharesAreOfTheLabelsThatTheLossIsDividedBy) {
  const plan::Plan plan = planOf({{"a", MeanOf::Labels, "z"},
                                  {"b", MeanOf::Labels, "z", 1},
                                  {"c", MeanOf::Labels, "y", 3, {1, 0.5, 2, 100}},
                                  {"d", MeanOf::Examples},
                                  {"e", MeanOf::MicroBatches},
                                  {"f", MeanOf::Batches}});
  LossCounts counts(plan);
  for (int time = 0; time < 2; ++time) { // a second count starts from zero
    addAll(counts);
    EXPECT_EQ(counts.valid(), 3);
    const std::vector<double> shares(counts.shares().begin(), counts.shares().end());
    EXPECT_EQ(shares, (std::vector<double>{3 / 4.0, 3 / 3.0, 3 / 3.5, 3 / 3.0, 3 / 6.0, 3}));
  }
  EXPECT_FALSE(counts.areOfLabels());
  float fed[2] = {7, 7};
  EXPECT_TRUE(feedLossShare(plan, "c", counts.shares(), std::as_writable_bytes(std::span(fed))));
  EXPECT_EQ(fed[0], static_cast<float>(3 / 3.5));
  EXPECT_EQ(fed[1], 0);
  EXPECT_FALSE(feedLossShare(plan, "g", counts.shares(), std::as_writable_bytes(std::span(fed))));
}

/// A model that shifts its labels by itself does not read the first label of an example.
TEST(LossCountsTest, theFirstLabelsOfAnExampleMayCountForNothing) {
  plan::Plan plan =
      planOf({{"a", MeanOf::Labels, "z", -100, {}, 1}, {"b", MeanOf::Labels, "y", 3, {1, 1, 1, 1}, 1}});
  plan.inputs[0].first = 1;
  LossCounts counts(plan);
  addAll(counts);
  EXPECT_EQ(counts.valid(), 1) << "of 3, 3 and 1, of which 3 is ignored";
  EXPECT_EQ(counts.shares()[0], 1 / 3.0) << "1, 1 and 0";
  EXPECT_EQ(counts.shares()[1], 1);
}

/// A term without labels is zero. Padding counts for nothing only if labels count.
TEST(LossCountsTest, aTermWithoutLabelsCountsForNothing) {
  plan::Plan plan = planOf({{"a", MeanOf::Labels, "z", -100, {0, 0}}, {"b", MeanOf::Labels, "z"}});
  LossCounts counts(plan);
  addAll(counts);
  EXPECT_EQ(counts.shares()[0], 0);
  EXPECT_TRUE(counts.areOfLabels());
  plan.paddingCounts = true; // in a term that has no share
  EXPECT_FALSE(LossCounts(plan).areOfLabels());
  plan.paddingCounts = false;
  plan.lossShares[1].ignored = 1; // the value that pads "z" is a class here
  EXPECT_FALSE(LossCounts(plan).areOfLabels());
  plan.lossShares[1].ignored = -100;
  plan.inputs[1].role = InputRole::Tokens; // tokens are padded with zeros
  EXPECT_FALSE(LossCounts(plan).areOfLabels());
}

/// Without labels to count, the loss is a mean over examples.
TEST(LossCountsTest, whatIsDividedByExamplesSharesThem) {
  plan::Plan plan = planOf({{"a", MeanOf::Labels, "z"}});
  plan.inputs.erase(plan.inputs.begin());
  LossCounts counts(plan);
  addAll(counts);
  EXPECT_EQ(counts.valid(), 3);
  EXPECT_EQ(counts.shares()[0], 3 / 4.0);
  EXPECT_FALSE(counts.areOfLabels());
}

} // namespace
} // namespace windlass
