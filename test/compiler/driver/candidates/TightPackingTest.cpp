// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While layouts are compared, any packing that fits the device will do. The one that is taken is as tight as
// the solver makes it, unless the step then takes longer.
#include "passes/Flow/layout/AllocateBuffers.h"
#include "runtime/plan/Device.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/MeshJobs.h"

using namespace windlass;
using namespace windlass::test;

namespace {

/// The bytes of a packing of the planned module's device that is no tighter than `enough`.
int64_t packed(mlir::ModuleOp module, const model::Machine &machine, int64_t enough) {
  flow::BufferAllocator allocator(module, plan::findDevice(machine.backend)->alignment);
  Result<flow::ArenaUse> arena = allocator.allocate(plan::Tier::Device, flow::Lifetimes::ByMargin, enough);
  EXPECT_TRUE(arena) << arena.status().message();
  return arena ? arena->bytes() : 0;
}

TEST(TightPacking, isThatOfThePlan) {
  for (Recompute::Kind recompute : {Recompute::None, Recompute::Full}) {
    constexpr int64_t layers = 3;
    Job job = tinyGpt2(2, 2, /*microBatch=*/2);
    job.model["n_layer"] = layers;
    Planning planning(job);
    const model::Machine &machine = planning.machine;
    Result<Planned> planned = planning.planner->plan(
        makeCandidate(recompute, 3, true, {layers}, planning.training, machine), machine);
    ASSERT_TRUE(planned) << planned.status().message();
    const mlir::ModuleOp module = *planned->stages.front();
    const int64_t bytes = flow::arenaOf(module, plan::Tier::Device).bytes;
    EXPECT_LT(bytes, packed(module, machine, machine.capacity(plan::Tier::Device)));
    EXPECT_EQ(bytes, packed(module, machine, /*enough=*/0));
  }
}

} // namespace
