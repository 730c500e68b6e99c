// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The requests of a run to the system: a steady step requests only oneDNN's small pieces, and the memory is
// that of the arenas and a fixed part.
#include "runtime/executor/Executor.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/kernels/MatmulParts.h"
#include "runtime/kernels/OperandPanels.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/states/StartingWeights.h"
#include "runtime/training/states/States.h"
#include "runtime/training/step/Schedule.h"
#include "runtime/training/step/StepHosts.h"
#include "test/runtime/kernels/AllocationWatch.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/Sections.h"
#include "test/support/ToolRun.h"

#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace windlass::test {
namespace {

using nlohmann::json;

struct Case {
  const char *name;
  json training, machine; ///< merged into those of examples/gpt2-bytes
};

std::vector<Case> cases() {
  const json roomy = {{"ranks", 1},
                      {"device", {{"capacity", "256MiB"}}},
                      {"host", {{"capacity", "64MiB"}}},
                      {"nvme", {{"capacity", "256MiB"}}}};
  return {{"oneRank", {{"parallel", {{"data", 1}}}, {"micro_batches", 8}}, roomy},
          {"fourRanks", json::object(), json::object()},
          {"mostlyNvme",
           {{"parallel", {{"data", 1}}},
            {"micro_batches", 8},
            {"placement", {{"param", "nvme"}, {"moments", "nvme"}, {"grad", "nvme"}}}},
           roomy},
          {"meshOfHalves",
           {{"parallel", {{"shard", 2}}}, {"precision", {{"compute", "fp16"}}}},
           {{"device", {{"capacity", "64MiB"}}}, {"host", {{"capacity", "256MiB"}}}}}};
}

class SteadyRun : public testing::TestWithParam<Case> {
protected:
  /// The plan of a case, "p" in its own folder. It is compiled once, as its search takes seconds.
  struct CasePlan {
    TemporaryFolder folder;
    ToolRun compiled;
  };
  static const CasePlan &planOf(const Case &asked) {
    static std::map<std::string, CasePlan> plans;
    auto [made, isNew] = plans.try_emplace(asked.name);
    if (isNew)
      made->second.compiled = compileExample(asked, made->second.folder, "-o p");
    return made->second;
  }

  static ToolRun compileExample(const Case &asked, const TemporaryFolder &folder, const std::string &flags) {
    const std::string example = WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/";
    json training = json::parse(readText(example + "training.json"));
    json machine = json::parse(readText(example + "machine.json"));
    training.merge_patch(asked.training);
    machine.merge_patch(asked.machine);
    folder.write("training.json", training.dump());
    folder.write("machine.json", machine.dump());
    return runTool(folder.path, WINDLASS_COMPILE " " + example +
                                    " --training training.json --hardware machine.json -q " + flags);
  }

  void SetUp() override {
    const CasePlan &made = planOf(GetParam());
    ASSERT_EQ(made.compiled.code, 0) << made.compiled.error;
    std::filesystem::create_directory_symlink(made.folder / "p", folder / "p");
    Result<plan::Plan> read = plan::readPlan(folder / "p");
    ASSERT_TRUE(read) << read.status().message();
    plan = read.take();
  }

  /// The calls of the library in a matmul: one for each thread of the product, or for each panel of an
  /// operand.
  static int64_t libraryCalls(const plan::MatmulSpec &spec, int64_t threads) {
    int64_t calls = 0;
    for (const MatmulPart &part : cutMatmul(WidenedMatmul::widened(spec), threads)) {
      const auto panels = readsOperandsInPlace() ? OperandPanels::of(part) : std::nullopt;
      calls += panels ? panels->count : 1;
    }
    return calls;
  }

  /// The calls of the library in a step of all ranks.
  int64_t libraryCallsPerStep() const {
    int64_t calls = 0;
    for (const plan::Section *section : stepSections(plan))
      for (const plan::Instruction &instruction : section->instructions)
        if (instruction.op == plan::Opcode::Launch)
          if (const plan::Kernel &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)];
              kernel.kind == plan::KernelKind::Matmul)
            calls += libraryCalls(kernel.matmul, plan.training.threadsPerRank);
    return calls * plan.ranks();
  }

  int64_t arenaBytes() const {
    int64_t bytes = 0;
    for (const plan::Arena &arena : plan.programs[0].arenas)
      if (arena.tier != plan::Tier::Nvme)
        bytes += arena.bytes * plan.ranks();
    return bytes;
  }

  TemporaryFolder folder;
  plan::Plan plan;
};

/// Pages of the address space, of all mappings.
int64_t mappedPages() { return std::stoll(readText("/proc/self/statm")); }

TEST_P(SteadyRun, asksForNothingInASteadyStep) {
  if (!kWatching)
    GTEST_SKIP() << "the sanitizer owns malloc";
  ExecutorOptions options;
  options.kernelsFolder = folder / "p";
  options.scratchFolder = folder.path;
  options.recordTrace = true;
  auto executor = Executor::create(plan, options);
  ASSERT_TRUE(executor) << executor.status().message();
  auto data = openData("synthetic:1", plan);
  ASSERT_TRUE(data) << data.status().message();
  auto batches = Batches::create(plan, **data, 1, true);
  ASSERT_TRUE(batches) << batches.status().message();
  ASSERT_TRUE(StateStream(plan, **executor).writeAll(initialValues(1)));
  TrainingHost host(plan, *batches);
  Allocations seen;
  int64_t pagesBefore = 0, pagesAfter = 0;
  for (int64_t step = 1; step <= 3; ++step) { // in the third step malloc's own caches are steady, too
    const int64_t position = (step - 1) * batches->samplesPerStep();
    pagesBefore = mappedPages();
    startWatch();
    const Result<const LossCounts *> counts = batches->countTraining(position);
    host.begin({1e-4, 0.1, 0.05, 1e-3, step}, position, (*counts)->shares());
    const Status status = (*executor)->run(plan::Purpose::Train, host);
    seen = stopWatch();
    pagesAfter = mappedPages();
    ASSERT_TRUE(counts && status) << status.message();
  }
  EXPECT_EQ(seen.ours, 0);
  EXPECT_EQ(seen.mappings, 0);
  EXPECT_EQ(pagesAfter, pagesBefore) << "something was mapped";
  EXPECT_LT(seen.largest, libraryRequestLimit());
  EXPECT_EQ(seen.kept, 0) << "not everything was given back";
  EXPECT_GT(seen.count, 0) << "the library was not seen";
  EXPECT_LE(seen.count, 7 * libraryCallsPerStep()); // oneDNN 2.6 makes seven small requests in each call
}

/// Outside of its homes the whole model is never in memory: neither while a run starts from a file nor while
/// it exports.
TEST_P(SteadyRun, weightsGoThroughAFixedPart) {
  if (!kWatching)
    GTEST_SKIP() << "the sanitizer owns malloc";
  ASSERT_EQ(
      runTool(folder.path, WINDLASS_RUN " p --data synthetic --steps 1 --quiet --export w.safetensors").code,
      0);
  folder.write("strategy.json", plan.strategy); // the same decisions, without a search
  const ToolRun compiled =
      compileExample(GetParam(), folder, "--strategy strategy.json --weights w.safetensors -o started");
  ASSERT_EQ(compiled.code, 0) << compiled.error;
  Result<plan::Plan> started = plan::readPlan(folder / "started");
  ASSERT_TRUE(started) << started.status().message();
  ExecutorOptions options;
  options.kernelsFolder = folder / "started";
  options.scratchFolder = folder.path;
  auto executor = Executor::create(*started, options);
  ASSERT_TRUE(executor) << executor.status().message();

  startWatch();
  StateStream states(*started, **executor);
  Result<StartingWeights> weights = StartingWeights::open(*started, "");
  const Status begun = weights ? states.writeAll(weights->values(1)) : weights.status();
  const Status exported = exportWeights(folder / "again.safetensors", *started, states);
  const Allocations seen = stopWatch();
  ASSERT_TRUE(begun) << begun.message();
  ASSERT_TRUE(exported) << exported.message();
  EXPECT_TRUE(readText(folder / "again.safetensors") == readText(folder / "w.safetensors"));
  const int64_t model = 4 * started->parameters;
  EXPECT_GT(seen.most, 0);
  EXPECT_LT(seen.most, 6 << 20) << "two buffers, of 4 and of 1 MiB, whatever the model";
  EXPECT_GT(model, 2 * (6 << 20)) << "a model that would show it";
  EXPECT_EQ(seen.mappings, 0) << "a file was mapped";
}

/// Looks at the anonymous memory of the real tool while it trains, and at least once after it: its trace is
/// longer than a pipe holds, so that it cannot end before the pipe is read.
TEST_P(SteadyRun, staysWithinItsArenasAndAFixedPart) {
  const ToolRun run = runTool(
      folder.path,
      "mkfifo pipe; exec 3<>pipe; "
      "( exec " WINDLASS_RUN " p --data synthetic --steps 3 --quiet --trace pipe 3>&- ) & RUN=$!; MOST=0; "
      "look() { read SIZE ALL SHARED REST </proc/$RUN/statm || return; "
      "[ $((ALL - SHARED)) -gt $MOST ] && MOST=$((ALL - SHARED)); }; "
      "while kill -0 $RUN && [ \"$(grep -c loss out/metrics.jsonl 2>/dev/null)\" != 3 ]; do look; sleep "
      "0.01; "
      "done; look; cat pipe >/dev/null 3>&- & wait $RUN; CODE=$?; exec 3>&-; echo $MOST; exit $CODE");
  ASSERT_EQ(run.code, 0) << run.error;
  const int64_t most = std::stoll(run.out) * sysconf(_SC_PAGESIZE), arenas = arenaBytes();
  std::printf("%s: %lld MiB anonymous, %lld MiB of arenas\n", GetParam().name,
              static_cast<long long>(most >> 20), static_cast<long long>(arenas >> 20));
  EXPECT_GT(most, arenas / 2) << "the run was not seen";
  EXPECT_LE(most, arenas + (int64_t{96} << 20));
}

INSTANTIATE_TEST_SUITE_P(Plans, SteadyRun, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace windlass::test
