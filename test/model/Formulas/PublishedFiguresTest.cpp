// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The published figures that do not follow from their own formulas: the printed figure, the value of the
// formula, and the reason.

#include "model/Formulas/ActivationMemory.h"
#include "model/Formulas/Bandwidth.h"
#include "model/Formulas/ModelStates.h"
#include "test/model/Formulas/Printed.h"

#include <gtest/gtest.h>

using namespace windlass::model;

namespace {

constexpr int64_t K = 1024;
constexpr double kPeak = 70e12;

struct Figure {
  const char *where, *printed, *formula; ///< as many digits in both
  double value;                          ///< of the formula
  const char *why;
};

double perDevice(double parameters, ZeroStage stage, int64_t dataRanks) {
  return stateBytesPerDevice(parameters, *mixedPrecisionStates(16), stage, {dataRanks, 1}) / kG;
}
double largest(ZeroStage stage, int64_t modelRanks) {
  return largestModel(32 * kG, *mixedPrecisionStates(16), stage, {64, modelRanks}) / kG;
}
double parameters(int64_t layers, int64_t hidden) { return parameterCount({layers, hidden, 1, K}); }
double statesOf1T(int64_t bytes) {
  StateMesh mesh{512, 1};
  return stateBytesPerDevice(parameters(128, 25 * K), *mixedPrecisionStates(bytes), ZeroStage::Parameters,
                             mesh) /
         kG;
}
double kept(int64_t layers, int64_t hidden, int64_t heads) {
  Transformer model{layers, hidden, heads, 2 * K};
  return 100 * activationBytesPerLayer(model, 1, {8, true}, Recomputed::AttentionCore) /
         activationBytesPerLayer(model, 1, {8, false}, Recomputed::Nothing);
}
/// INF Figure 2a: the activations of all layers with 32 sequences.
double allActivations(int64_t layers, int64_t hidden, int64_t heads) {
  return activationWorkingBytes({layers, hidden, heads, K}, 32, layers) / kTi;
}

constexpr const char *kCut = "cut off, not rounded (the column of 7.5B is rounded)";
constexpr const char *kTimes = "the rounded first row times MP";
constexpr const char *kTwice = "printed twice as large as Eq. 5 for every layer, in each row";
constexpr const char *kName = "the name of the model is rounder than its layers and hidden size";
constexpr const char *kAppendix = "configuration of the published appendix; the name is not its size";
constexpr auto Optimizer = ZeroStage::OptimizerStates, Gradients = ZeroStage::Gradients;

const Figure kFigures[] = {
    {"ZeRO Table 1, 128B, DP 1024, Pos", "513", "514", perDevice(128e9, Optimizer, 1024), kCut},
    {"ZeRO Table 1, 128B, DP 1024, Pos+g", "257", "258", perDevice(128e9, Gradients, 1024), kCut},
    {"ZeRO Table 1, 1T, DP 64, Pos", "4187", "4188", perDevice(1e12, Optimizer, 64), kCut},
    {"ZeRO Table 1, 1T, DP 64, Pos+g", "2218", "2219", perDevice(1e12, Gradients, 64), kCut},
    {"ZeRO Table 1, 1T, DP 256, Pos", "4046", "4047", perDevice(1e12, Optimizer, 256), kCut},
    {"ZeRO Table 1, 1T, DP 256, Pos+g", "2054", "2055", perDevice(1e12, Gradients, 256), kCut},
    {"ZeRO Table 1, 1T, DP 1024, Pos", "4011", "4012", perDevice(1e12, Optimizer, 1024), kCut},
    {"ZeRO Table 1, 1T, DP 1024, Pos+g", "2013", "2014", perDevice(1e12, Gradients, 1024), kCut},
    {"ZeRO Table 2, MP 2, Pos", "15.2", "15.3", largest(Optimizer, 2), kTimes},
    {"ZeRO Table 2, MP 4, Pos", "30.4", "30.6", largest(Optimizer, 4), kTimes},
    {"ZeRO Table 2, MP 8, Pos", "60.8", "61.1", largest(Optimizer, 8), kTimes},
    {"ZeRO Table 2, MP 16, Pos", "121.6", "122.3", largest(Optimizer, 16), kTimes},
    {"ZeRO Table 2, MP 4, Pos+g", "57.6", "57.7", largest(Gradients, 4), kTimes},
    {"ZeRO Table 2, MP 8, Pos+g", "115.2", "115.4", largest(Gradients, 8), kTimes},
    {"ZeRO Table 2, MP 16, Pos+g", "230.4", "230.8", largest(Gradients, 16), kTimes},
    {"ZeRO Table 5, 20B (111 x 3808)", "20.0", "19.3", parameters(111, 3808) / kG, kName},
    {"ZeRO Table 7, speedup", "3.75", "3.76", 40.2 / 10.7, "cut off, not rounded"},
    {"INF Figure 2a, 0.1T, MSWM", "1.95", "1.56", modelStateWorkingBytes({80, 10 * K, 128, K}) / kGi,
     "as if for another hidden size: Eq. 4 holds in the other four rows"},
    {"INF Figure 2a, 0.1T, activations", "2.03", "1.02", allActivations(80, 10 * K, 128), kTwice},
    {"INF Figure 2a, 0.5T, activations", "3.91", "1.95", allActivations(100, 20 * K, 160), kTwice},
    {"INF Figure 2a, 1T, activations", "7.13", "3.56", allActivations(128, 25 * K, 256), kTwice},
    {"INF Figure 2a, 10T, activations", "24.38", "12.19", allActivations(195, 64 * K, 512), kTwice},
    {"INF Figure 2a, 100T, activations", "88.59", "44.30", allActivations(315, 160 * K, 1024), kTwice},
    {"INF Section 4.2, TB/s for 90 % at batch 2", "1.5", "1.2",
     bandwidthFor(0.9, intensityOfOptimizerStates(K, 2), kPeak) / kT, "1.5 TB/s give 91.6 %"},
    {"INF Section 4.2, GB/s for 50 % at batch 1", "70", "68",
     bandwidthFor(0.5, intensityOfParametersAndGradients(K, 1), kPeak) / kG,
     "70 GB/s are the round number above"},
    {"INF Table 1, GB a GPU that must hold 1T on 512 GPUs", "32.0", "39.3", statesOf1T(20),
     "fits only at 16 bytes a parameter, not at the 20 of Eq. 2"},
    {"INF Table 3, 10x, aggregate TB/s", "15.0", "15.4", 512 * 30e9 / kT, "the rounded 1.5 times 10"},
    {"INF Table 3, 100x, aggregate TB/s", "150.0", "153.6", 512 * 300e9 / kT, "the rounded 1.5 times 100"},
    {"INF Table 4, 70B", "70.0", "100.7", parameters(125, 8 * K) / kG, kAppendix},
    {"INF Table 4, 1.4B", "1.40", "1.13", parameters(40, 1536) / kG, kAppendix},
    {"INF Table 5, 900M", "900", "805", parameters(1, 8 * K) / 1e6, kAppendix},
    {"INF Table 8, 275M", "275", "252", parameters(5, 2 * K) / 1e6, kAppendix},
    {"ACT summary, 530B, percent", "20.0", "20.2", kept(105, 20480, 128), "said to be under 20 %"},
    {"ACT summary, 1T, percent", "20.0", "20.2", kept(128, 25600, 160), "said to be under 20 %"},
    {"ACT iteration time, 22B, gain in percent", "29.0", "29.1", 100 * (1.42 / 1.10 - 1),
     "computed before the times were rounded"},
    {"ACT iteration time, 175B, gain in percent", "31.8", "31.9", 100 * (18.13 / 13.75 - 1),
     "computed before the times were rounded"},
};

TEST(PublishedFigures, ThatDoNotFollowFromTheirFormulasAreThese) {
  for (const Figure &figure : kFigures) {
    EXPECT_EQ(rounded(figure.value, figure.formula), figure.formula) << figure.where << ": " << figure.why;
    EXPECT_EQ(decimals(figure.printed), decimals(figure.formula)) << figure.where;
    EXPECT_STRNE(figure.printed, figure.formula) << figure.where << " follows after all";
  }
}

TEST(PublishedFigures, AreExplained) {
  // Digits that were cut off.
  EXPECT_EQ(cut(perDevice(1e12, Gradients, 64), "2218"), "2218");
  EXPECT_EQ(cut(40.2 / 10.7, "3.75"), "3.75");
  // 1T on 512 GPUs of 32 GB: 16 bytes per parameter fit, and 18 and 20 do not.
  EXPECT_EQ(rounded(statesOf1T(16), "31.5"), "31.5");
  EXPECT_GT(statesOf1T(18), 32);
  // The efficiency at 1.5 TB/s.
  EXPECT_EQ(rounded(100 * efficiency(intensityOfOptimizerStates(K, 2), 1.5e12, kPeak), "91.6"), "91.6");
  // Figure 6b: 16K whole is said not to fit where 64K in 16 tiles fits, although their largest tensors are
  // equal.
  EXPECT_EQ(modelStateWorkingBytes({1, 16 * K, 1, K}) / 2, 2 * kGi);
  EXPECT_EQ(modelStateWorkingBytes({1, 64 * K, 1, K}) / 2 / 16, 2 * kGi);
}

} // namespace
