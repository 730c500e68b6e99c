// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan depends on its target, and not on the machine that compiles it.
#include "compiler/driver/Compile.h"
#include "runtime/base/File.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/Matmul.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// The bytes of plan.json for a target. The model has products of 16 bits, in which targets differ most.
std::string planFor(const std::string &cpu, const TemporaryFolder &folder) {
  const Job job = biasFreeMlp({64, 320, 8}, 2, 1).with({{"precision", {{"compute", "bf16"}}}});
  CompileRequest request;
  request.model = folder.write("model.json", job.model.dump());
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  request.output = folder / "plan";
  request.targetCpu = cpu;
  Result<plan::Plan> plan = compile(request);
  if (!plan) {
    ADD_FAILURE() << cpu << ": " << plan.status().message();
    return "";
  }
  EXPECT_EQ(plan->target, *plan::targetNamed(cpu));
  Result<std::string> bytes = readFile(folder / "plan/plan.json");
  EXPECT_TRUE(bytes);
  return bytes ? *bytes : "";
}

std::map<std::string, std::string> planForEach(const TemporaryFolder &folder) {
  std::map<std::string, std::string> plans;
  for (const std::string &cpu : targetCpus())
    plans[cpu] = planFor(cpu, folder);
  return plans;
}

TEST(Target, aPlanIsTheSameWhateverTheLibraryDoesHere) {
  const TemporaryFolder folder; // one folder for all, since the plan has the model's path
  const std::map<std::string, std::string> before = planForEach(folder);
  ASSERT_EQ(before.size(), 3u);
  EXPECT_NE(before.at("x86-64-v4"), before.at("x86-64-v4-bf16")) << "they need other scratch";
  // A process fixes the instruction set of the library at its first product.
  ASSERT_TRUE(capLibraryKernels("x86-64-v3"));
  ASSERT_TRUE(Matmul::create({.batch = 1, .m = 64, .n = 64, .k = 64}, 1));
  ASSERT_EQ(libraryInstructionSet(), "avx2");
  EXPECT_TRUE(planForEach(folder) == before);
}

TEST(Target, aWordThatIsNoneIsRefusedWithThoseThatAre) {
  const Result<plan::Target> target = plan::targetNamed("i486");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.status().code(), ExitCode::BadInput);
  EXPECT_EQ(target.status().message(), "target cpu 'i486' is unknown: plans are made for 'x86-64-v3' or "
                                       "'x86-64-v4' or 'x86-64-v4-bf16'");
}

TEST(Target, eachIsWiderThanTheOnesBeforeIt) {
  bool runsAll = true;
  for (const plan::TargetRow &row : plan::targetRows()) {
    runsAll = runsAll && cpuSupports(row.cpu);
    EXPECT_EQ(runsAll, cpuSupports(row.cpu)) << row.cpu;
  }
  EXPECT_TRUE(cpuSupports(widestTarget()));
}

} // namespace
