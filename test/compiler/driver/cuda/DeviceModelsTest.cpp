// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generated kernels of the plans of all examples, and of models of other families, in every precision:
// their PTX gives the same bits as the shared object.

#include "compiler/driver/Compile.h"
#include "runtime/base/File.h"
#include "test/compiler/codegen/device/DeviceRunner.h"
#include "test/fixtures/Fixture.h"
#include "test/support/EndToEnd.h"
#include "test/support/Folders.h"
#include "test/support/ptx/PtxAssembler.h"

#include <filesystem>
#include <set>

using namespace windlass;
using namespace windlass::test;
using codegen::test::DeviceKernels;

namespace {

constexpr uint64_t kSchedules = 3;
/// A launch touches about so many elements of its operands; more where a single row is longer.
constexpr int64_t kElements = 20000;

/// A convolution and a batch norm on images of 4 channels; their mean is the prediction.
const char *const kImageModel = R"({
  "format": "windlass.model/1",
  "dims": {"B": "batch", "C": 4},
  "inputs": {"x": {"role": "features", "shape": ["B", "C", 6, 6]}, "y": {"role": "targets", "shape": ["B", "C"]}},
  "params": {
    "conv": {"shape": ["C", "C", 3, 3], "init": {"normal": 0.2}},
    "weight": {"shape": ["C"], "init": 1},
    "bias": {"shape": ["C"], "init": 0},
    "mean": {"shape": ["C"], "init": 0, "group": "statistics"},
    "variance": {"shape": ["C"], "init": 1, "group": "statistics"}
  },
  "ops": [
    {"op": "conv", "in": ["x", "conv"], "pads": [1, 1, 1, 1], "out": "moved"},
    {"op": "batch_norm", "in": ["moved", "weight", "bias", "mean", "variance"], "eps": 1e-5, "out": "normal"},
    {"op": "relu", "in": ["normal"], "out": "active"},
    {"op": "reduce", "kind": "mean", "in": ["active"], "dims": [2, 3], "out": "pooled"},
    {"op": "mse", "in": ["pooled", "y"], "out": "losses"}
  ],
  "loss": "losses"
})";

/// The text of a module's kernels by name, except matmuls, which a library runs. The key "" has the text of
/// the maps that the kernels name.
std::map<std::string, std::string> kernelsOf(const std::string &module) {
  constexpr std::string_view kMark = " attributes {dist.kernel}", kBegin = "  func.func private @";
  std::map<std::string, std::string> kernels;
  std::string name, text;
  std::istringstream lines(module);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#map"))
      kernels[""] += line + "\n";
    if (const size_t mark = line.find(kMark); mark != std::string::npos) {
      name = line.substr(kBegin.size(), line.find('(') - kBegin.size());
      text = "func.func @" + line.erase(mark, kMark.size()).substr(kBegin.size()) + "\n";
    } else if (!name.empty()) {
      text += line + "\n";
      if (line != "  }")
        continue;
      if (text.find("graph.matmul") == std::string::npos)
        kernels[name] = text;
      name.clear();
    }
  }
  return kernels;
}

class DeviceModels : public testing::Test {
protected:
  /// Runs the kernels of a plan that no earlier plan had, and assembles them if the machine has an assembler.
  void expectEqualBits(const Job &job, const std::string &name) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    CompileRequest request;
    request.model =
        job.modelFile.empty()
            ? folder.write(job.model.contains("model_type") ? "config.json" : "model.json", job.model.dump())
            : job.modelFile;
    request.weights = "none";
    request.training = folder.write("training.json", job.training.dump());
    request.hardware = folder.write("machine.json", job.hardware.dump());
    request.dumpPhases = folder / "phases";
    Result<plan::Plan> plan = compile(request);
    ASSERT_TRUE(plan) << plan.status().message();
    std::set<std::string> left;
    for (const plan::Kernel &kernel : plan->kernels)
      if (kernel.kind == plan::KernelKind::Generated)
        left.insert(kernel.symbol);
    for (const auto &file : std::filesystem::directory_iterator(folder / "phases")) // each stage has a file
      if (file.path().string().ends_with("-plan.mlir"))
        expectEqualBits(*plan, kernelsOf(readText(file.path())), left);
    EXPECT_EQ(left, std::set<std::string>()) << "stand in no module";
  }

  /// Runs the kernels that are in `left` and in a module.
  void expectEqualBits(const plan::Plan &plan, const std::map<std::string, std::string> &texts,
                       std::set<std::string> &left) {
    std::string mlir = texts.at("");
    std::vector<const plan::Kernel *> kernels;
    for (const plan::Kernel &kernel : plan.kernels)
      if (texts.contains(kernel.symbol) && left.erase(kernel.symbol) > 0 &&
          seen.insert(texts.at(kernel.symbol)).second) {
        mlir += texts.at(kernel.symbol);
        kernels.push_back(&kernel);
      }
    if (kernels.empty())
      return; // earlier plans had all of them
    auto both = DeviceKernels::compile(mlir);
    ASSERT_TRUE(both);
    for (const plan::Kernel *kernel : kernels)
      run(*both, *kernel);
    expectRoom(both->ptx());
  }

  /// Runs the kernel on its first and on its last rows.
  static void run(const DeviceKernels &both, const plan::Kernel &kernel) {
    const int64_t most = both.largestOperand(kernel.symbol);
    const int64_t rows = std::clamp<int64_t>(kernel.extent * kElements / most, 1, kernel.extent);
    for (auto [begin, end] : {std::pair<int64_t, int64_t>{0, rows}, {kernel.extent - 1, kernel.extent}})
      for (uint64_t seed = 0; seed < kSchedules; ++seed)
        ASSERT_EQ(both.differs(kernel.symbol, {.begin = begin, .end = end, .seed = seed, .isTame = true}), "")
            << kernel.symbol << " [" << begin << ", " << end << "), schedule " << seed;
  }

  /// Assembles for the oldest and the newest device; if WINDLASS_EVERY_DEVICE is in the environment, also for
  /// all between, which takes twice as long.
  static void expectRoom(const std::string &ptx) {
    static const Result<ptx::PtxAssembler> assembler = ptx::PtxAssembler::find();
    if (!assembler.isOk())
      return; // DeviceKernelTest reports it
    std::vector<const char *> devices = {"sm_80", "sm_120"};
    if (std::getenv("WINDLASS_EVERY_DEVICE"))
      devices = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120"};
    for (const char *device : devices)
      if (assembler->knows(device)) {
        const auto assembled = assembler->assemble(ptx, device);
        ASSERT_TRUE(assembled.isOk()) << device << ": " << assembled.status().message();
        for (const ptx::Assembled &kernel : *assembled) {
          EXPECT_LE(kernel.registers, 128) << device << " " << kernel.kernel;
          EXPECT_EQ(kernel.stackBytes + kernel.spillBytes, 0) << device << " " << kernel.kernel;
          EXPECT_LE(kernel.sharedBytes, 48 * 1024) << device << " " << kernel.kernel;
        }
      }
  }

  static std::set<std::string> seen;
};
std::set<std::string> DeviceModels::seen;

/// A committed example, in another precision.
Job example(const std::string &name, const std::string &model, const std::string &compute) {
  const std::string folder = WINDLASS_SOURCE_DIR "/examples/" + name + "/";
  Job job;
  job.modelFile = folder + model;
  job.training = json::parse(readText(folder + "training.json"));
  job.hardware = json::parse(readText(folder + "machine.json"));
  return job.with({{"precision", {{"compute", compute}}}});
}

class OfPrecision : public DeviceModels, public testing::WithParamInterface<const char *> {
protected:
  Job inPrecision(const Job &job) { return job.with({{"precision", {{"compute", GetParam()}}}}); }
};

TEST_P(OfPrecision, examples) {
  for (auto [name, model] : {std::pair<const char *, const char *>{"mlp", "model.json"},
                             {"gpt2-bytes", "config.json"},
                             {"fine-tuning", "model/config.json"},
                             {"onnx", "decoder.onnx"}})
    expectEqualBits(example(name, model, GetParam()), name);
}

TEST_F(DeviceModels, families) {
  for (const char *family : {"llama_dropout", "bert_dropout", "vit_dropout", "qwen3", "mistral"}) {
    Job job = tinyGpt2(2, 2);
    job.model = json::parse(readText(Fixture::folder() + family + "/config.json"));
    expectEqualBits(job.with({{"precision", {{"compute", "bf16"}}}}), family);
  }
}

TEST_P(OfPrecision, blocksOfAttentionTilesAndBatchNorms) {
  Job blocked = tinyGpt2(2, 2);
  blocked.model["attn_pdrop"] = 0.2;
  expectEqualBits(inPrecision(blocked.with({{"tile", {{"attention", 4096}}}})), "blocks of attention");
  expectEqualBits(inPrecision(tinyGpt2(2, 2).with({{"tile", {{"limit", 16384}, {"activation", 8192}}}})),
                  "tiles");
  Job images = tinyGpt2(2, 2, 3);
  images.model = json::parse(kImageModel);
  expectEqualBits(inPrecision(images), "batch norms");
}

/// A transformer with dropout everywhere. No number of ranks divides its number of words.
Job oddGpt2() {
  Job job = tinyGpt2(1, 2, 2);
  job.model.update({{"n_embd", 32}, {"n_head", 4}, {"n_positions", 16}, {"vocab_size", 251}});
  job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.1}, {"resid_pdrop", 0.1}});
  return job;
}

Job onRanks(Job job, int64_t ranks, const json &decisions) {
  job.hardware = roomyMachine(ranks);
  return job.with(decisions);
}

TEST_P(OfPrecision, ranksThatShareOutRows) {
  const json shared = {{"parallel", {{"data", 1}, {"tensor", 2}}}, {"sequence_parallel", true}};
  expectEqualBits(inPrecision(onRanks(oddGpt2(), 2, shared)), "own rows");
}

/// Groups of ranks that share only operations, groups that hold copies of states, and stages with split
/// backward passes.
TEST_F(DeviceModels, ranksOfOtherKinds) {
  const json bf16 = {{"precision", {{"compute", "bf16"}}}};
  for (const auto &[job, ranks, decisions] : std::initializer_list<std::tuple<Job, int64_t, json>>{
           {oddGpt2(), 2, {{"parallel", {{"data", 1}, {"tensor", 2}}}, {"sequence_parallel", false}}},
           {tinyLlama(1, 2), 4, {{"parallel", {{"data", 2}, {"tensor", 2}}}, {"recompute", "full"}}},
           {oddGpt2(), 4, {{"parallel", {{"data", 4}, {"shard", 2}}}}},
           {oddGpt2(), 2, {{"parallel", {{"data", 2}}}, {"cadence", "step"}, {"zero_stage", 1}}},
           {oddGpt2(),
            2,
            {{"parallel", {{"data", 1}, {"pipeline", 2}}},
             {"pipeline", {{"schedule", "zb-h1"}}},
             {"micro_batches", 4}}}})
    expectEqualBits(onRanks(job.with(bf16), ranks, decisions), decisions.dump());
}

INSTANTIATE_TEST_SUITE_P(DeviceModels, OfPrecision, testing::Values("fp32", "bf16", "fp16"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
