// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/EndToEnd.h"

#include "compiler/codegen/object/KernelCache.h"
#include "compiler/driver/Compile.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Reasons.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/training/step/LossScaler.h"
#include "runtime/training/step/StepHosts.h"
#include "test/support/TestTarget.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <set>

namespace windlass::test {
namespace {

/// Feeds as the training loop does, and keeps the bits of the reports.
class RecordingHost final : public StepHost {
public:
  RecordingHost(const plan::Plan &plan, const Batches &batches) : inner(plan, batches) {}

  void begin(const StepScalars &scalars, int64_t position, std::span<const double> lossShares) {
    inner.begin(scalars, position, lossShares);
    ++step;
  }
  double lossSum() const { return inner.lossSum(); }
  bool overflowed() const { return inner.overflowed(); }

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    return inner.feed(request, bytes);
  }

  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data(), sizeof bits);
    {
      std::lock_guard lock(mutex);
      seen[std::string(request.item)][{step, request.microBatch, request.rank}] = bits;
    }
    return inner.report(request, bytes);
  }

  std::map<std::string, std::vector<uint32_t>> reports() const {
    std::map<std::string, std::vector<uint32_t>> all;
    for (const auto &[item, values] : seen)
      for (const auto &[place, bits] : values)
        all[item].push_back(bits);
    return all;
  }

private:
  TrainingHost inner;
  int64_t step = 0;
  std::mutex mutex;
  std::map<std::string, std::map<std::array<int64_t, 3>, uint32_t>> seen;
};

std::string stateKey(const plan::State &state) {
  return std::string(plan::textOf(state.cls)) + "/" + state.name;
}

} // namespace

//===----------------------------------------------------------------------===//
// Models and machines
//===----------------------------------------------------------------------===//

Job Job::with(const json &trainingPatch) const {
  Job changed = *this;
  changed.training.merge_patch(trainingPatch);
  return changed;
}

json roomyMachine(int64_t ranks) {
  return {
      {"format", "windlass.hardware/1"},
      {"name", "room for everything"},
      {"ranks", ranks},
      {"device", {{"capacity", "64MiB"}, {"flops", {{"f32", "50GFLOP/s"}}}, {"bandwidth", "20GB/s"}}},
      {"host", {{"capacity", std::to_string(64 * ranks) + "MiB"}, {"bandwidth", "20GB/s"}}},
      {"nvme", {{"capacity", std::to_string(64 * ranks) + "MiB"}, {"read", "1.3GB/s"}, {"write", "1GB/s"}}},
      {"links", {{"cg", {{"in", "20GB/s"}, {"out", "20GB/s"}}}, {"gg", {{"bandwidth", "20GB/s"}}}}},
      {"shared_cores", 2}};
}

static json trainingOf(int64_t ranks, int64_t microBatches, int64_t microBatch) {
  return {{"format", "windlass.training/1"},
          {"micro_batch", microBatch},
          {"micro_batches", microBatches},
          {"parallel", {{"data", ranks}}},
          {"steps", 10},
          {"optimizer", {{"learning_rate", 1e-2}, {"betas", {0.9, 0.95}}, {"weight_decay", 0.1}}},
          {"schedule", {{"type", "cosine"}, {"warmup", 2}}},
          {"clip", 1.0},
          {"zero_stage", 3},
          {"recompute", "none"}};
}

Job tinyGpt2(int64_t ranks, int64_t microBatches, int64_t microBatch) {
  json config = {{"model_type", "gpt2"}, {"n_layer", 2},
                 {"n_embd", 64},         {"n_head", 2},
                 {"n_positions", 32},    {"vocab_size", 256},
                 {"embd_pdrop", 0.0},    {"attn_pdrop", 0.0},
                 {"resid_pdrop", 0.0},   {"activation_function", "gelu_new"}};
  return {config, trainingOf(ranks, microBatches, microBatch), roomyMachine(ranks), ""};
}

Job tinyLlama(int64_t ranks, int64_t microBatches, int64_t microBatch) {
  json config = {{"model_type", "llama"},   {"num_hidden_layers", 2},       {"hidden_size", 64},
                 {"intermediate_size", 96}, {"num_attention_heads", 4},     {"num_key_value_heads", 2},
                 {"vocab_size", 256},       {"tie_word_embeddings", false}, {"max_position_embeddings", 32}};
  return {config, trainingOf(ranks, microBatches, microBatch), roomyMachine(ranks), ""};
}

Job biasFreeMlp(const std::vector<int64_t> &widths, int64_t ranks, int64_t microBatches, int64_t microBatch) {
  json params = json::object(), ops = json::array();
  std::string value = "x";
  for (size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const std::string name = "fc." + std::to_string(layer), linear = name + ".linear";
    params[name + ".weight"] = {{"shape", {widths[layer], widths[layer + 1]}}, {"init", {{"normal", 0.1}}}};
    ops.push_back({{"op", "matmul"}, {"in", {value, name + ".weight"}}, {"out", linear}});
    value = linear;
    if (layer + 2 < widths.size()) {
      ops.push_back({{"op", "relu"}, {"in", {linear}}, {"out", name + ".active"}});
      value = name + ".active";
    }
  }
  ops.push_back({{"op", "mse"}, {"in", {value, "y"}}, {"out", "losses"}});
  json model = {{"format", "windlass.model/1"},
                {"dims", {{"B", "batch"}}},
                {"inputs",
                 {{"x", {{"role", "features"}, {"shape", {"B", widths.front()}}}},
                  {"y", {{"role", "targets"}, {"shape", {"B", widths.back()}}}}}},
                {"params", params},
                {"ops", ops},
                {"loss", "losses"}};
  return {model, trainingOf(ranks, microBatches, microBatch), roomyMachine(ranks), ""};
}

//===----------------------------------------------------------------------===//
// Compile and run
//===----------------------------------------------------------------------===//

namespace {

/// A cache of kernels, since most compilations of a test have the same kernels.
codegen::KernelCache &kernelCache() {
  static codegen::KernelCache cache;
  return cache;
}

/// All inputs on which a plan depends. Empty for a job that names a file.
std::string keyOf(const Job &job) {
  if (!job.modelFile.empty() || job.strategy.find('/') != std::string::npos)
    return {};
  return json{job.model,  job.training,  job.hardware,    job.strategy,
              job.freeze, job.trainable, job.chooseTiles, testTarget()}
      .dump();
}

} // namespace

Result<plan::Plan> tryCompile(const Job &job, const TemporaryFolder &folder) {
  CompileRequest request;
  request.kernels = &kernelCache();
  if (const char *folder = std::getenv("WINDLASS_KERNEL_CACHE")) // of windlass-compile, too
    request.kernelFolder = folder;
  request.model =
      job.modelFile.empty()
          ? folder.write(job.model.contains("model_type") ? "config.json" : "model.json", job.model.dump())
          : job.modelFile;
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  request.output = folder / "plan";
  request.targetCpu = testTarget();
  request.strategy = job.strategy;
  request.freeze = job.freeze;
  request.trainable = job.trainable;
  request.chooseTiles = job.chooseTiles;
  return compile(request);
}

std::unique_ptr<Compiled> compileJob(const Job &job) {
  static std::map<std::string, Compiled> known;
  const std::string key = keyOf(job);
  if (auto before = known.find(key); before != known.end())
    return std::make_unique<Compiled>(before->second);
  auto compiled = std::make_unique<Compiled>();
  Result<plan::Plan> plan = tryCompile(job, compiled->folder);
  if (!plan) {
    ADD_FAILURE() << plan.status().message() << "\nof training " << job.training.dump();
    return nullptr;
  }
  compiled->plan = plan.take();
  if (!key.empty())
    known.emplace(key, *compiled);
  return compiled;
}

std::unique_ptr<Executor> openExecutor(const Compiled &compiled, const plan::Plan &plan,
                                       ExecutorOptions options) {
  options.kernelsFolder = compiled.planFolder();
  options.scratchFolder = compiled.folder.path;
  auto executor = Executor::create(plan, options);
  if (executor)
    return executor.take();
  ADD_FAILURE() << executor.status().message();
  return nullptr;
}

std::map<std::string, std::vector<std::byte>> readStates(const plan::Plan &plan, Executor &executor) {
  std::map<std::string, std::vector<std::byte>> all;
  StateStream stream(plan, executor);
  std::vector<const plan::State *> states;
  for (const plan::Program &program : plan.programs)
    for (const plan::State &state : program.states)
      states.push_back(&state);
  std::map<std::string, int64_t> takenOf; // elements of each tensor, counted once over ranks and slices
  for (const plan::State *each : states) {
    const plan::State &state = *each;
    const int64_t elementBytes = plan::bytesOf(state.type);
    int64_t elements = 1, &taken = takenOf[stateKey(state)];
    for (int64_t extent : state.tensorShape())
      elements *= extent;
    std::vector<std::byte> &bytes = all[stateKey(state)]; // all slices of a tensor are written into one
    bytes.resize(elements * elementBytes);
    Status status =
        stream.read(state, [&](const plan::State &, int64_t first, std::span<const std::byte> in) {
          taken += std::ssize(in) / elementBytes;
          std::memcpy(bytes.data() + first * elementBytes, in.data(), in.size());
          return Status::ok();
        });
    EXPECT_TRUE(status) << status.message();
  }
  for (const plan::State *state : states)
    EXPECT_EQ(takenOf[stateKey(*state)] * plan::bytesOf(state->type), std::ssize(all[stateKey(*state)]))
        << stateKey(*state);
  return all;
}

Outcome trainOn(const plan::Plan &plan, Executor &executor, const RunSettings &settings) {
  Outcome outcome;
  auto data = openData(settings.data, plan);
  EXPECT_TRUE(data) << data.status().message();
  if (!data)
    return outcome;
  auto batches = Batches::create(plan, **data, 3, true);
  Status written = StateStream(plan, executor).writeAll(settings.source);
  EXPECT_TRUE(batches && written) << batches.status().message() << written.message();
  if (!batches || !written)
    return outcome;
  RecordingHost host(plan, *batches);
  LossScaler scaler(plan.training.lossScale, {});
  for (int64_t step = 1; step <= settings.steps; ++step) {
    const int64_t position = (step - 1) * batches->samplesPerStep();
    const LossCounts *counts = *batches->countTraining(position);
    host.begin(scalarsOfStep(plan.training, scaler, step, counts->valid(), /*seed=*/0), position,
               counts->shares());
    Status status = executor.run(plan::Purpose::Train, host);
    EXPECT_TRUE(status) << status.message();
    if (!status)
      return outcome;
    outcome.losses.push_back(host.lossSum() / static_cast<double>(counts->valid()));
    outcome.scales.push_back(scaler.scale());
    outcome.skipped.push_back(scaler.isOn() && host.overflowed());
    scaler.update(outcome.skipped.back());
  }
  outcome.reports = host.reports();
  outcome.states = readStates(plan, executor);
  return outcome;
}

Outcome train(const Compiled &compiled, const RunSettings &settings) {
  std::unique_ptr<Executor> executor = openExecutor(compiled, compiled.plan, settings.executor);
  return executor ? trainOn(compiled.plan, *executor, settings) : Outcome();
}

void expectSameBits(const Outcome &expected, const Outcome &found) {
  ASSERT_FALSE(expected.reports.empty());
  for (const auto &[item, bits] : expected.reports)
    ASSERT_EQ(found.reports.contains(item) ? found.reports.at(item) : std::vector<uint32_t>(), bits) << item;
  ASSERT_EQ(found.reports.size(), expected.reports.size());
  ASSERT_EQ(found.states.size(), expected.states.size());
  for (const auto &[name, bytes] : expected.states) {
    ASSERT_TRUE(found.states.contains(name)) << name;
    const std::vector<std::byte> &other = found.states.at(name);
    ASSERT_EQ(other.size(), bytes.size()) << name;
    const auto [at, where] = std::mismatch(bytes.begin(), bytes.end(), other.begin());
    ASSERT_TRUE(at == bytes.end()) << name << " differs from byte " << at - bytes.begin() << " on";
  }
}

//===----------------------------------------------------------------------===//
// Counts and homes of a plan
//===----------------------------------------------------------------------===//

int64_t countTraining(const plan::Plan &plan, const InstructionFilter &filter) {
  int64_t count = 0;
  for (const plan::SectionRuns &runs : plan.programs[0].train)
    count += std::ranges::count_if(plan.programs[0].sections[runs.section].instructions, filter);
  return count;
}

std::vector<plan::Tier> tiersOf(const plan::Plan &plan, plan::BufferClass cls) {
  std::set<plan::Tier> tiers;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == cls)
      tiers.insert(buffer.tier);
  return {tiers.begin(), tiers.end()};
}

const plan::Reason &whyOf(const plan::Plan &plan, std::string_view path) {
  static const plan::Reason none;
  const plan::Reason *why = plan::findReason(plan.reasons, path);
  return why ? *why : none;
}

int64_t homeBytes(const plan::Plan &plan, plan::BufferClass cls) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == cls && buffer.persistent)
      bytes += buffer.bytes;
  return bytes;
}

std::string programText(const plan::Plan &plan) {
  plan::Plan program = plan;
  program.model.clear();
  program.strategy = "{}";
  program.kernelFiles.clear();
  program.reasons.clear();
  program.prediction = {};
  Result<std::string> text = plan::printPlan(program);
  EXPECT_TRUE(text) << text.status().message();
  return text ? *text : std::string();
}

} // namespace windlass::test
