// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled plans train as PyTorch does: loss, gradients and parameters agree with the fixtures, in fp32, on
// one rank and on four ranks with states on three tiers.
#include "runtime/plan/Enums.h"
#include "runtime/training/states/StartingWeights.h"
#include "runtime/training/states/StoredValues.h"
#include "test/fixtures/Fixture.h"
#include "test/support/EndToEnd.h"
#include "test/support/FixtureHost.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace windlass;
using namespace windlass::test;

namespace {

struct Case {
  std::string name, model, fixture;
  int64_t ranks, microBatches, microBatch;
  json decisions;
  json weightDecay = nullptr; ///< by name; null: the fixture's decay of matrices
};

void PrintTo(const Case &testCase, std::ostream *out) { *out << testCase.name; }

double largestOf(const std::vector<double> &values) {
  double largest = 0;
  for (double value : values)
    largest = std::max(largest, std::fabs(value));
  return largest;
}

class PyTorchSteps : public ::testing::TestWithParam<Case> {
protected:
  PyTorchSteps() : fixture(fixtureFor(GetParam().model, GetParam().fixture)) {
    for (const auto &[name, tensor] : fixture.all())
      if (name.starts_with("gradient/"))
        largestGradient = std::max(largestGradient, largestOf(tensor.data));
  }

  Job job() const {
    const Case &testCase = GetParam();
    Job job = tinyGpt2(testCase.ranks, testCase.microBatches, testCase.microBatch);
    const std::string path = Fixture::folder() + testCase.model;
    if (isOnnx())
      job.modelFile = path;
    else
      job.model = json::parse(readText(path));
    job.training["optimizer"] = {{"learning_rate", fixture.setting("learning_rate")},
                                 {"betas", {fixture.setting("beta1"), fixture.setting("beta2")}},
                                 {"epsilon", fixture.setting("epsilon")},
                                 {"weight_decay", testCase.weightDecay.is_null()
                                                      ? json(fixture.setting("weight_decay"))
                                                      : testCase.weightDecay}};
    job.training["clip"] = fixture.setting("clip");
    return job.with(testCase.decisions);
  }

  /// An ONNX file has initial values of its own. Other models start from those of the fixture.
  static bool isOnnx() { return GetParam().model.ends_with(".onnx"); }

  void start(const plan::Plan &plan, Executor &executor) const {
    StateStream states(plan, executor);
    if (!isOnnx()) {
      ASSERT_TRUE(states.writeAll(initialStates()));
      return;
    }
    Result<StartingWeights> weights = StartingWeights::open(plan, "");
    ASSERT_TRUE(weights) << weights.status().message();
    ASSERT_EQ(plan.weights.size(), 1u);
    ASSERT_TRUE(states.writeAll(weights->values(1)));
  }

  /// Parameters and masters have the values of the fixture, moments are zero.
  StateSource initialStates() const {
    return [this](const plan::State &state, int64_t first, std::span<std::byte> out) {
      std::fill(out.begin(), out.end(), std::byte{0});
      if (state.cls != plan::StateClass::Parameter && state.cls != plan::StateClass::Master)
        return Status::ok();
      const std::vector<double> &values = fixture.at("initial/" + state.name).data;
      const int64_t bytes = plan::bytesOf(state.type);
      for (size_t i = 0; i * bytes < out.size(); ++i)
        storeElement(state.type, static_cast<float>(values.at(first + i)), out.data() + i * bytes);
      return Status::ok();
    };
  }

  /// The tolerance of a gradient: 1e-4 of the tensor's largest element or 1e-6 of the model's largest
  /// gradient, whichever is larger.
  double gradientFloor(const std::vector<double> &expected) const {
    return std::max(1e-4 * largestOf(expected), 1e-6 * largestGradient);
  }

  void expectPlacement(const plan::Plan &plan) const;
  void expectGradients(const plan::Plan &plan, Executor &executor) const;
  void expectParameters(const plan::Plan &plan, Executor &executor) const;
  void expectStatistics(const plan::Plan &plan, Executor &executor) const;

  Fixture fixture;
  double largestGradient = 0;
};

std::vector<float> floatsOf(const std::vector<std::byte> &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// Fails once per tensor, with the element that is furthest beyond its tolerance.
void expectClose(const std::string &name, const std::vector<double> &found,
                 const std::vector<double> &expected, const std::function<double(size_t)> &toleranceOf) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  size_t beyond = 0, worst = 0;
  double most = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double excess = std::fabs(found[i] - expected[i]) / toleranceOf(i);
    beyond += !(excess <= 1);
    if (excess > most) {
      most = excess;
      worst = i;
    }
  }
  EXPECT_EQ(beyond, 0u) << name << ": entry " << worst << " of " << found.size() << " is " << found[worst]
                        << ", not " << expected[worst] << " within " << toleranceOf(worst);
}

/// States rest where the decisions of the case pin them: all on the device, or on three tiers.
void PyTorchSteps::expectPlacement(const plan::Plan &plan) const {
  const bool isSpread = GetParam().decisions.contains("recompute");
  for (const plan::State &state : plan.programs[0].states) {
    const bool isMoment = state.cls != plan::StateClass::Parameter;
    const plan::Tier pinned = isMoment ? plan::Tier::Nvme : plan::Tier::Host;
    EXPECT_EQ(plan.programs[0].buffers[state.home.buffer].tier, isSpread ? pinned : plan::Tier::Device)
        << state.name;
  }
}

void PyTorchSteps::expectGradients(const plan::Plan &plan, Executor &executor) const {
  StateStream states(plan, executor);
  std::map<std::string, std::vector<double>> found; // all slices of a tensor are written into one vector
  for (const plan::State &gradient : plan.programs[0].gradients) {
    std::vector<double> &values = found[gradient.name];
    EXPECT_EQ(gradient.tensorShape(), fixture.at("gradient/" + gradient.name).shape) << gradient.name;
    values.resize(fixture.at("gradient/" + gradient.name).data.size());
    Status read =
        states.read(gradient, [&](const plan::State &, int64_t first, std::span<const std::byte> in) {
          std::ranges::copy(floatsOf({in.begin(), in.end()}), values.begin() + first);
          return Status::ok();
        });
    ASSERT_TRUE(read) << read.message();
  }
  size_t compared = 0;
  for (const auto &[name, tensor] : fixture.all())
    if (name.starts_with("gradient/") && ++compared) {
      const double floor = gradientFloor(tensor.data);
      expectClose(name, found[name.substr(std::strlen("gradient/"))], tensor.data,
                  [&](size_t) { return floor; });
    }
  EXPECT_EQ(compared, found.size());
}

void PyTorchSteps::expectParameters(const plan::Plan &plan, Executor &executor) const {
  const auto states = readStates(plan, executor);
  size_t compared = 0;
  for (const auto &[name, tensor] : fixture.all()) {
    if (!name.starts_with("trained/"))
      continue;
    const std::string parameter = name.substr(std::strlen("trained/"));
    const bool isRead = fixture.all().contains("gradient/" + parameter); // else nothing trains the parameter
    const std::vector<double> gradient =
        isRead ? fixture.at("gradient/" + parameter).data : std::vector<double>();
    const double floor = gradientFloor(gradient);
    ASSERT_TRUE(states.contains("parameter/" + parameter)) << parameter;
    const std::vector<float> found = floatsOf(states.at("parameter/" + parameter));
    ASSERT_EQ(found.size(), tensor.data.size());
    expectClose(parameter, {found.begin(), found.end()}, tensor.data, [&](size_t i) {
      if (!isRead)
        return 1e-30;
      const bool isNoise = std::fabs(gradient[i]) <= floor;
      return isNoise ? 3.5 * fixture.setting("learning_rate") : 1e-5 + 1e-4 * std::fabs(tensor.data[i]);
    });
    ++compared;
  }
  EXPECT_GT(compared, 2u);
}

/// Expects the running statistics of batch norms: exactly those that the fixture has for this number of
/// ranks.
void PyTorchSteps::expectStatistics(const plan::Plan &plan, Executor &executor) const {
  const auto states = readStates(plan, executor);
  const std::string running = "running/onnx/" + std::to_string(plan.ranks()) + "/";
  int64_t compared = 0;
  for (const auto &[name, tensor] : fixture.all()) {
    if (!name.starts_with(running))
      continue;
    const std::string statistic = name.substr(running.size());
    ASSERT_TRUE(states.contains("parameter/" + statistic)) << statistic;
    const std::vector<float> found = floatsOf(states.at("parameter/" + statistic));
    expectClose(statistic, {found.begin(), found.end()}, tensor.data,
                [&](size_t i) { return 1e-5 + 1e-4 * std::fabs(tensor.data[i]); });
    ++compared;
  }
  EXPECT_EQ(compared, std::ranges::count(plan.programs[0].states, "statistics", &plan::State::group));
}

TEST_P(PyTorchSteps, lossGradientsAndParametersAgree) {
  std::unique_ptr<Compiled> compiled = compileJob(job());
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  expectPlacement(plan);
  std::unique_ptr<Executor> executor = openExecutor(*compiled, plan);
  ASSERT_TRUE(executor);
  ASSERT_NO_FATAL_FAILURE(start(plan, *executor));
  FixtureHost host(plan, fixture);
  const double count = fixture.setting("count");
  for (int64_t step = 1; step <= fixture.setting("steps"); ++step) {
    host.begin(step, step);
    Status status = executor->run(plan::Purpose::Train, host);
    ASSERT_TRUE(status) << status.message();
    if (step == 1) {
      EXPECT_NEAR(host.loss() / fixture.at("loss").data[0], 1, 1e-5);
      EXPECT_NEAR(host.norm() / fixture.at("training/norms").data[0], 1, 1e-5);
      expectGradients(plan, *executor);
    }
    EXPECT_NEAR(host.loss() / count / fixture.at("training/losses").data[step - 1], 1, 1e-4)
        << "step " << step;
  }
  expectParameters(plan, *executor);
  expectStatistics(plan, *executor);
}

const json kDeviceOnly = {{"zero_stage", 3},
                          {"placement", {{"param", "device"}, {"grad", "device"}, {"moments", "device"}}}};
/// Sizes of buckets and gathers are set, too, as they change no number and a search takes most of the time.
const json kThreeTiers = {
    {"zero_stage", 3},
    {"recompute", "full"},
    {"bucket", "8MiB"},
    {"reshard_after_forward", true},
    {"placement", {{"param", "host"}, {"grad", "device"}, {"moments", "nvme"}, {"checkpoint", "host"}}}};

/// The families of Hugging Face configs, on one rank and on four ranks.
std::vector<Case> families() {
  std::vector<Case> cases;
  for (const char *family : {"llama", "mistral", "qwen2", "qwen3", "bert"}) {
    const std::string name = family, model = name + "/config.json", fixture = name + "/f32.safetensors";
    cases.push_back({name + "_one_rank", model, fixture, 1, 2, 2, kDeviceOnly});
    cases.push_back({name + "_four_ranks", model, fixture, 4, 1, 1, kThreeTiers});
  }
  cases.push_back({"vit_one_rank", "vit/config.json", "vit/f32.safetensors", 1, 2, 4, kDeviceOnly});
  cases.push_back({"vit_four_ranks", "vit/config.json", "vit/f32.safetensors", 4, 2, 1, kThreeTiers});
  return cases;
}

/// Attention over 16 tokens by blocks of 8 by 8 scores: causal, grouped, windowed, masked, and with dropout.
std::vector<Case> blocked() {
  std::vector<Case> cases;
  for (const char *family : {"gpt2", "gpt2_dropout", "llama", "mistral", "qwen3", "bert", "bert_dropout"}) {
    const std::string name = family, model = name + "/config.json", fixture = name + "/f32.safetensors";
    const json config = json::parse(readText(Fixture::folder() + model));
    const int64_t heads = config.contains("n_head") ? config["n_head"] : config["num_attention_heads"];
    json decisions = kThreeTiers;
    decisions["tile"]["attention"] = 4 * heads * 8 * 8;
    cases.push_back({name + "_four_ranks", model, fixture, 4, 1, 1, decisions});
  }
  return cases;
}

/// Two data ranks of two tensor ranks each. A tensor rank keeps its own rows of activations, or all of them.
std::vector<Case> onAMesh() {
  std::vector<Case> cases;
  for (const auto &[family, ownRows] : {std::pair("gpt2", true), std::pair("gpt2_dropout", true),
                                        std::pair("llama", true), std::pair("llama", false)}) {
    const std::string name = family, model = name + "/config.json", fixture = name + "/f32.safetensors";
    json decisions = kThreeTiers;
    decisions["parallel"] = {{"data", 2}, {"tensor", 2}};
    decisions["sequence_parallel"] = ownRows;
    cases.push_back({name + (ownRows ? "_own_rows" : "_all_rows"), model, fixture, 4, 1, 2, decisions});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Mesh, PyTorchSteps, ::testing::ValuesIn(onAMesh()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Blocked, PyTorchSteps, ::testing::ValuesIn(blocked()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Families, PyTorchSteps, ::testing::ValuesIn(families()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Fixtures, PyTorchSteps,
    ::testing::Values(Case{"onnx_llama_one_rank", "onnx/llama.dynamo.18.onnx", "llama/f32.safetensors", 1, 2,
                           2, kDeviceOnly},
                      Case{"onnx_llama_four_ranks", "onnx/llama_sdpa.dynamo.23.onnx", "llama/f32.safetensors",
                           4, 1, 1, kThreeTiers},
                      Case{"onnx_bert_one_rank", "onnx/bert_sdpa.dynamo.23.onnx", "bert/f32.safetensors", 1,
                           2, 2, kDeviceOnly},
                      Case{"onnx_bert_four_ranks", "onnx/bert.script.17.onnx", "bert/f32.safetensors", 4, 1,
                           1, kThreeTiers},
                      Case{"gpt2_one_rank", "gpt2/config.json", "gpt2/f32.safetensors", 1, 2, 2, kDeviceOnly},
                      Case{"gpt2_four_ranks", "gpt2/config.json", "gpt2/f32.safetensors", 4, 1, 1,
                           kThreeTiers},
                      Case{"gpt2_dropout_one_rank", "gpt2_dropout/config.json",
                           "gpt2_dropout/f32.safetensors", 1, 2, 2, kDeviceOnly},
                      Case{"gpt2_dropout_four_ranks", "gpt2_dropout/config.json",
                           "gpt2_dropout/f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"bert_dropout_four_ranks", "bert_dropout/config.json",
                           "bert_dropout/f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"llama_dropout_four_ranks", "llama_dropout/config.json",
                           "llama_dropout/f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"vit_dropout_four_ranks", "vit_dropout/config.json", "vit_dropout/f32.safetensors",
                           4, 2, 1, kThreeTiers},
                      Case{"bert_sequences_one_rank", "bert_sequences/config.json",
                           "bert_sequences/f32.safetensors", 1, 2, 2, kDeviceOnly},
                      Case{"bert_sequences_four_ranks", "bert_sequences/config.json",
                           "bert_sequences/f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"bert_regression_one_rank", "bert_regression/config.json",
                           "bert_regression/f32.safetensors", 1, 2, 2, kDeviceOnly},
                      Case{"bert_tokens_four_ranks", "bert_tokens/config.json", "bert_tokens/f32.safetensors",
                           4, 1, 1, kThreeTiers},
                      Case{"bert_padding_four_ranks", "bert_padding/config.json",
                           "bert_padding/f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"llama_padding_one_rank", "llama_padding/config.json",
                           "llama_padding/f32.safetensors", 1, 2, 2, kDeviceOnly},
                      Case{"mse_one_rank", "mlp/mse.json", "mlp/mse.f32.safetensors", 1, 1, 8, kDeviceOnly},
                      Case{"mse_four_ranks", "mlp/mse.json", "mlp/mse.f32.safetensors", 4, 2, 1, kThreeTiers},
                      Case{"cross_entropy_one_rank", "mlp/cross_entropy.json",
                           "mlp/cross_entropy.f32.safetensors", 1, 1, 8, kDeviceOnly},
                      Case{"onnx_gpt2_one_rank", "onnx/gpt2_sdpa.dynamo.23.onnx", "gpt2/f32.safetensors", 1,
                           2, 2, kDeviceOnly},
                      Case{"onnx_gpt2_four_ranks", "onnx/gpt2.script.17.onnx", "gpt2/f32.safetensors", 4, 1,
                           1, kThreeTiers},
                      Case{"onnx_vit_one_rank", "onnx/vit.dynamo.18.onnx", "onnx/vit_sdpa.f32.safetensors", 1,
                           2, 4, kDeviceOnly},
                      Case{"onnx_vit_four_ranks", "onnx/vit_sdpa.script.17.onnx",
                           "onnx/vit_sdpa.f32.safetensors", 4, 2, 1, kThreeTiers},
                      Case{"onnx_cnn_four_ranks", "onnx/cnn.script.17.onnx", "onnx/cnn.f32.safetensors", 4, 1,
                           1, kThreeTiers},
                      Case{"onnx_own_means_one_rank", "onnx/own_means.dynamo.18.onnx",
                           "onnx/own_means.f32.safetensors", 1, 1, 4, kDeviceOnly},
                      Case{"onnx_own_means_micro_batches", "onnx/own_means.script.17.onnx",
                           "onnx/own_means.f32.safetensors", 1, 4, 1, kDeviceOnly},
                      Case{"onnx_own_means_two_ranks", "onnx/own_means.dynamo.18.onnx",
                           "onnx/own_means.f32.safetensors", 2, 2, 1, kThreeTiers},
                      Case{"onnx_own_means_four_ranks", "onnx/own_means.script.17.onnx",
                           "onnx/own_means.f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"onnx_shifted_micro_batches", "onnx/shifted.dynamo.18.onnx",
                           "onnx/shifted.f32.safetensors", 1, 4, 1, kDeviceOnly},
                      Case{"onnx_shifted_two_ranks", "onnx/shifted.dynamo.18.onnx",
                           "onnx/shifted.f32.safetensors", 2, 2, 1, kThreeTiers},
                      Case{"onnx_scaled_one_rank", "onnx/scaled.script.17.raw.onnx",
                           "onnx/scaled.f32.safetensors", 1, 2, 2, kDeviceOnly},
                      Case{"onnx_scaled_four_ranks", "onnx/scaled.dynamo.20.raw.onnx",
                           "onnx/scaled.f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"onnx_ties_two_ranks", "onnx/ties.dynamo.18.onnx", "onnx/ties.f32.safetensors", 2,
                           1, 2, kThreeTiers},
                      Case{"onnx_fresh_four_ranks", "onnx/fresh.dynamo.18.onnx", "onnx/fresh.f32.safetensors",
                           4, 1, 1, kThreeTiers},
                      Case{"onnx_mse_one_rank", "onnx/mlp_mse.dynamo.18.onnx", "onnx/mlp_mse.f32.safetensors",
                           1, 1, 4, kDeviceOnly},
                      Case{"onnx_classes_four_ranks", "onnx/mlp_cross_entropy.script.13.onnx",
                           "onnx/mlp_cross_entropy.f32.safetensors", 4, 1, 1, kThreeTiers},
                      Case{"onnx_resnet_one_rank", "onnx/resnet.script.17.raw.onnx",
                           "onnx/resnet.f32.safetensors", 1, 4, 2, kDeviceOnly},
                      Case{"onnx_resnet_four_ranks", "onnx/resnet.dynamo.20.raw.onnx",
                           "onnx/resnet.f32.safetensors", 4, 1, 2, kThreeTiers},
                      Case{"onnx_dropped_one_rank", "onnx/dropped.script.13.raw.onnx",
                           "onnx/dropped.f32.safetensors", 1, 4, 2, kDeviceOnly},
                      Case{"onnx_dropped_four_ranks", "onnx/dropped.dynamo.20.raw.onnx",
                           "onnx/dropped.f32.safetensors", 4, 1, 2, kThreeTiers},
                      Case{"onnx_recurring_one_rank", "onnx/recurring.script.17.raw.onnx",
                           "onnx/recurring.f32.safetensors", 1, 4, 2, kDeviceOnly},
                      Case{"onnx_recurring_four_ranks", "onnx/recurring.dynamo.20.raw.onnx",
                           "onnx/recurring.f32.safetensors", 4, 1, 2, kThreeTiers},
                      Case{"onnx_resnet_frozen_one_rank", "onnx/resnet_frozen.dynamo.23.raw.onnx",
                           "onnx/resnet_frozen.f32.safetensors", 1, 2, 4, kDeviceOnly},
                      Case{"onnx_resnet_frozen_four_ranks", "onnx/resnet_frozen.script.13.raw.onnx",
                           "onnx/resnet_frozen.f32.safetensors", 4, 1, 2, kThreeTiers},
                      Case{"cross_entropy_four_ranks", "mlp/cross_entropy.json",
                           "mlp/cross_entropy.f32.safetensors", 4, 2, 1, kThreeTiers}),
    [](const auto &info) { return info.param.name; });

/// Models that learn biases of attention, which are constants in other models, also with blocks of 4 by 4
/// scores; and a model that learns the bias of an untied decoder.
std::vector<Case> ofBiases() {
  const std::string fixture = "onnx/biased.f32.safetensors";
  json byBlocks = kThreeTiers;
  byBlocks["tile"]["attention"] = 4 * 4 * 4 * 4; // two heads in each of two windows
  return {{"biased_one_rank", "onnx/biased.script.17.raw.onnx", fixture, 1, 2, 2, kDeviceOnly},
          {"biased_four_ranks", "onnx/biased.dynamo.23.raw.onnx", fixture, 4, 1, 1, kThreeTiers},
          {"biased_by_blocks", "onnx/biased.script.17.raw.onnx", fixture, 4, 1, 1, byBlocks},
          {"bert_untied_four_ranks", "bert_untied/config.json", "bert_untied/f32.safetensors", 4, 1, 1,
           kThreeTiers}};
}

INSTANTIATE_TEST_SUITE_P(Biases, PyTorchSteps, ::testing::ValuesIn(ofBiases()),
                         [](const auto &info) { return info.param.name; });

std::vector<Case> ofDecays() {
  const std::string model = "onnx/mlp_cross_entropy.script.17.raw.onnx";
  return {{"decay_of_all_one_rank",
           model,
           "onnx/mlp_decay_all.f32.safetensors",
           1,
           2,
           2,
           kDeviceOnly,
           {{"*", 0.1}}},
          {"decay_by_name_four_ranks",
           model,
           "onnx/mlp_decay_named.f32.safetensors",
           4,
           1,
           1,
           kThreeTiers,
           {{"norm", 0}, {"^(first|last)[.]bias$", 0.3}, {"*", 0.1}}}};
}

INSTANTIATE_TEST_SUITE_P(Decays, PyTorchSteps, ::testing::ValuesIn(ofDecays()),
                         [](const auto &info) { return info.param.name; });

/// Files with a number as their first dimension, which must be the size of the micro-batch.
std::vector<Case> ofFixedSizes() {
  std::vector<Case> cases;
  for (const char *file : {"mlp_mse.script.17", "mlp_mse.dynamo.18", "mlp_cross_entropy.script.17",
                           "mlp_cross_entropy.dynamo.18", "cnn.script.17", "cnn.dynamo.23"}) {
    const std::string name = file, model = name.substr(0, name.find('.'));
    Case one{name,       "onnx/" + name + ".static.onnx", "onnx/" + model + ".f32.safetensors", 1, 1, 4,
             kDeviceOnly};
    std::ranges::replace(one.name, '.', '_');
    cases.push_back(one);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(FixedSizes, PyTorchSteps, ::testing::ValuesIn(ofFixedSizes()),
                         [](const auto &info) { return info.param.name; });

} // namespace
