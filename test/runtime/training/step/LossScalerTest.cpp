// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss scale from step to step: growth, backoff, bounds, and the state from a checkpoint.
#include "runtime/training/step/LossScaler.h"

#include "runtime/training/checkpoint/TrainerState.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <gtest/gtest.h>

namespace windlass {
namespace {

const plan::LossScale kDynamic = {1024, 3, 4};

TEST(LossScalerTest, doublesAfterAWindowAndHalvesAtOnce) {
  LossScaler scaler(kDynamic, {});
  std::vector<double> scales;
  for (bool overflowed : {false, false, true, false, false, false, false, false, true}) {
    scales.push_back(scaler.scale());
    scaler.update(overflowed);
  }
  // The overflow of the third step restarts the window.
  EXPECT_EQ(scales, (std::vector<double>{1024, 1024, 1024, 512, 512, 512, 1024, 1024, 1024}));
  EXPECT_EQ(scaler.state(), (LossScaleState{512, 0, 2}));
}

TEST(LossScalerTest, staysWithinItsBounds) {
  LossScaler low(kDynamic, {6, 0, 0});
  low.update(true);
  EXPECT_EQ(low.scale(), 4); // and not 3
  EXPECT_TRUE(low.isLeast(4));
  EXPECT_FALSE(low.isLeast(6));
  LossScaler high({1e30, 1, 1}, {});
  high.update(false);
  EXPECT_EQ(high.scale(), 1e30);
}

TEST(LossScalerTest, aFixedScaleStaysAndIsAlwaysTheLeast) {
  LossScaler scaler({100, 0, 100}, {8, 1, 2});
  EXPECT_EQ(scaler.scale(), 100);
  EXPECT_TRUE(scaler.isFixed());
  scaler.update(true);
  scaler.update(false);
  EXPECT_EQ(scaler.scale(), 100);
  EXPECT_TRUE(scaler.isLeast(100));
  EXPECT_EQ(scaler.state().skippedSteps, 3);
  EXPECT_TRUE(LossScaler({100, 0, 1}, {}).isLeast(100)); // a fixed scale is always the least
}

TEST(LossScalerTest, anUnscaledLossHasNothingToKeep) {
  LossScaler scaler({}, {});
  EXPECT_FALSE(scaler.isOn());
  EXPECT_EQ(scaler.scale(), 1);
  scaler.update(true);
  EXPECT_EQ(scaler.state(), LossScaleState());
}

/// The steps that an fp16 run skipped still count in a run that continues in bf16.
TEST(LossScalerTest, goesThroughACheckpointAsItIs) {
  TemporaryFolder folder;
  TrainerState state;
  state.step = 9;
  state.version = "1";
  EXPECT_EQ(printTrainerState(state).find("loss_scale"), std::string::npos);
  state.lossScale = {0x1p40, 2, 4};
  Result<TrainerState> read = readTrainerState(folder.write("s", printTrainerState(state)));
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(read->lossScale, state.lossScale);
  LossScaler scaler(kDynamic, read->lossScale);
  scaler.update(false); // the third finite step in a row
  EXPECT_EQ(scaler.scale(), 0x1p41);
  EXPECT_EQ(LossScaler({}, read->lossScale).state(), state.lossScale);

  state.lossScale.skippedSteps = 10;
  EXPECT_NE(readTrainerState(folder.write("more", printTrainerState(state)))
                .status()
                .message()
                .find("loss_scale.skipped_steps: must be a whole number from 0 to 9, is 10"),
            std::string::npos);
}

} // namespace
} // namespace windlass
