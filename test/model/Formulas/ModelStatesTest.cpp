// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Formulas/ModelStates.h"
#include "test/model/Formulas/Printed.h"

#include <array>
#include <gtest/gtest.h>

using namespace windlass::model;

namespace {

constexpr std::array kStages = {ZeroStage::OptimizerStates, ZeroStage::Gradients, ZeroStage::Parameters};

double perDevice(double parameters, ZeroStage stage, int64_t dataRanks, int64_t modelRanks = 1) {
  return stateBytesPerDevice(parameters, *mixedPrecisionStates(16), stage, {dataRanks, modelRanks}) / kG;
}

/// A cell as printed. `isCut`: its digits were cut off, not rounded.
struct Cell {
  const char *printed;
  bool isCut = false;
};
constexpr bool Cut = true;

struct Row {
  int64_t dataRanks;
  std::array<Cell, 9> cells; ///< 7.5B, 128B, 1T: Pos, Pos+g, Pos+g+p each
};

constexpr Row kTable1[] = {
    {1, {{{"120"}, {"120"}, {"120"}, {"2048"}, {"2048"}, {"2048"}, {"16000"}, {"16000"}, {"16000"}}}},
    {4, {{{"52.5"}, {"41.3"}, {"30"}, {"896"}, {"704"}, {"512"}, {"7000"}, {"5500"}, {"4000"}}}},
    {16, {{{"35.6"}, {"21.6"}, {"7.5"}, {"608"}, {"368"}, {"128"}, {"4750"}, {"2875"}, {"1000"}}}},
    {64, {{{"31.4"}, {"16.6"}, {"1.88"}, {"536"}, {"284"}, {"32"}, {"4187", Cut}, {"2218", Cut}, {"250"}}}},
    {256, {{{"30.4"}, {"15.4"}, {"0.47"}, {"518"}, {"263"}, {"8"}, {"4046", Cut}, {"2054", Cut}, {"62.5"}}}},
    {1024,
     {{{"30.1"},
       {"15.1"},
       {"0.12"},
       {"513", Cut},
       {"257", Cut},
       {"2"},
       {"4011", Cut},
       {"2013", Cut},
       {"15.6"}}}}};

TEST(ModelStates, ReproduceTable1OfZero) {
  constexpr std::array models = {7.5e9, 128e9, 1e12};
  for (const Row &row : kTable1)
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const auto &[printed, isCut] = row.cells[i];
      double value = perDevice(models[i / 3], kStages[i % 3], row.dataRanks);
      EXPECT_EQ(isCut ? cut(value, printed) : rounded(value, printed), printed) << row.dataRanks << ", " << i;
      EXPECT_EQ(rounded(value, printed) == printed, !isCut) << row.dataRanks << ", " << i;
    }
}

TEST(ModelStates, ReproduceTheTextOfZero) {
  // Figure 1 and Sections 5.1-5.3.
  EXPECT_EQ(rounded(perDevice(7.5e9, ZeroStage::Nothing, 64), "120"), "120");
  EXPECT_EQ(rounded(perDevice(7.5e9, ZeroStage::OptimizerStates, 64), "31.4"), "31.4");
  EXPECT_EQ(rounded(perDevice(7.5e9, ZeroStage::Gradients, 64), "16.6"), "16.6");
  EXPECT_EQ(rounded(perDevice(7.5e9, ZeroStage::Parameters, 64), "1.9"), "1.9");
  // Section 2: 1.5B parameters take 3 GB in 16 bits, and at least 24 GB with all states.
  EXPECT_EQ(1.5e9 * mixedPrecisionStates(16)->parameter, 3 * kG);
  EXPECT_EQ(modelStateBytes(1.5e9, *mixedPrecisionStates(16)), 24 * kG);
  // Section 7: 32B with 16-way model parallelism and 64-way data parallelism.
  EXPECT_EQ(rounded(perDevice(32e9, ZeroStage::Nothing, 64, 16), "32"), "32");
  EXPECT_EQ(rounded(perDevice(32e9, ZeroStage::OptimizerStates, 64, 16), "8.4"), "8.4");
  EXPECT_EQ(rounded(perDevice(32e9, ZeroStage::Gradients, 64, 16), "4.4"), "4.4");
  EXPECT_EQ(rounded(perDevice(32e9, ZeroStage::Parameters, 64, 16), "0.5"), "0.5");
}

TEST(ModelStates, SaveUpToFourAndEightTimesAndByTheRanks) {
  double whole = perDevice(1e12, ZeroStage::Nothing, 1);
  EXPECT_NEAR(whole / perDevice(1e12, ZeroStage::OptimizerStates, 1 << 30), 4, 1e-6);
  EXPECT_NEAR(whole / perDevice(1e12, ZeroStage::Gradients, 1 << 30), 8, 1e-6);
  EXPECT_EQ(whole / perDevice(1e12, ZeroStage::Parameters, 1024), 1024);
}

/// Billions of parameters at 32 GB and DP 64.
double largest(ZeroStage stage, int64_t modelRanks) {
  return largestModel(32 * kG, *mixedPrecisionStates(16), stage, {64, modelRanks}) / kG;
}

TEST(ModelStates, ReproduceTheBoundsOfTable2OfZero) {
  struct Bounds {
    int64_t modelRanks;
    const char *baseline, *optimizer, *gradients, *parameters;
  };
  constexpr Bounds rows[] = {{1, "2", "7.6", "14.4", "128"},
                             {2, "4", "15.2", "28.8", "256"},
                             {4, "8", "30.4", "57.6", "512"},
                             {8, "16", "60.8", "115.2", "1024"},
                             {16, "32", "121.6", "230.4", "2048"}};
  for (const auto &[modelRanks, baseline, optimizer, gradients, parameters] : rows) {
    auto m = static_cast<double>(modelRanks);
    EXPECT_EQ(rounded(largest(ZeroStage::Nothing, modelRanks), baseline), baseline);
    EXPECT_EQ(rounded(largest(ZeroStage::Parameters, modelRanks), parameters), parameters);
    // The rows below the first are the printed digits of the first row times MP.
    EXPECT_EQ(rounded(std::stod(rounded(largest(ZeroStage::OptimizerStates, 1), "7.6")) * m, optimizer),
              optimizer);
    EXPECT_EQ(rounded(std::stod(rounded(largest(ZeroStage::Gradients, 1), "14.4")) * m, gradients),
              gradients);
  }
  // From MP 4 on the last column is printed in trillions.
  EXPECT_EQ(rounded(largest(ZeroStage::Parameters, 4) / 1e3, "0.5"), "0.5");
  EXPECT_EQ(rounded(largest(ZeroStage::Parameters, 8) / 1e3, "1"), "1");
  EXPECT_EQ(rounded(largest(ZeroStage::Parameters, 16) / 1e3, "2"), "2");
}

/// The trained models have the size for which states leave room: with Pos 82 % of the size that the states
/// alone allow, up to the rounding of a digit; without Pos 63 to 65 %.
TEST(ModelStates, BoundWhatWasTrainedInTable2OfZero) {
  for (const MeasuredModels &row : largestModelsMeasured()) {
    SCOPED_TRACE(row.modelRanks);
    const double ofBaseline = row.baseline / kG / largest(ZeroStage::Nothing, row.modelRanks),
                 ofPos = row.optimizerStates / kG / largest(ZeroStage::OptimizerStates, row.modelRanks);
    EXPECT_GE(ofBaseline, 0.625);
    EXPECT_LE(ofBaseline, 0.65);
    EXPECT_GE(ofPos, 0.81);
    EXPECT_LE(ofPos, 0.82);
  }
}

TEST(ModelStates, BoundWhatFitsIsWhatTakesTheWholeDevice) {
  for (int64_t bytes : {16, 18, 20})
    for (ZeroStage stage :
         {ZeroStage::Nothing, ZeroStage::OptimizerStates, ZeroStage::Gradients, ZeroStage::Parameters}) {
      StateMesh mesh{48, 4};
      double most = largestModel(32e9, *mixedPrecisionStates(bytes), stage, mesh);
      EXPECT_NEAR(stateBytesPerDevice(most, *mixedPrecisionStates(bytes), stage, mesh), 32e9, 1);
    }
}

TEST(ModelStates, ReproduceTheBoundsOfFigure6a) {
  StateBytes states = *mixedPrecisionStates(20);
  EXPECT_EQ(rounded(largestModel(32e9, states, ZeroStage::Nothing, {}) / kG, "1.6"), "1.6");
  EXPECT_EQ(rounded(largestModel(32e9, states, ZeroStage::Gradients, {16, 1}) / kG, "10.24"), "10.24");
  EXPECT_EQ(rounded(largestModel(32e9, states, ZeroStage::Parameters, {16, 1}) / kG, "25.6"), "25.6");
}

TEST(ModelStates, TakeTheBytesOfAParameterThatAreAskedFor) {
  for (int64_t bytes : {16, 18, 20})
    EXPECT_EQ(mixedPrecisionStates(bytes)->all(), static_cast<double>(bytes));
  EXPECT_FALSE(mixedPrecisionStates(0));
  EXPECT_FALSE(mixedPrecisionStates(17));
  // If gradients are accumulated in fp32, sharding gradients saves twice as much.
  EXPECT_EQ(stateBytesPerDevice(64, *mixedPrecisionStates(18), ZeroStage::Gradients, {64, 1}), 2 * 64 + 16);
  // Training in fp32: a parameter, a gradient, and two moments.
  EXPECT_EQ(stateBytesPerDevice(64, {4, 4, 8}, ZeroStage::OptimizerStates, {64, 1}), 8 * 64 + 8);
}

TEST(ModelStates, AreSharedOutInsideGroups) {
  // 1.5B parameters on 16 groups of 8: 24 GB over 8 ranks, for any number of groups.
  const StateBytes states = *mixedPrecisionStates(16);
  const StateMesh mesh{128, 1, 8};
  EXPECT_EQ(stateBytesPerDevice(1.5e9, states, ZeroStage::Parameters, mesh), 3 * kG);
  EXPECT_EQ(stateBytesPerDevice(1.5e9, states, ZeroStage::Gradients, mesh), (3 + 21. / 8) * kG);
  EXPECT_EQ(stateBytesPerDevice(1.5e9, states, ZeroStage::Nothing, mesh), 24 * kG);
  EXPECT_EQ(largestModel(3 * kG, states, ZeroStage::Parameters, mesh), 1.5e9);
  // hpZ shards 24 GB over all 128 ranks, and 3 GB once more over 8.
  EXPECT_EQ(hpzStateBytesPerDevice(1.5e9, states, mesh), (24. / 128 + 3. / 8) * kG);
  // Without this primary copy: 3 GB over 8 ranks, and 21 GB over all.
  const StateMesh parts{128, 1, 8, true};
  EXPECT_EQ(stateBytesPerDevice(1.5e9, states, ZeroStage::Parameters, parts), (3. / 8 + 21. / 128) * kG);
  EXPECT_EQ(stateBytesPerDevice(1.5e9, states, ZeroStage::Gradients, parts), (3 + 21. / 128) * kG);
  // One group of all ranks is ZeRO.
  for (int64_t group : {0, 128})
    EXPECT_EQ(stateBytesPerDevice(1.5e9, states, ZeroStage::Parameters, {128, 1, group}),
              stateBytesPerDevice(1.5e9, states, ZeroStage::Parameters, {128, 1}));
}

TEST(ModelStates, CommunicateInsideGroupsAndOnceAcross) {
  for (int64_t microBatches : {1, 4}) {
    auto m = static_cast<double>(microBatches);
    WireElements parameters = communicationElements(1e9, ZeroStage::Parameters, {128, 1, 8}, microBatches);
    EXPECT_EQ(parameters.inside, 3 * m * 1e9);
    EXPECT_EQ(parameters.across, 2e9 / 8);
    for (ZeroStage stage : {ZeroStage::Nothing, ZeroStage::OptimizerStates, ZeroStage::Gradients}) {
      WireElements whole = communicationElements(1e9, stage, {128, 1, 8}, microBatches);
      EXPECT_EQ(whole.inside, (m + 1) * 1e9);
      EXPECT_EQ(whole.across, 2e9 / 8);
      EXPECT_EQ(communicationElements(1e9, stage, {128, 1}, microBatches).across, 0);
    }
    // If gradients are sharded over all ranks, groups are summed in every micro-batch.
    WireElements parts = communicationElements(1e9, ZeroStage::Parameters, {128, 1, 8, true}, microBatches);
    EXPECT_EQ(parts.inside, 3 * m * 1e9);
    EXPECT_EQ(parts.across, (m + 1) * 1e9 / 8);
  }
}

TEST(ModelStates, CommunicateTwiceOrThreeTimesTheParameters) {
  EXPECT_EQ(communicationElements(7.5e9, ZeroStage::Nothing), 15e9);
  EXPECT_EQ(communicationElements(7.5e9, ZeroStage::OptimizerStates), 15e9);
  EXPECT_EQ(communicationElements(7.5e9, ZeroStage::Gradients), 15e9);
  EXPECT_EQ(communicationElements(7.5e9, ZeroStage::Parameters), 22.5e9);
  // If ranks divide the parameters, each moves its own.
  EXPECT_EQ(communicationElements(7.5e9, ZeroStage::Gradients, {64, 4}, 1).inside, 15e9 / 4);
  EXPECT_EQ(communicationElements(7.5e9, ZeroStage::Parameters, {64, 4, 8}, 1).across, 2 * 7.5e9 / 4 / 8);
}

} // namespace
