// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Formulas/ActivationMemory.h"
#include "model/Formulas/ModelStates.h"
#include "test/model/Formulas/Printed.h"

#include <gtest/gtest.h>

using namespace windlass::model;

namespace {

constexpr int64_t K = 1024;

/// ZeRO-Infinity, Figure 2a. TB and GB are binary. Sequences have 1024 tokens, with 32 sequences per node and
/// 4 per GPU.
struct Figure2a {
  Transformer model;
  const char *parameters, *states, *activations, *checkpoints, *stateWorking, *activationWorking;
};
constexpr Figure2a kFigure2a[] = {
    {{80, 10 * K, 128, K}, "0.10", "1.83", "2.03", "0.05", "1.56", "1.63"}, // printed MSWM: see Published
    {{100, 20 * K, 160, K}, "0.50", "9.16", "3.91", "0.12", "6.25", "2.50"},
    {{128, 25 * K, 256, K}, "1.01", "18.31", "7.13", "0.20", "9.77", "3.56"},
    {{195, 64 * K, 512, K}, "10.05", "182.81", "24.38", "0.76", "64.00", "8.00"},
    {{315, 160 * K, 1024, K}, "101.47", "1845.70", "88.59", "3.08", "400.00", "18.00"}};

TEST(ActivationMemory, ReproducesFigure2aOfZeroInfinity) {
  for (const Figure2a &row : kFigure2a) {
    double parameters = parameterCount(row.model);
    EXPECT_EQ(rounded(parameters / kT, row.parameters), row.parameters);
    EXPECT_EQ(rounded(modelStateBytes(parameters, *mixedPrecisionStates(20)) / kTi, row.states), row.states);
    EXPECT_EQ(rounded(checkpointBytes(row.model, 32, 1) / kTi, row.checkpoints), row.checkpoints);
    EXPECT_EQ(rounded(modelStateWorkingBytes(row.model) / kGi, row.stateWorking), row.stateWorking);
    EXPECT_EQ(rounded(activationWorkingBytes(row.model, 4, 1) / kGi, row.activationWorking),
              row.activationWorking);
    // "All activations" is Eq. 5 for all layers, twice: see Published.
    double everyLayer = activationWorkingBytes(row.model, 32, row.model.layers);
    EXPECT_EQ(rounded(2 * everyLayer / kTi, row.activations), row.activations);
  }
}

TEST(ActivationMemory, ReproducesTheCheckpointsOfTable1OfZeroInfinity) {
  struct Row {
    int64_t hidden, layers;
    double perGpu;         ///< sequences
    const char *terabytes; ///< of a node of 16 GPUs, decimal
  };
  constexpr Row rows[] = {{4, 50, 8, "0.05"},     {8, 62, 26, "0.43"},  {8, 125, 24, "0.81"},
                          {18, 124, 8, "0.60"},   {25, 128, 7, "0.75"}, {18, 124, 7, "0.52"},
                          {25, 128, 5, "0.54"},   {48, 174, 3, "0.84"}, {64, 200, 2, "0.86"},
                          {88, 205, 1.25, "0.76"}};
  for (const auto &[hidden, layers, perGpu, terabytes] : rows) {
    Transformer model{layers, hidden * K, 1, K};
    EXPECT_EQ(rounded(checkpointBytes(model, static_cast<int64_t>(16 * perGpu), 1) / kT, terabytes),
              terabytes);
  }
}

TEST(ActivationMemory, KeepsFewerCheckpointsOrWorksOnMore) {
  Transformer model{12, 768, 12, K};
  EXPECT_EQ(checkpointBytes(model, 4, 1), 2.0 * 4 * 1024 * 768 * 12);
  EXPECT_EQ(checkpointBytes(model, 4, 3), checkpointBytes(model, 4, 1) / 3);
  EXPECT_EQ(activationWorkingBytes(model, 4, 3), 3 * activationWorkingBytes(model, 4, 1));
}

/// "Reducing Activation Recomputation": 8 tensor-parallel ranks, sequences of 2048, in percent of the
/// tensor-parallel baseline.
struct Savings {
  Transformer model;
  int64_t batch;
  const char *coreFactor, *sequence, *selective, *both, *full;
};
constexpr Savings kSavings[] = {{{48, 6144, 64, 2048}, 4, "106.7", "66.8", "49.4", "16.1", "7.6"},
                                {{96, 12288, 96, 2048}, 1, "80", "62.0", "56.5", "18.5", "8.7"},
                                {{105, 20480, 128, 2048}, 1, "64", "58.3", "61.9", "20.2", "9.5"},
                                {{128, 25600, 160, 2048}, 1, "64", "58.3", "61.9", "20.2", "9.5"}};

TEST(ActivationMemory, ReproducesTheSavingsOfParallelismAndRecomputation) {
  for (const auto &[model, batch, coreFactor, sequence, selective, both, full] : kSavings) {
    double baseline = activationBytesPerLayer(model, batch, {8, false}, Recomputed::Nothing);
    auto percent = [&](bool sequenceParallel, Recomputed recomputed, const char *printed) {
      double bytes = activationBytesPerLayer(model, batch, {8, sequenceParallel}, recomputed);
      EXPECT_EQ(rounded(100 * bytes / baseline, printed), printed);
    };
    percent(true, Recomputed::Nothing, sequence);
    percent(false, Recomputed::AttentionCore, selective);
    percent(true, Recomputed::AttentionCore, both);
    percent(false, Recomputed::Layer, full);
    double sbh = static_cast<double>(model.sequence * batch * model.hidden);
    EXPECT_EQ(rounded(activationParts(model, batch).core / sbh, coreFactor), coreFactor);
  }
}

/// ACT Section 4.2.3, with the stages and chunks of its Table 3: the stages of GPT-3 and MT-NLG are
/// interleaved.
TEST(ActivationMemory, OfTheFirstStageIsThatOfAllLayersAndMoreWithChunks) {
  EXPECT_EQ(layersHeldByFirstStage(96, 8, 1), 96);
  EXPECT_EQ(layersHeldByFirstStage(96, 8, 3), 96 * (1 + 7.0 / 24));
  EXPECT_EQ(layersHeldByFirstStage(105, 35, 3), 105 + 34);
}

TEST(ActivationMemory, IsTheSumOfItsParts) {
  Transformer model{1, 16, 2, 8};
  double sbh = 8 * 3 * 16, core = 5 * 2 * 8 * 8 * 3;
  ActivationParts parts = activationParts(model, 3);
  EXPECT_EQ(parts.attention, 11 * sbh);
  EXPECT_EQ(parts.core, core);
  EXPECT_EQ(parts.mlp, 19 * sbh);
  EXPECT_EQ(parts.norms, 4 * sbh);
  EXPECT_EQ(parts.all(), activationBytesPerLayer(model, 3, {}, Recomputed::Nothing));
}

TEST(ActivationMemory, OfEveryVariantIsExactToTheByte) {
  Transformer model{1, 16, 2, 8};
  double sbh = 8 * 3 * 16, core = 5 * 2 * 8 * 8 * 3;
  auto bytes = [&](bool sequenceParallel, Recomputed recomputed) {
    return activationBytesPerLayer(model, 3, {2, sequenceParallel}, recomputed);
  };
  EXPECT_EQ(bytes(false, Recomputed::Nothing), 10 * sbh + 12 * sbh + core / 2);
  EXPECT_EQ(bytes(true, Recomputed::Nothing), 17 * sbh + core / 2);
  EXPECT_EQ(bytes(false, Recomputed::AttentionCore), 22 * sbh);
  EXPECT_EQ(bytes(true, Recomputed::AttentionCore), 17 * sbh);
  EXPECT_EQ(bytes(false, Recomputed::Layer), 2 * sbh);
  EXPECT_EQ(bytes(true, Recomputed::Layer), 2 * sbh);
  EXPECT_EQ(bytes(false, Recomputed::LayerInParts), sbh);
  EXPECT_EQ(activationBytesPerLayer(model, 3, {}, Recomputed::AttentionCore), 34 * sbh);
}

} // namespace
