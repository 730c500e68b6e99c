// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches on a GPU: the grid of a range, the phases in order, and the parameters in the format of the plan.
#include "runtime/kernels/cuda/CudaKernels.h"
#include "runtime/base/Hash.h"
#include "runtime/tiers/cuda/CudaMemory.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/plans/CudaBuiltins.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A launch as the code saw it.
struct Seen {
  std::string symbol;
  unsigned blocks;
  std::vector<uint64_t> parameters;
  bool operator==(const Seen &) const = default;
};

/// A plan with one kernel of two phases on a simulated GPU.
class CudaKernelsTest : public testing::Test {
protected:
  CudaKernelsTest() : sim(options()), context(cuda::Context::create(SimDriver::table()).take()) {
    const std::string code = builtinEntries() + ".entry h_$_0_sum(\n.entry h_$_0_sum_$_1(\n";
    folder.write("kernels.ptx", code);
    folder.write("old.ptx", code);
    for (const auto &[target, name] : {std::pair("sm_75", "old.ptx"),
                                       {"sm_80", "kernels.ptx"},
                                       {"sm_100", "missing.ptx"},
                                       {"sm_90a", "missing.ptx"},
                                       {"x86-64-v3", "kernels.so"}})
      plan.kernelFiles.push_back({target, name, hashOfBytes(code)});
    plan::Kernel &kernel = plan.kernels.emplace_back();
    kernel.symbol = "h.0_sum";
    kernel.args = {plan::Access::Read, plan::Access::Write};
    kernel.argBytes = {400, 4};
    kernel.extent = 100;
    kernel.phases = {{.perBlock = 32, .across = 3, .threads = 128, .sharedBytes = 64},
                     {.perBlock = 100, .across = 1, .threads = 32, .sharedBytes = 0}};
    plan::Instruction &launch = plan.programs[0].sections.emplace_back().instructions.emplace_back();
    launch.op = plan::Opcode::Launch;
    launch.lane = plan::Lane::Compute;
    launch.kernel = 0;
  }

  SimOptions options() {
    SimOptions made;
    made.policy = SimPolicy::Lazy;
    SimHostCode::Functions functions;
    addBuiltins(functions);
    for (const char *symbol : {"h_$_0_sum", "h_$_0_sum_$_1"})
      functions[symbol] = {
          4, [this, symbol](SimOperands &operands) {
            seen.push_back({symbol, operands.blocks(), {operands[0], operands[1], operands[2], operands[3]}});
          }};
    made.loader = SimHostCode::loader(std::move(functions));
    return made;
  }

  std::vector<Seen> seen;
  TemporaryFolder folder;
  plan::Plan plan;
  SimDriver sim;
  std::shared_ptr<cuda::Context> context;
};

TEST_F(CudaKernelsTest, aRangeHasTheBlocksThatCoverItInEveryPhase) {
  auto kernels = CudaKernels::load(context, plan, folder.path);
  ASSERT_TRUE(kernels) << kernels.status().message();
  auto launcher = (*kernels)->makeLauncher(0, nullptr).take();
  std::vector<std::byte> device(2);
  void *args[] = {device.data(), device.data() + 1};
  const auto a = reinterpret_cast<uint64_t>(args[0]), b = reinterpret_cast<uint64_t>(args[1]);
  ASSERT_TRUE(launcher->launch(0, args, 0, 100));
  EXPECT_EQ(seen, (std::vector<Seen>{{"h_$_0_sum", 4 * 3, {a, b, 0, 100}},
                                     {"h_$_0_sum_$_1", 1, {a, b, 0, 100}}})); // complete on return
  seen.clear();
  ASSERT_TRUE(launcher->launch(0, args, 36, 100));
  EXPECT_EQ(seen[0], (Seen{"h_$_0_sum", 2 * 3, {a, b, 36, 100}}));
  seen.clear();
  ASSERT_TRUE(launcher->launch(0, args, 40, 40));
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(sim.violations().empty());
}

TEST_F(CudaKernelsTest, onAStreamALaunchIsDoneWhenTheStreamIs) {
  auto memory = CudaMemory::create(context, 4096, 0).take();
  auto stream = memory->makeStream(4).take();
  auto kernels = CudaKernels::load(context, plan, folder.path).take();
  auto launcher = kernels->makeLauncher(0, stream.get()).take();
  void *args[] = {memory->data(), memory->data()};
  ASSERT_TRUE(launcher->launch(0, args, 0, 100));
  EXPECT_TRUE(seen.empty());
  ASSERT_TRUE(stream->mark(1));
  ASSERT_TRUE(stream->finish(1));
  EXPECT_EQ(seen.size(), 2u);
  launcher.reset();
  stream.reset();
  memory.reset();
  kernels.reset();
  EXPECT_EQ(sim.leftovers(), "1 context");
  EXPECT_TRUE(sim.violations().empty());
}

TEST_F(CudaKernelsTest, aGridBeyondWhatADeviceTakesIsRefused) {
  plan.kernels[0].phases[0].perBlock = 1;
  plan.kernels[0].phases[0].across = 1000;
  auto kernels = CudaKernels::load(context, plan, folder.path).take();
  auto launcher = kernels->makeLauncher(0, nullptr).take();
  void *args[] = {nullptr, nullptr};
  EXPECT_EQ(launcher->launch(0, args, 0, 3'000'000).message(),
            "a grid of 3000000000 blocks: a device takes 2147483647");
}

} // namespace
