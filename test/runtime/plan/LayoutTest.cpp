// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets on every rank, accesses by table and by kernel, and the order of sections.
#include "runtime/plan/Layout.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

TEST(Layout, OffsetFollowsTheMesh) {
  Plan plan;
  plan.mesh = {{"dp", 2}, {"tp", 3}};
  plan.programs[0].ranks = plan.ranks();
  plan.programs[0].buffers = {{"b", BufferClass::Feed, Tier::Host, 1000, 900, false}};
  Operand operand{0, 10, 100, {300, 100}};
  EXPECT_EQ(meshCoordinates(plan, 4), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(arenaOffset(plan, plan.programs[0], operand, 0), 1010);
  EXPECT_EQ(arenaOffset(plan, plan.programs[0], operand, 2), 1210);
  EXPECT_EQ(arenaOffset(plan, plan.programs[0], operand, 4), 1410);
  EXPECT_TRUE(dependsOnRank(plan, operand));
  EXPECT_FALSE(dependsOnRank(plan, {0, 10, 100, {0, 0}}));
}

TEST(Layout, PinsWhatPassesToAndFromTheDisk) {
  Plan plan;
  plan.programs[0].buffers = {{"home", BufferClass::Parameter, Tier::Host, 0, 4096, true},
                              {"disk", BufferClass::Momentum, Tier::Nvme, 0, 16384, true},
                              {"stage", BufferClass::Staging, Tier::Host, 8192, 4096, false},
                              {"other", BufferClass::Staging, Tier::Host, 16384, 8192, false},
                              {"upload", BufferClass::Staging, Tier::Host, 32768, 4096, false}};
  EXPECT_EQ(pinnedPool(plan.programs[0]).bytes(), 0);
  Instruction read, write, upload;
  read.lane = Lane::NcIn;
  read.operands = {{1, 0, 4096, {}}, {2, 0, 4096, {}}};
  write.lane = Lane::NcOut;
  write.operands = {{3, 0, 4096, {}}, {1, 4096, 4096, {}}};
  upload.lane = Lane::CgIn;
  upload.operands = {{4, 0, 4096, {}}};
  plan.programs[0].sections.resize(2);
  plan.programs[0].sections[0].instructions = {upload, read};
  plan.programs[0].sections[1].instructions = {write};
  EXPECT_EQ(pinnedPool(plan.programs[0]).begin, 8192);
  EXPECT_EQ(pinnedPool(plan.programs[0]).end, 24576);
}

TEST(Layout, AccessComesFromTheTableOrTheKernel) {
  Plan plan;
  plan.kernels = {{"k", KernelKind::Generated, {}, {Access::Read, Access::Scratch}, {0, 0}, 1, 0, 0, ""}};
  Instruction launch;
  launch.kernel = 0;
  EXPECT_EQ(accessOf(plan, launch, 1), Access::Scratch);
  Instruction gather;
  gather.op = Opcode::AllGather;
  EXPECT_EQ(accessOf(plan, gather, 0), Access::Read);
  EXPECT_EQ(accessOf(plan, gather, 1), Access::Write);
  EXPECT_EQ(accessOf(plan, gather, 7), Access::Write);
  gather.operands.resize(4);
  gather.staged = true;
  EXPECT_EQ(accessOf(plan, gather, 2), Access::Write);
  EXPECT_EQ(accessOf(plan, gather, 3), Access::Scratch);
  EXPECT_EQ(operandRule(Opcode::Read, 0).tier, Tier::Nvme);
  EXPECT_EQ(operandRule(Opcode::Read, 1).tier, Tier::Host);
  EXPECT_TRUE(operandCount(Opcode::ReduceScatter).more);
  EXPECT_EQ(operandCount(Opcode::Feed).least, 1u);
  EXPECT_TRUE(rowOf(Opcode::Launch).lanes.holds(Lane::HostCompute));
  EXPECT_FALSE(rowOf(Opcode::Launch).lanes.holds(Lane::Gg));
}

TEST(Layout, AnOwnerExecutesAloneButForCollectives) {
  Plan plan;
  plan.mesh = {{"dp", 2}};
  plan.programs[0].ranks = plan.ranks();
  plan.programs[0].buffers = {{"mine", BufferClass::Parameter, Tier::Host, 0, 64, true, 1},
                              {"ours", BufferClass::Gathered, Tier::Device, 0, 64, false}};
  Instruction upload;
  upload.op = Opcode::Upload;
  upload.operands = {{0, 0, 64, {}}, {1, 0, 64, {}}};
  EXPECT_FALSE(executes(plan, plan.programs[0], upload, 0));
  EXPECT_TRUE(executes(plan, plan.programs[0], upload, 1));
  EXPECT_TRUE(isHeld(plan, plan.programs[0], upload.operands[1], 0));
  upload.op = Opcode::Broadcast;
  EXPECT_TRUE(executes(plan, plan.programs[0], upload, 0));
  EXPECT_EQ(rootOf(plan.programs[0], upload), 1);
  EXPECT_TRUE(hasOwners(plan.programs[0]));
  EXPECT_EQ(nameOfOwner(plan, 1), "rank 1");
}

/// An owner is a place along the axes of data: every rank at this place has the owned buffer.
TEST(Layout, RanksAtAnOwnersPlaceExecute) {
  Plan plan;
  plan.mesh = {{"pp", 2, AxisKind::Pipeline}, {"dp", 2}, {"tp", 2, AxisKind::Tensor}};
  plan.programs[0].ranks = 4;
  plan.programs[0].buffers = {{"theirs", BufferClass::Parameter, Tier::Host, 0, 64, true, 1}};
  Instruction upload;
  upload.op = Opcode::Upload;
  upload.operands = {{0, 0, 64, {}}};
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(executes(plan, plan.programs[0], upload, rank), rank % 4 >= 2) << rank;
  EXPECT_EQ(nameOfOwner(plan, 1), "data rank 1");
  const std::vector<int64_t> data = {1}, tensor = {2}, both = {1, 2};
  EXPECT_TRUE(areDataAxes(plan, data));
  EXPECT_FALSE(areDataAxes(plan, tensor));
  EXPECT_FALSE(areDataAxes(plan, both));
  EXPECT_FALSE(areDataAxes(plan, {}));
}

TEST(Layout, EveryWordReadsBack) {
  for (size_t i = 0; i < countOf<Opcode>(); ++i)
    EXPECT_EQ(fromText<Opcode>(textOf(static_cast<Opcode>(i))), static_cast<Opcode>(i));
  EXPECT_EQ(countOf<Lane>(), kLanes);
  EXPECT_EQ(textOf(Lane::HostCompute), "host_compute");
  EXPECT_EQ(fromText<Access>("x"), std::nullopt);
}

TEST(Layout, OrdinalsCountFromOnePerLane) {
  Section section;
  section.instructions.resize(4);
  section.instructions[1].lane = Lane::Gg;
  section.instructions[3].lane = Lane::Gg;
  EXPECT_EQ(laneOrdinals(section), (std::vector<uint32_t>{1, 1, 2, 2}));
  EXPECT_EQ(at(laneCounts(section), Lane::Gg), 2u);
}

} // namespace
