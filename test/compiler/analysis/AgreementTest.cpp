// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures counted in the IR of a GPT-2 are exactly those of the papers' formulas, except for terms that
// the tests name.
#include "compiler/analysis/Figures.h"
#include "compiler/driver/Analyze.h"
#include "model/Formulas/ActivationMemory.h"
#include "model/Formulas/Bandwidth.h"
#include "test/model/Formulas/Printed.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;
using analysis::Analysis;
using model::Recomputed;

namespace {

Result<Analysis> tryAnalyze(const Job &job, const analysis::Options &options = {}) {
  TemporaryFolder folder;
  CompileRequest request;
  request.model =
      folder.write(job.model.contains("model_type") ? "config.json" : "model.json", job.model.dump());
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  return analyze(request, options);
}

/// The sizes of a GPT-2, and the type of its computation.
struct Sizes {
  int64_t layers, hidden, heads, sequence, vocabulary, batch;
  const char *compute;
};

Job jobOf(const Sizes &sizes) {
  Job job = tinyGpt2(2, 3, sizes.batch);
  job.model.merge_patch({{"n_layer", sizes.layers},
                         {"n_embd", sizes.hidden},
                         {"n_head", sizes.heads},
                         {"n_positions", sizes.sequence},
                         {"vocab_size", sizes.vocabulary}});
  return job.with({{"sequence", sizes.sequence}, {"precision", {{"compute", sizes.compute}}}});
}

class Agreement : public ::testing::TestWithParam<Sizes> {
protected:
  void SetUp() override {
    Result<Analysis> result = tryAnalyze(jobOf(GetParam()));
    ASSERT_TRUE(result) << result.status().message();
    found = *result;
    ASSERT_TRUE(found.transformer);
  }

  const Sizes &s = GetParam();
  Analysis found;
  bool isHalf = s.compute != std::string("fp32");
  double L = static_cast<double>(s.layers), h = static_cast<double>(s.hidden),
         a = static_cast<double>(s.heads), v = static_cast<double>(s.vocabulary),
         q = static_cast<double>(s.sequence), b = static_cast<double>(s.batch);
  double width = isHalf ? 2 : 4; ///< bytes of an activation; 2 in the papers
};

TEST_P(Agreement, OfSizes) {
  const model::Transformer &t = found.transformer->model;
  EXPECT_EQ(std::tuple(t.layers, t.hidden, t.heads, t.sequence),
            std::tuple(s.layers, s.hidden, s.heads, s.sequence));
  EXPECT_EQ(found.transformer->batch, s.batch);
  EXPECT_EQ(found.microBatches, 3);
}

TEST_P(Agreement, OfParameters) {
  // Eq. 1 leaves out biases and norms, embeddings and the last norm. The head is the token table.
  EXPECT_EQ(static_cast<double>(found.parameters.matrices), model::parameterCount(found.transformer->model));
  EXPECT_EQ(static_cast<double>(found.parameters.vectors), L * 13 * h);
  EXPECT_EQ(static_cast<double>(found.parameters.outside), (v + q) * h + 2 * h);
}

TEST_P(Agreement, OfModelStates) {
  // In 16 bits, states take the 18 bytes of training with fp32 gradients. fp32 has no masters. The tied table
  // has a second gradient, from the head, until the update adds both.
  model::StateBytes states = isHalf ? *model::mixedPrecisionStates(18) : model::StateBytes{4, 4, 8};
  auto parameters = static_cast<double>(found.parameters.all());
  EXPECT_EQ(static_cast<double>(found.states.parameters), parameters * states.parameter);
  EXPECT_EQ(static_cast<double>(found.states.gradients), (parameters + v * h) * states.gradient);
  EXPECT_EQ(static_cast<double>(found.states.optimizer), parameters * states.optimizer);
  EXPECT_EQ(static_cast<double>(found.states.all()), model::modelStateBytes(parameters, states) + 4 * v * h);
}

TEST_P(Agreement, OfActivationCheckpoints) {
  EXPECT_EQ(static_cast<double>(found.checkpoints.layers),
            model::checkpointBytes(found.transformer->model, s.batch, 1) * width / 2);
}

TEST_P(Agreement, OfActivationsOfALayer) {
  // Masks of dropout (two of sbh bytes) would be drawn again, not kept. Attention keeps one fp32 number per
  // head and token and recomputes its core, as selective recomputation does. Each norm keeps two fp32 numbers
  // per token.
  double sb = q * b, masks = 2 * sb * h, statistics = 4 * sb * a + 2 * 2 * 4 * sb;
  double selective =
      model::activationBytesPerLayer(found.transformer->model, s.batch, {}, Recomputed::AttentionCore);
  EXPECT_EQ(static_cast<double>(found.kept.largestLayer), (selective - masks) * width / 2 + statistics);
  EXPECT_EQ(found.kept.layers, s.layers * found.kept.largestLayer);
}

TEST_P(Agreement, OfActivationWorkingMemory) {
  // Eq. 5 counts half of the activations of a layer, and the pairs of tokens of attention, which are never in
  // the IR.
  const double sb = q * b, pairs = 2 * a * q * sb, statistics = 4 * sb * a + 2 * 2 * 4 * sb;
  const double papers = model::activationWorkingBytes(found.transformer->model, s.batch, 1);
  EXPECT_EQ(static_cast<double>(found.kept.largestLayer), 2 * (papers - pairs) * width / 2 + statistics);
}

TEST_P(Agreement, OfTheInputThatFullRecomputationKeeps) {
  EXPECT_EQ(static_cast<double>(found.checkpoints.largestLayer),
            model::activationBytesPerLayer(found.transformer->model, s.batch, {}, Recomputed::Layer) * width /
                2);
}

TEST_P(Agreement, OfModelStateWorkingMemory) {
  // The parameter and the gradient of h x 4h: 2 + 2 bytes in the paper, 2 + 4 in bf16, 4 + 4 in fp32.
  EXPECT_EQ(static_cast<double>(found.states.largestOperator),
            model::modelStateWorkingBytes(found.transformer->model) * (width + 4) / 4);
}

TEST_P(Agreement, OfComputation) {
  // Recomputation leaves out the last product of a layer, h x 4h, as no operation reads it again.
  double all = model::computationPerIteration(found.transformer->model, s.batch);
  double unread = L * 2 * b * q * 4 * h * h;
  EXPECT_EQ(found.linear.layers.forward, all / 4);
  EXPECT_EQ(found.linear.layers.recompute, all / 4 - unread);
  EXPECT_EQ(found.linear.layers.backward, all / 2);
  EXPECT_EQ(found.linear.layers.all(), all - unread);
}

TEST_P(Agreement, OfWhatComputationLeavesOut) {
  // Attention: scores and mixing, forward and again, and the scores once more for their gradients; four
  // products backward.
  analysis::MatmulFlops attention = found.all.layers - found.linear.layers;
  double product = 2 * b * q * q * h * L;
  EXPECT_EQ(attention.forward, 2 * product);
  EXPECT_EQ(attention.recompute, 3 * product);
  EXPECT_EQ(attention.backward, 4 * product);
  // No checkpoint covers the head.
  double head = 2 * b * q * h * v;
  EXPECT_EQ(found.all.outside.forward, head);
  EXPECT_EQ(found.all.outside.recompute, 0);
  EXPECT_EQ(found.all.outside.backward, 2 * head);
}

/// PaLM, Appendix B: a token takes 6 operations for each weight of a matrix, and 12 for each layer, hidden
/// number and token of its sequence. Nothing that is computed again counts.
TEST_P(Agreement, OfTheModelsOwnWork) {
  const analysis::MatmulFlops &layers = found.all.layers, &outside = found.all.outside;
  const double matrices = static_cast<double>(found.parameters.matrices) + v * h; // with the head
  EXPECT_EQ(layers.forward + layers.backward + outside.forward + outside.backward,
            b * q * (6 * matrices + 12 * L * h * q));
}

/// Eq. 9 to 11: the computation divided by the bytes counted in the IR.
TEST_P(Agreement, OfIntensities) {
  const double unread = L * 2 * b * q * 4 * h * h, computation = found.linear.layers.all() + unread,
               matrices = static_cast<double>(found.parameters.matrices),
               parameters = static_cast<double>(found.parameters.all());
  // A parameter moves three times, and its gradient once, all in 16 bits.
  EXPECT_EQ(computation / (4 * 2 * matrices), model::intensityOfParametersAndGradients(s.sequence, s.batch));
  // Optimizer states, and the gradients that they read, move both ways: 16 bytes per parameter in 16 bits; in
  // fp32, without masters, 12.
  const double gradients = static_cast<double>(found.states.gradients) - 4 * v * h,
               each = (gradients + static_cast<double>(found.states.optimizer)) / parameters;
  EXPECT_EQ(each, isHalf ? 16 : 12);
  EXPECT_EQ(computation / (2 * each * matrices) * each / 16,
            model::intensityOfOptimizerStates(s.sequence, s.batch));
  // Checkpoints move both ways.
  EXPECT_EQ(computation / (2 * static_cast<double>(found.checkpoints.layers)) * width / 2,
            model::intensityOfCheckpoints(s.hidden, 1));
}

INSTANTIATE_TEST_SUITE_P(Gpt2, Agreement,
                         ::testing::Values(Sizes{2, 64, 2, 32, 256, 1, "fp32"},
                                           Sizes{2, 64, 2, 32, 256, 1, "bf16"},
                                           Sizes{2, 64, 2, 32, 256, 1, "fp16"},
                                           Sizes{4, 96, 3, 40, 320, 2, "fp32"},
                                           Sizes{5, 128, 8, 24, 512, 3, "bf16"}));

/// Counts a row of ZeRO-Infinity's Figure 2a. Except for the terms above, it is as printed. The 20 bytes per
/// parameter are the 18 of the IR and a 16-bit gradient. Eq. 4 gives 1.56, where 1.95 is printed.
TEST(Figure2a, SmallestModelIsCountedInTheIr) {
  constexpr double K = 1024;
  const Sizes sizes{80, 10240, 128, 1024, 50257, 32, "bf16"};
  Result<Analysis> found = tryAnalyze(jobOf(sizes), {20, 1});
  ASSERT_TRUE(found) << found.status().message();
  const auto matrices = static_cast<double>(found->parameters.matrices),
             all = static_cast<double>(found->parameters.all());
  EXPECT_EQ(model::rounded(matrices / model::kT, "0.10"), "0.10");
  const double table = 50257.0 * 10240, states = static_cast<double>(found->states.all()) - 4 * table;
  EXPECT_EQ(states, 18 * all);
  EXPECT_EQ(model::rounded((states / all + 2) * matrices / model::kTi, "1.83"), "1.83");
  EXPECT_EQ(model::rounded(static_cast<double>(found->checkpoints.layers) / model::kTi, "0.05"), "0.05");
  EXPECT_EQ(model::rounded(static_cast<double>(found->states.largestOperator) * 4 / 6 / model::kGi, "1.56"),
            "1.56");
  // For 4 sequences. Eq. 5 counts half of the activations that are kept, and pairs of tokens.
  const double sequences = 4, statistics = 32 * K * (4 * 128 + 2 * 2 * 4),
               kept = (static_cast<double>(found->kept.largestLayer) - statistics) / 32;
  EXPECT_EQ(model::rounded(sequences * (kept / 2 + 2 * 128 * K * K) / model::kGi, "1.63"), "1.63");
}

TEST(Analysis, KeepsFewerCheckpoints) {
  Sizes sizes{6, 64, 2, 32, 256, 1, "bf16"};
  for (int64_t every : {1, 2, 3, 6}) {
    Result<Analysis> found = tryAnalyze(jobOf(sizes), {16, every});
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(static_cast<double>(found->checkpoints.layers),
              model::checkpointBytes(found->transformer->model, 1, every));
  }
}

/// On one of t tensor ranks: ACT's 10 + 24/t or 34/t, less masks, with the statistics that selective
/// recomputation and norms keep. A layer's input is whole, or a t-th. Inputs of products that stay gathered
/// are whole, two per layer.
TEST(Analysis, CountsWhatTensorRanksKeep) {
  for (const char *compute : {"fp32", "bf16"})
    for (int64_t t : {2, 4})
      for (auto [ownRows, areKept] : {std::pair(false, false), {true, false}, {true, true}}) {
        const Sizes sizes{3, 64, 4, 32, 256, 8, compute};
        Job job = jobOf(sizes).with({{"parallel", {{"data", 2}, {"tensor", t}}},
                                     {"sequence_parallel", ownRows},
                                     {"reshard_activations", !areKept}});
        job.hardware = roomyMachine(2 * t);
        Result<Analysis> found = tryAnalyze(job);
        ASSERT_TRUE(found) << found.status().message();
        const double sbh = 8 * 32 * 64, sb = 8 * 32, width = compute == std::string("fp32") ? 4 : 2;
        const double masks = 2 * sbh / (ownRows ? static_cast<double>(t) : 1);
        const double papers = model::activationBytesPerLayer(found->transformer->model, 8, {t, ownRows},
                                                             Recomputed::AttentionCore);
        const double ofHeads = 4 * sb * 4 / static_cast<double>(t),
                     ofNorms = 16 * sb / (ownRows ? static_cast<double>(t) : 1),
                     ofOthers = areKept ? 4 * sbh * (1 - 1 / static_cast<double>(t)) : 0;
        EXPECT_EQ(static_cast<double>(found->kept.largestLayer),
                  (papers - masks + ofOthers) * width / 2 + ofHeads + ofNorms)
            << compute << " " << t << " " << ownRows << " " << areKept;
        EXPECT_EQ(static_cast<double>(found->checkpoints.largestLayer), masks * width / 2);
        // A rank has a t-th of the matrices of layers and of the table.
        const int64_t split = (12 * 64 * 64 + 7 * 64) * 3 + 256 * 64, whole = 6 * 64 * 3 + 2 * 64 + 32 * 64;
        EXPECT_EQ(found->states.parameters, (split / t + whole) * static_cast<int64_t>(width));
        EXPECT_NE(analysis::describe(*found).find("counted in the IR, t " + std::to_string(t)),
                  std::string::npos);
      }
}

/// For every way: ACT's volume, except the sum that no operation reads and inputs that are gathered again;
/// and twice each vector that tensor ranks have whole, which are gains and biases of two norms and biases of
/// two sums.
TEST(Analysis, CountsWhatTensorRanksExchange) {
  for (int64_t t : {2, 4}) {
    Job job = jobOf({3, 64, 4, 32, 256, 8, "bf16"}).with({{"parallel", {{"data", 2}, {"tensor", t}}}});
    job.hardware = roomyMachine(2 * t);
    Result<Analysis> found = tryAnalyze(job);
    ASSERT_TRUE(found) << found.status().message();
    const double sbh = 8 * 32 * 64;
    std::vector<double> counted;
    for (const auto &[way, elements, kept] : found->exchanges) {
      counted.push_back(static_cast<double>(elements.activations) / sbh);
      EXPECT_EQ(static_cast<double>(elements.activations),
                model::exchangedElements(found->transformer->model, 8, way));
      EXPECT_EQ(elements.parameters, 2 * 6 * 64);
      if (way.repeatsLayer)
        EXPECT_EQ(static_cast<double>(kept), 2 * sbh / (way.sequenceParallel ? static_cast<double>(t) : 1));
    }
    EXPECT_EQ(counted, (std::vector<double>{8, 8, 10, 10, 11, 13}));
    EXPECT_NE(analysis::describe(*found).find("recompute full, sequence-parallel"), std::string::npos);
  }
}

TEST(Analysis, CountsWhatIsNoTransformer) {
  Result<Analysis> found = tryAnalyze(biasFreeMlp({64, 64, 64}, 2, 2));
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_FALSE(found->transformer);
  EXPECT_GT(found->parameters.all(), 0);
  EXPECT_EQ(found->states.all(), 16 * found->parameters.all());
  std::string text = analysis::describe(*found);
  EXPECT_NE(text.find("no transformer"), std::string::npos) << text;
  EXPECT_EQ(text.find("efficiency"), std::string::npos) << text;
}

TEST(Analysis, LeavesOutTheLinksAMachineLacks) {
  Job job = tinyGpt2(1, 1);
  Result<Analysis> whole = tryAnalyze(job);
  ASSERT_TRUE(whole);
  EXPECT_NE(analysis::describeEfficiency(*whole).find("nvme"), std::string::npos);
  EXPECT_EQ(analysis::describeEfficiency(*whole).find("gg "), std::string::npos)
      << "one rank gathers nothing";
  job.hardware.erase("nvme");
  Result<Analysis> diskless = tryAnalyze(job);
  ASSERT_TRUE(diskless) << diskless.status().message();
  EXPECT_EQ(analysis::describeEfficiency(*diskless).find("nvme"), std::string::npos);
}

/// Sharded states lie on the data ranks, so that gathers use only the links between them.
TEST(Analysis, TakesTheLinksOfDataRanks) {
  Job job = tinyGpt2(4, 2);
  job.hardware.erase("shared_cores"); // copies of all ranks would share them
  const auto weights = [&](int64_t data, int64_t tensor) {
    const json mesh = {{"parallel", {{"data", data}, {"tensor", tensor}}}};
    Result<Analysis> found = tryAnalyze(job.with(mesh));
    EXPECT_TRUE(found) << found.status().message();
    return analysis::efficiencyOf(*found)->moved.front().over;
  };
  const auto linkOf = [](const std::vector<analysis::LinkEfficiency> &links, const std::string &name) {
    return std::ranges::find(links, name, &analysis::LinkEfficiency::link);
  };
  const auto all = weights(4, 1), two = weights(2, 2), none = weights(1, 4);
  EXPECT_EQ(linkOf(all, "cg")->links, 4);
  EXPECT_EQ(linkOf(two, "cg")->links, 2);
  EXPECT_EQ(linkOf(none, "cg")->links, 1);
  // Each of two ranks gets a half from the other, and each of four gets three quarters.
  EXPECT_DOUBLE_EQ(linkOf(two, "gg")->perSecond, 1.5 * linkOf(all, "gg")->perSecond);
  EXPECT_EQ(linkOf(none, "gg"), none.end());
}

/// Each of t tensor ranks computes 1/t of a layer, and moves all of a checkpoint that they do not share out.
TEST(Analysis, CountsWholeCheckpointsOnEveryTensorRank) {
  const auto intensity = [](bool ownRows, bool partition) {
    Result<Analysis> found = tryAnalyze(tinyGpt2(4, 2).with({{"parallel", {{"data", 1}, {"tensor", 4}}},
                                                             {"recompute", "full"},
                                                             {"sequence_parallel", ownRows},
                                                             {"checkpoint_partition", partition}}));
    EXPECT_TRUE(found) << found.status().message();
    return analysis::efficiencyOf(*found)->moved.back().intensity;
  };
  const auto hidden = tinyGpt2(4, 2).model["n_embd"].get<int64_t>();
  const double split = model::intensityOfCheckpoints(hidden, 1);
  EXPECT_EQ(intensity(true, false), split);
  EXPECT_EQ(intensity(false, true), split);
  EXPECT_EQ(intensity(false, false), split / 4);
}

/// Four heads of 32 on a hidden size of 64, as `head_dim` allows: formulas that take the heads for the hidden
/// size have no value.
TEST(Analysis, TakesTheHiddenSizeFromWhatLayersHandOn) {
  const auto analyzed = [](int64_t headSize) {
    Job job = tinyLlama(2, 3);
    job.model["head_dim"] = headSize;
    Result<Analysis> found = tryAnalyze(job);
    EXPECT_TRUE(found && found->transformer) << found.status().message();
    return found && found->transformer ? found.take() : Analysis{};
  };
  const auto papers = [](const Analysis &found, const std::string &name) {
    const auto quantities = analysis::quantitiesOf(found);
    return std::ranges::find(quantities, name, &analysis::Quantity::name)->papers;
  };
  const Analysis wide = analyzed(32), same = analyzed(16);
  EXPECT_EQ(wide.transformer->model.hidden, 64);
  EXPECT_EQ(wide.transformer->attentionWidth, 128);
  EXPECT_EQ(same.transformer->attentionWidth, 64);
  const auto tokens = static_cast<double>(wide.transformer->model.sequence);
  for (const Analysis *found : {&wide, &same}) {
    EXPECT_EQ(papers(*found, "activation checkpoints"), 2 * tokens * 64 * 2); // of two layers, in 16 bits
    EXPECT_EQ(papers(*found, "model-state working memory"), 4 * 64 * 4 * 64);
    EXPECT_EQ(analysis::activationsOf(*found).rows[4].bytes[0], 2 * tokens * 64)
        << "a repeated layer's input";
  }
  for (const char *name :
       {"parameters", "model states", "activation working memory", "activations of a layer", "computation"}) {
    EXPECT_FALSE(papers(wide, name)) << name;
    EXPECT_TRUE(papers(same, name)) << name;
  }
  EXPECT_FALSE(analysis::activationsOf(wide).rows[0].bytes[0]);
  EXPECT_EQ(analysis::efficiencyOf(wide)->moved.size(), 2u) << "without checkpoints of activations";
  EXPECT_EQ(analysis::efficiencyOf(same)->moved.size(), 3u);
  EXPECT_NE(analysis::describe(wide).find("its heads are 128 wide together"), std::string::npos);
  EXPECT_EQ(analysis::describe(same).find("wide together"), std::string::npos);
  EXPECT_TRUE(analysis::toJson(wide)["quantities"][0]["papers"].is_null());
}

/// The slots are those of plans (PipelineScheduleTest, InterleavedTest).
TEST(Analysis, HoldsInTheFirstStageWhatTheFormulasSay) {
  for (const auto &[stages, microBatches] : {std::pair<int64_t, int64_t>{2, 8}, {4, 8}, {4, 4}}) {
    Job job = tinyGpt2(1, microBatches);
    job.model["n_layer"] = 8;
    job.training["parallel"] = {{"data", 1}, {"pipeline", stages}};
    job.hardware = roomyMachine(stages);
    Result<Analysis> found = tryAnalyze(job);
    ASSERT_TRUE(found) << found.status().message();
    ASSERT_EQ(found->firstStage.size(), 4u);
    for (const analysis::HeldLayers &held : found->firstStage) {
      // Each chunk has slots for the largest number that it holds itself. With as few micro-batches as stages
      // no further ones come.
      const double ofAChunk = 8 / (2 * static_cast<double>(stages));
      const double more = held.schedule != "interleaved" ? 0
                          : microBatches == stages       ? 8 - held.byFormula
                                                         : ofAChunk;
      EXPECT_EQ(held.counted, held.byFormula + more) << held.schedule << " of " << stages;
    }
  }
  Result<Analysis> one = tryAnalyze(tinyGpt2(1, 4));
  ASSERT_TRUE(one);
  EXPECT_EQ(analysis::describeFirstStage(*one), "");
}

TEST(Analysis, RefusesOptionsThatDoNotSuitTheModel) {
  Job job = tinyGpt2(1, 1);
  Result<Analysis> sparse = tryAnalyze(job, {16, 3});
  ASSERT_FALSE(sparse);
  EXPECT_EQ(sparse.status().code(), ExitCode::BadInput);
  EXPECT_TRUE(sparse.status().message().ends_with("must be 1 to 2, the layers of the model, is 3"))
      << sparse.status().message();
  Result<Analysis> odd = tryAnalyze(job, {17, 1});
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.status().message(), "bytes per parameter: must be 16, 18 or 20, is 17");
}

TEST(Analysis, RefusesALimitOfTilesThatNoLayerMeets) {
  Result<Analysis> found = tryAnalyze(tinyGpt2(1, 1).with({{"tile", {{"limit", 4}}}}));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.status().code(), ExitCode::BadInput) << found.status().message();
}

TEST(Analysis, RefusesRanksThatDoNotAgree) {
  Job job = tinyGpt2(2, 1);
  job.hardware = roomyMachine(4);
  Result<Analysis> found = tryAnalyze(job);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.status().code(), ExitCode::BadInput);
}

} // namespace
