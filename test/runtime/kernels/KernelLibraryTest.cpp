// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/base/Hash.h"
#include "runtime/kernels/KernelRunner.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

Plan planWith(std::string symbol) {
  Plan plan;
  plan.kernelFiles = {
      {"", "kernels-fixture.so", hashOfFile(WINDLASS_KERNELS_FOLDER "/kernels-fixture.so").take()}};
  Kernel kernel;
  kernel.symbol = std::move(symbol);
  kernel.args = {Access::Read, Access::Write};
  kernel.argBytes = {0, 0};
  plan.kernels.push_back(kernel);
  return plan;
}

TEST(KernelLibrary, runsAGeneratedKernel) {
  Plan plan = planWith("scale_and_shift");
  plan.training.threadsPerRank = 2;
  auto library = KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER);
  ASSERT_TRUE(library) << library.status().message();
  auto runner = KernelRunner::create(**library);
  std::vector<float> in(1000, 2.0f), out(1000);
  void *args[] = {in.data(), out.data()};
  ASSERT_TRUE((*runner)->launch(0, args, 0, 1000));
  for (float value : out)
    ASSERT_EQ(value, 2.0f * 1.0009765625f + 0.25f);
}

/// The result of the fixture's sum shows which of its functions made it.
TEST(KernelLibrary, severalThreadsMakeAPiecedSumInTwoPhases) {
  Plan plan = planWith("sum");
  plan.kernels[0].args = {Access::Read, Access::Write, Access::Scratch};
  plan.kernels[0].argBytes = {28, 4, 28};
  for (auto [threads, expected] : {std::pair(1, 1028.0f), std::pair(3, 2028.0f)}) {
    plan.training.threadsPerRank = threads;
    auto library = KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER);
    ASSERT_TRUE(library) << library.status().message();
    auto runner = KernelRunner::create(**library);
    std::vector<float> terms = {1, 2, 3, 4, 5, 6, 7}, parts(terms.size(), -1);
    float sum = 0;
    void *args[] = {terms.data(), &sum, parts.data()};
    ASSERT_TRUE((*runner)->launch(0, args, 0, 1));
    EXPECT_EQ(sum, expected);
  }
}

TEST(KernelLibrary, aWrongHashIsRefusedBeforeLoading) {
  Plan plan = planWith("scale_and_shift");
  plan.kernelFiles[0].hash = std::string(32, '0');
  auto library = KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().code(), ExitCode::BadInput);
  EXPECT_NE(library.status().message().find("the plan asks for 00000000"), std::string::npos);
}

TEST(KernelLibrary, aMissingSymbolIsNamed) {
  auto library = KernelLibrary::load(planWith("nobody"), WINDLASS_KERNELS_FOLDER);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().message(), "kernel 'nobody' is not in 'kernels-fixture.so'");
}

/// Code for the operands of another kernel would read and write beyond those of this one.
TEST(KernelLibrary, codeForOtherOperandsIsRefused) {
  Plan swapped = planWith("blend"), longer = planWith("scale_and_shift");
  longer.kernels[0].extent = 128;
  for (auto &[plan, message] :
       {std::pair(swapped, "kernel 'blend' was made for 'kernel 0, range 1: r 0, r 0, w 0', the plan has it "
                           "take 'kernel 0, range 1: r 0, w 0'"),
        std::pair(longer, "kernel 'scale_and_shift' was made for 'kernel 0, range 1: r 0, w 0', the plan has "
                          "it take 'kernel 0, range 128: r 0, w 0'")}) {
    auto library = KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER);
    ASSERT_FALSE(library);
    EXPECT_EQ(library.status().code(), ExitCode::BadInput);
    EXPECT_EQ(library.status().message(), message);
  }
}

TEST(KernelLibrary, kernelsForNoTargetOfThePlanAreMissing) {
  Plan plan = planWith("scale_and_shift");
  plan.kernelFiles[0].target = "sm_90";
  auto library = KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().message(), "kernel 'scale_and_shift': the plan has no kernel file for ''");
}

TEST(KernelLibrary, servesTheHostsLaunchesAloneWhereTheDeviceHasCodeOfItsOwn) {
  Plan plan = planWith("scale_and_shift");
  plan.kernels.push_back(plan.kernels.front());
  plan.kernels[1].symbol = "nobody";
  Instruction onHost, onDevice;
  onHost.lane = Lane::HostCompute;
  onHost.kernel = 0;
  onDevice.kernel = 1;
  plan.programs[0].sections.push_back({"only", 1, {onHost, onDevice}});
  EXPECT_FALSE(KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER));
  auto library = KernelLibrary::load(plan, WINDLASS_KERNELS_FOLDER, Serves::HostLane);
  ASSERT_TRUE(library) << library.status().message();
  auto launcher = (*library)->makeLauncher(0, nullptr);
  ASSERT_TRUE(launcher) << launcher.status().message();
  float in = 2, out = 0;
  void *args[] = {&in, &out};
  ASSERT_TRUE((*launcher)->launch(0, args, 0, 1));
  EXPECT_EQ(out, 2.0f * 1.0009765625f + 0.25f);
}

TEST(KernelLibrary, saysWhichMatmulsRunInF32) {
  Plan plan;
  for (ElementType type : {ElementType::F32, ElementType::F16}) {
    Kernel &kernel = plan.kernels.emplace_back();
    kernel.kind = KernelKind::Matmul;
    kernel.matmul = {1, 16, 16, 16};
    kernel.matmul.a = kernel.matmul.b = kernel.matmul.c = type;
  }
  auto library = KernelLibrary::load(plan, "");
  ASSERT_TRUE(library) << library.status().message();
  const std::vector<std::string> said = (*library)->notices(plan);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].starts_with("matmuls of f16 run in f32 over widened operands: ")) << said[0];
}

TEST(KernelLibrary, scratchTooSmallIsRefusedWithBothSizes) {
  Plan plan;
  plan.target.library = "oneDNN";
  plan.target.version = "2.6";
  Kernel kernel;
  kernel.kind = KernelKind::Matmul;
  kernel.matmul = {1, 512, 512, 512, true, true, ElementType::F32, ElementType::F32, ElementType::F32, false};
  auto matmul = Matmul::create(kernel.matmul, 1);
  ASSERT_TRUE(matmul);
  const int64_t needed = (*matmul)->scratchBytes();
  plan.kernels.push_back(kernel);
  Instruction launch;
  launch.kernel = 0;
  launch.operands.resize(4);
  launch.operands[3].bytes = needed;
  plan.programs[0].sections.push_back({"only", 1, {launch}});
  EXPECT_TRUE(KernelLibrary::load(plan, "."));
  if (needed == 0)
    GTEST_SKIP() << "this matmul needs no scratch here";
  plan.programs[0].sections[0].instructions[0].operands[3].bytes = needed - 1;
  auto library = KernelLibrary::load(plan, ".");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().code(), ExitCode::CannotFit);
  EXPECT_NE(library.status().message().find("needs " + std::to_string(needed)), std::string::npos);
  EXPECT_NE(library.status().message().find("grants " + std::to_string(needed - 1) +
                                            ": it is made for oneDNN 2.6, here is oneDNN "),
            std::string::npos);
}

} // namespace
