// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While layouts are compared, any packing that fits the device will do; the one that is taken is as tight as
// the solver makes it.
#include "passes/Flow/layout/AllocateBuffers.h"
#include "runtime/plan/Device.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/MeshJobs.h"

using namespace windlass;
using namespace windlass::test;

namespace {

TEST(TightPacking, isThatOfThePlan) {
  for (const char *capacity : {"64MiB", "640KiB"}) {
    SCOPED_TRACE(capacity);
    Job job = tinyGpt2(2, 2, /*microBatch=*/2);
    job.model["n_layer"] = 4;
    job.hardware["device"]["capacity"] = capacity;
    Planning planning(job);
    const Candidate candidate =
        makeCandidate(Recompute::None, 3, true, 4, planning.training, planning.machine);
    Result<Planned> planned = planning.planner->plan(candidate, planning.machine);
    ASSERT_TRUE(planned) << planned.status().message();
    const mlir::ModuleOp module = *planned->stages.front();
    const int64_t bytes = flow::arenaOf(module, plan::Tier::Device).bytes;
    flow::BufferAllocator allocator(module, plan::findDevice(planning.machine.backend)->alignment);
    Result<flow::ArenaUse> loose =
        allocator.allocate(plan::Tier::Device, flow::Lifetimes::ByMargin,
                           planning.machine.capacity(plan::Tier::Device));
    Result<flow::ArenaUse> tight = allocator.allocate(plan::Tier::Device, flow::Lifetimes::ByMargin);
    ASSERT_TRUE(loose && tight);
    EXPECT_LT(tight->bytes(), loose->bytes()) << "the case tells nothing";
    EXPECT_EQ(bytes, tight->bytes());
  }
}

} // namespace
