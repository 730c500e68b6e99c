// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sound plans pass. For each rule there is a plan that breaks only this rule, and its message.
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include "test/support/Sections.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

std::string firstFault(const Plan &plan) {
  std::vector<std::string> faults = findFaults(plan);
  return faults.empty() ? "" : faults.front();
}

/// Expects a sound plan, also after it is written and read.
void expectSound(const test::SyntheticOptions &options) {
  Plan plan = test::makeSyntheticPlan(options);
  EXPECT_EQ(firstFault(plan), "") << "seed " << options.seed;
  std::string text = *printPlan(plan);
  Result<Plan> back = parsePlan(text, "x");
  ASSERT_TRUE(back) << back.status().message();
  EXPECT_EQ(*printPlan(*back), text);
}

class SoundPlans : public testing::TestWithParam<std::tuple<int64_t, int64_t>> {};

TEST_P(SoundPlans, AreFoundSoundAndReadBack) {
  auto [ranks, microBatches] = GetParam();
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    test::SyntheticOptions options{seed, ranks, microBatches, 1 + static_cast<int64_t>(seed % 4),
                                   1 + static_cast<int64_t>(seed % 3)};
    expectSound(options);
    options.sample = options.owners = options.generated = true;
    expectSound(options);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SoundPlans,
                         testing::Combine(testing::Range<int64_t>(1, 5), testing::Values(1, 2, 3)));

/// Offloads a buffer of the device to one of the host, and reports it as the loss.
void addReport(Plan &plan, uint32_t from, uint32_t to, int64_t bytes, std::vector<Wait> waits) {
  Instruction offload;
  offload.op = Opcode::Offload;
  offload.lane = Lane::CgOut;
  offload.operands = {{from, 0, bytes, {}}, {to, 0, bytes, {}}};
  offload.bytesMoved = bytes;
  offload.waits = std::move(waits);
  Instruction report;
  report.op = Opcode::Report;
  report.lane = Lane::HostCompute;
  report.item = "loss";
  report.operands = {{to, 0, bytes, {}}};
  report.waits = {{Lane::CgOut, 1, {}}};
  for (const Instruction &instruction : {offload, report})
    plan.programs[0].sections.back().instructions.push_back(instruction);
}

/// A plan of two lanes: a launch reads the bytes that an upload writes. Two more lanes report its result.
Plan twoLanes() {
  Plan plan;
  plan.mesh = {{"dp", 1}};
  plan.programs[0].ranks = plan.ranks();
  plan.programs[0].arenas = {{Tier::Device, 3072, 0, 4096}, {Tier::Host, 2048, 0, 2048}};
  plan.programs[0].buffers = {{"w", BufferClass::Parameter, Tier::Host, 0, 1024, true},
                              {"w.device", BufferClass::Staging, Tier::Device, 0, 1024, false},
                              {"y", BufferClass::Activation, Tier::Device, 1024, 1024, false},
                              {"late", BufferClass::Activation, Tier::Device, 2048, 1024, false},
                              {"loss", BufferClass::Feed, Tier::Host, 1024, 1024, false}};
  plan.programs[0].states = {{"w",
                              StateClass::Parameter,
                              ElementType::F32,
                              {16, 16},
                              "decay",
                              {},
                              "w",
                              0,
                              256,
                              true,
                              {0, 0, 1024, {}}}};
  plan.kernels = {{"mm",
                   KernelKind::Matmul,
                   {1, 16, 16, 16},
                   {Access::Read, Access::Read, Access::Write},
                   {1024, 1024, 1024},
                   1,
                   0,
                   0,
                   ""}};
  Instruction upload;
  upload.op = Opcode::Upload;
  upload.lane = Lane::CgIn;
  upload.operands = {{0, 0, 1024, {}}, {1, 0, 1024, {}}};
  upload.bytesMoved = 1024;
  upload.origin = {"h.0", "w", Phase::Forward};
  Instruction launch;
  launch.kernel = 0;
  launch.end = 1;
  launch.operands = {{1, 0, 1024, {}}, {1, 0, 1024, {}}, {2, 0, 1024, {}}};
  launch.waits = {{Lane::CgIn, 1, {}}};
  launch.origin = {"h.0", "matmul", Phase::Forward};
  plan.programs[0].sections = {{"only", 1, {upload, launch}}};
  test::setSchedules(plan);
  addReport(plan, 2, 4, 1024, {{Lane::Compute, 1, {}}});
  return plan;
}

TEST(Checker, AcceptsTwoLanes) { EXPECT_EQ(firstFault(twoLanes()), ""); }

TEST(Checker, BuffersBeginWhereTheArenaSays) {
  Plan plan = twoLanes();
  plan.programs[0].arenas[0].alignment = 1024;
  EXPECT_EQ(firstFault(plan), "");
  plan.programs[0].arenas[0].alignment = 2048;
  EXPECT_EQ(firstFault(plan), "arena \"device\" has 3072 bytes, no multiple of 2048");
  plan.programs[0].arenas[0].bytes = 4096;
  EXPECT_EQ(firstFault(plan), "buffer \"y\" begins at device 1024, no multiple of 2048");
  plan.programs[0].arenas[0].alignment = 96;
  EXPECT_EQ(firstFault(plan),
            "arena \"device\" has alignment 96, but it must be a power of two, 64 at the least");
}

TEST(Checker, OnlyCollectivesHaveMemoryForATransport) {
  Plan plan = twoLanes();
  plan.programs[0].sections[0].instructions[0].staged = true;
  EXPECT_NE(firstFault(plan).find("has memory for a transport, but is no collective"), std::string::npos);
}

/// A kernel whose operands have no fixed size takes the bytes of the instruction.
TEST(Checker, RefusesAChunkWithoutAnElementForEveryIndex) {
  Plan plan = twoLanes();
  plan.kernels = {{"map", KernelKind::Generated, {}, {Access::Read, Access::Write}, {0, 0}, 1, 0, 0, ""}};
  Instruction &launch = plan.programs[0].sections[0].instructions[1];
  launch.operands = {{1, 0, 1024, {}}, {2, 0, 512, {}}};
  launch.end = 256;
  Instruction &offload = plan.programs[0].sections[0].instructions[2];
  offload.operands[0].bytes = offload.operands[1].bytes = offload.bytesMoved = 512;
  plan.programs[0].sections[0].instructions[3].operands[0].bytes = 512;
  EXPECT_EQ(firstFault(plan), ""); // 4 bytes per element in, 2 out
  launch.operands[1].bytes = 448;
  EXPECT_EQ(firstFault(plan), "section only, compute 1 (matmul, h.0, forward): operand 1 (\"y\") has 448 "
                              "bytes for a range of 256 elements, which have 2, 4 or 8 each");
  launch.operands[1].bytes = 256;
  EXPECT_NE(firstFault(plan), "");
}

TEST(Checker, NamesBothInstructionsOfARace) {
  Plan plan = twoLanes();
  plan.programs[0].sections[0].instructions[1].waits.clear();
  EXPECT_EQ(firstFault(plan),
            "cg_in 1 (upload w, h.0, forward) and compute 1 (matmul, h.0, forward) touch device "
            "[0, 1024) unordered in section only");
}

TEST(Checker, NamesReaderAndWriterOfReusedMemory) {
  Plan plan = twoLanes();
  Instruction next = plan.programs[0].sections[0].instructions[1], again = next;
  next.operands = {{2, 0, 1024, {}}, {2, 0, 1024, {}}, {3, 0, 1024, {}}};
  again.operands[1] = next.operands[2];
  std::vector<Instruction> &instructions = plan.programs[0].sections[0].instructions;
  instructions.insert(instructions.begin() + 2, {next, again});
  instructions[4].waits = {{Lane::Compute, 3, {}}};
  EXPECT_EQ(firstFault(plan), "");
  plan.programs[0].buffers[3].offset = 0; // "late" now overlaps "w.device", which is still in use
  EXPECT_EQ(
      firstFault(plan),
      "compute 3 (matmul, h.0, forward) in section only reads device [0, 1024) of buffer \"w.device\", last "
      "written by compute 2 (matmul, h.0, forward) in section only for buffer \"late\"");
}

TEST(Checker, RefusesAReadOfNothing) {
  Plan plan = twoLanes();
  plan.programs[0].sections[0].instructions[1].operands[1].buffer = 3;
  EXPECT_EQ(firstFault(plan),
            "compute 1 (matmul, h.0, forward) in section only reads device [2048, 3072) of buffer "
            "\"late\", which nothing has written");
}

/// Constants may be overwritten before they are read (padding is zeroed before values are written beside it),
/// and results may not.
TEST(Checker, RefusesALostResult) {
  Plan plan = twoLanes();
  plan.kernels.push_back({"zero", KernelKind::Generated, {}, {Access::Write}, {1024}, 256, 0, 0, ""});
  Instruction zero;
  zero.kernel = 1;
  zero.end = 256;
  zero.operands = {{2, 0, 1024, {}}};
  zero.origin = {"h.0", "zero padding", Phase::Forward};
  std::vector<Instruction> &instructions = plan.programs[0].sections[0].instructions;
  instructions.insert(instructions.begin() + 1, zero);
  instructions[3].waits = {{Lane::Compute, 2, {}}};
  EXPECT_EQ(firstFault(plan), "");
  std::swap(instructions[1], instructions[2]);
  EXPECT_EQ(firstFault(plan),
            "compute 2 (zero padding, h.0, forward) in section only overwrites device [1024, 2048) of buffer "
            "\"y\", which compute 1 (matmul, h.0, forward) wrote and nothing has read");
}

TEST(Checker, RefusesALostHome) {
  Plan plan = twoLanes();
  plan.programs[0].buffers.push_back({"other", BufferClass::Staging, Tier::Host, 0, 1024, false});
  Instruction offload;
  offload.op = Opcode::Offload;
  offload.lane = Lane::CgOut;
  offload.operands = {{2, 0, 1024, {}}, {5, 0, 1024, {}}};
  offload.bytesMoved = 1024;
  offload.waits = {{Lane::Compute, 1, {}}};
  plan.programs[0].sections[0].instructions.push_back(offload);
  EXPECT_EQ(firstFault(plan),
            "the home of state \"w\" (parameter) at host [0, 1024) is overwritten by cg_out 2 "
            "(offload, forward) in section only");
}

TEST(Checker, RefusesAnArenaOneByteSmaller) {
  for (size_t a = 0; a < 3; ++a) {
    Plan plan = test::makeSyntheticPlan({3, 2, 3, 4, 2});
    if (plan.programs[0].arenas[a].bytes == 0)
      continue;
    plan.programs[0].arenas[a].bytes -= 1;
    EXPECT_EQ(checkPlan(plan).code(), ExitCode::BadInput) << a;
  }
  Plan plan = twoLanes();
  plan.programs[0].arenas[0].capacity = 3071;
  EXPECT_EQ(firstFault(plan), "arena \"device\" has 3072 bytes, but the hardware grants 3071");
}

TEST(Checker, RefusesWaitsThatLeadNowhere) {
  Plan plan = twoLanes();
  const std::string launch = "section only, compute 1 (matmul, h.0, forward) waits for ";
  std::vector<Wait> &waits = plan.programs[0].sections[0].instructions[1].waits;
  waits = {{Lane::CgIn, 2, {}}};
  EXPECT_EQ(firstFault(plan), launch + "cg_in 2, but 1 of that lane stand before it");
  waits = {{Lane::CgIn, 1, {}}, {Lane::CgIn, 1, {}}};
  EXPECT_EQ(firstFault(plan), launch + "cg_in twice");
  waits = {{Lane::CgIn, 1, {}}, {Lane::Compute, 1, {}}};
  EXPECT_EQ(firstFault(plan), launch + "compute, its own lane");
  waits = {{Lane::CgIn, 0, {{0, 1}}}};
  EXPECT_EQ(firstFault(plan),
            launch + "cg_in of the previous section, but this section begins after a drain");
}

TEST(Checker, AnNvmeLaneOrdersOnlyBeyondItsDepth) {
  Plan plan;
  plan.mesh = {{"dp", 1}};
  plan.programs[0].ranks = plan.ranks();
  plan.nvmeDepth = 2;
  plan.programs[0].arenas = {{Tier::Host, 8192, 0, 8192}, {Tier::Nvme, 4096, 0, 4096}};
  plan.programs[0].buffers = {{"w", BufferClass::Parameter, Tier::Nvme, 0, 4096, true},
                              {"a", BufferClass::Staging, Tier::Host, 0, 4096, false},
                              {"b", BufferClass::Staging, Tier::Host, 4096, 4096, false}};
  plan.programs[0].states = {{"w",
                              StateClass::Parameter,
                              ElementType::F32,
                              {32, 32},
                              "decay",
                              {},
                              "w",
                              0,
                              1024,
                              true,
                              {0, 0, 4096, {}}}};
  Instruction read;
  read.op = Opcode::Read;
  read.lane = Lane::NcIn;
  read.bytesMoved = 4096;
  plan.programs[0].sections = {{"only", 1, {}}};
  test::setSchedules(plan);
  for (uint32_t staging : {1, 2, 1}) {
    read.operands = {{0, 0, 4096, {}}, {staging, 0, 4096, {}}};
    plan.programs[0].sections[0].instructions.push_back(read);
  }
  Instruction report;
  report.op = Opcode::Report;
  report.lane = Lane::HostCompute;
  report.item = "loss";
  report.operands = {{2, 0, 4096, {}}};
  report.waits = {{Lane::NcIn, 3, {}}};
  plan.programs[0].sections[0].instructions.push_back(report);
  EXPECT_EQ(firstFault(plan), "nc_in 1 (read, forward) in section only writes to host what nothing reads");
  plan.nvmeDepth = 3;
  EXPECT_EQ(
      firstFault(plan),
      "nc_in 1 (read, forward) and nc_in 3 (read, forward) touch host [0, 4096) unordered in section only");
}

TEST(Checker, RefusesLaunchesAcrossArenas) {
  Plan plan = twoLanes();
  plan.programs[0].sections[0].instructions[1].operands[0] = {0, 0, 1024, {}};
  EXPECT_EQ(firstFault(plan),
            "section only, compute 1 (matmul, h.0, forward): operand 0 (\"w\") lies in host, but the "
            "lane works in device");
}

TEST(Checker, RefusesOperandsThatShareWrittenBytes) {
  Plan plan = twoLanes();
  plan.programs[0].sections[0].instructions[1].operands[2] = {1, 0, 1024, {}};
  EXPECT_EQ(firstFault(plan),
            "section only, compute 1 (matmul, h.0, forward): operand 0 (\"w.device\") and operand 2 "
            "(\"w.device\") share bytes on rank 0");
}

TEST(Checker, LetsGeneratedKernelsWorkInPlace) {
  Plan plan = twoLanes();
  plan.kernels[0].kind = KernelKind::Generated;
  plan.programs[0].sections[0].instructions[1].operands = {
      {1, 0, 1024, {}}, {0, 0, 1024, {}}, {1, 0, 1024, {}}};
  plan.programs[0].buffers[0].tier = Tier::Device; // the other argument lies elsewhere
  plan.programs[0].buffers[0].offset = 2048;
  plan.programs[0].sections[0].instructions.erase(plan.programs[0].sections[0].instructions.begin());
  plan.programs[0].sections[0].instructions[0].waits.clear();
  EXPECT_TRUE(std::ranges::none_of(findFaults(plan), [](const std::string &fault) {
    return fault.find("share bytes") != std::string::npos;
  }));
  plan.programs[0].sections[0].instructions[0].operands[2].bytes = 512;
  EXPECT_NE(firstFault(plan).find("share bytes on rank 0"), std::string::npos);
}

TEST(Checker, FeedsWholeInputsButOneTextToASample) {
  for (auto [section, examples, sound] : {std::tuple{"evaluate", 4, true}, std::tuple{"evaluate", 1, false},
                                          std::tuple{"sample", 4, false}, std::tuple{"sample", 1, true}}) {
    Plan plan = twoLanes();
    plan.inputs = {{"tokens", ElementType::I32, {4, 64}, InputRole::Tokens, 256}};
    Instruction feed;
    feed.op = Opcode::Feed;
    feed.item = "tokens";
    feed.lane = Lane::Compute;
    feed.operands = {{2, 0, examples * 64 * 4, {}}};
    plan.programs[0].sections.push_back({section, 1, {feed}});
    test::setSchedules(plan);
    bool named = std::ranges::any_of(findFaults(plan), [](const std::string &fault) {
      return fault.find("has another size") != std::string::npos;
    });
    EXPECT_NE(named, sound) << section << " of " << examples;
  }
}

TEST(Checker, RefusesHomesThatAreNotStates) {
  Plan plan = twoLanes();
  plan.programs[0].buffers[0].persistent = false;
  EXPECT_EQ(firstFault(plan),
            "state \"w\" (parameter) has its home in buffer \"w\", which is not persistent");
  plan = twoLanes();
  plan.programs[0].states.push_back(plan.programs[0].states[0]);
  plan.programs[0].states[1].name = plan.programs[0].states[1].unit = "v";
  EXPECT_EQ(firstFault(plan),
            "state \"w\" (parameter) and state \"v\" (parameter) share host [0, 1024) on rank 0");
}

TEST(Checker, RefusesSourcesThatAreNotTheTensor) {
  Plan plan = twoLanes();
  plan.weights = {{"/m.safetensors", 1024 + 8, ""}};
  plan.programs[0].states[0].source = {0, "w", StoredType::F32, 8, false};
  EXPECT_EQ(firstFault(plan), "");
  plan.programs[0].states[0].source.offset = 9;
  EXPECT_EQ(firstFault(plan),
            "state \"w\" (parameter) starts from tensor \"w\", which runs past the 1032 bytes "
            "of \"/m.safetensors\"");
  plan.programs[0].states[0].source.offset = 8;
  plan.programs[0].states[0].cls = StateClass::Momentum;
  EXPECT_EQ(firstFault(plan), "state \"w\" (momentum) starts from a weight file");
}

TEST(Checker, RefusesSlicesThatAreNotTheTensor) {
  auto faultOf = [](const std::vector<Slice> &slices) {
    Plan plan = twoLanes();
    State &first = plan.programs[0].states[0];
    first.shape = {16, 16};
    const State model = first;
    plan.programs[0].states = {};
    for (const Slice &slice : slices) {
      plan.programs[0].states.push_back(model);
      plan.programs[0].states.back().unit = "unit " + std::to_string(plan.programs[0].states.size());
      plan.programs[0].states.back().slice = slice;
    }
    return firstFault(plan);
  };
  const std::string name = "state \"w\" (parameter) ";
  EXPECT_EQ(faultOf({{}, {}}), name + "stands twice");
  EXPECT_EQ(faultOf({{{32, 16}, {0, 0}}, {{16, 32}, {0, 16}}}), name + "has slices of different tensors");
  EXPECT_EQ(faultOf({{{32, 16}, {0, 0}}, {{32, 16}, {15, 0}}}),
            name + "has slices that overlap, from [0, 0] and from [15, 0]");
  EXPECT_EQ(faultOf({{{48, 16}, {0, 0}}, {{48, 16}, {32, 0}}}), name + "has slices of 512 elements of 768");
  // Each slice has a quarter of the elements, in two dimensions.
  const std::vector<Slice> quarters = {
      {{32, 32}, {16, 0}}, {{32, 32}, {0, 0}}, {{32, 32}, {0, 16}}, {{32, 32}, {16, 16}}};
  EXPECT_EQ(faultOf(quarters).find(name + "has slices"), std::string::npos) << faultOf(quarters);
  std::vector<Slice> shifted = quarters;
  shifted[3].begin = {16, 12};
  EXPECT_EQ(faultOf(shifted), name + "has slices that overlap, from [16, 0] and from [16, 12]");
}

TEST(Checker, RefusesSplitsThatAreNotTheTensor) {
  auto faultOf = [](const std::vector<int64_t> &whole, int64_t period, const std::vector<int64_t> &axes) {
    Plan plan = twoLanes();
    plan.mesh = {{"dp", 1, AxisKind::Data}, {"tp", 1, AxisKind::Tensor}};
    State &state = plan.programs[0].states[0];
    state.split = {whole, 1, period, period};
    state.axes = axes;
    return firstFault(plan);
  };
  const std::string name = "state \"w\" (parameter) ";
  const std::string sound = faultOf({16, 16}, 16, {0});
  EXPECT_EQ(sound.find(name), std::string::npos) << sound;
  EXPECT_EQ(faultOf({16, 32}, 16, {0}),
            name + "has 256 elements on each rank along tp, not 16 of each 16 of 512");
  EXPECT_EQ(faultOf({16, 16}, 48, {0}),
            name + "has 256 elements on each rank along tp, not 48 of each 48 of 256");
  EXPECT_EQ(faultOf({16, 16}, 16, {0, 1}), name + "is cut over tp, along which its tensor is split");
  EXPECT_EQ(faultOf({16, 16}, 16, {}), name + "is cut over tp, along which its tensor is split");
}

/// Two ranks own a state each, in the same bytes. Rank 0 broadcasts its own.
Plan ofOwners() {
  Plan plan;
  plan.mesh = {{"dp", 2}};
  plan.programs[0].ranks = plan.ranks();
  plan.programs[0].arenas = {{Tier::Device, 8192, 0, 8192}, {Tier::Host, 8192, 0, 8192}};
  plan.programs[0].buffers = {{"a", BufferClass::Parameter, Tier::Host, 0, 4096, true, 0},
                              {"b", BufferClass::Parameter, Tier::Host, 0, 4096, true, 1},
                              {"a.device", BufferClass::Staging, Tier::Device, 0, 4096, false, 0},
                              {"whole", BufferClass::Gathered, Tier::Device, 4096, 4096, false},
                              {"out", BufferClass::Feed, Tier::Host, 4096, 4096, false}};
  for (uint32_t home : {0u, 1u}) {
    const std::string name = plan.programs[0].buffers[home].name;
    plan.programs[0].states.push_back({name,
                                       StateClass::Parameter,
                                       ElementType::F32,
                                       {32, 32},
                                       "decay",
                                       {},
                                       name,
                                       0,
                                       512,
                                       false,
                                       {home, 0, 4096, {}}});
  }
  auto add = [&](Opcode op, Lane lane, uint32_t first, uint32_t second, std::vector<Wait> waits) {
    Instruction instruction;
    instruction.op = op;
    instruction.lane = lane;
    instruction.operands = {{first, 0, 4096, {}}, {second, 0, 4096, {}}};
    instruction.bytesMoved = 4096;
    instruction.waits = std::move(waits);
    plan.programs[0].sections.back().instructions.push_back(std::move(instruction));
  };
  plan.programs[0].sections = {{"only", 1, {}}};
  test::setSchedules(plan);
  add(Opcode::Upload, Lane::CgIn, 0, 2, {});
  add(Opcode::Broadcast, Lane::Gg, 2, 3, {{Lane::CgIn, 1, {}}});
  addReport(plan, 3, 4, 4096, {{Lane::Gg, 1, {}}});
  plan.programs[0].sections[0].instructions[1].pieceBytes = {4096};
  return plan;
}

TEST(Checker, AcceptsOwnersInTheSameBytes) { EXPECT_EQ(firstFault(ofOwners()), ""); }

TEST(Checker, RefusesWhatOwnersMayNot) {
  auto expectFault = [](const std::string &expected, const std::function<void(Plan &)> &spoil) {
    Plan plan = ofOwners();
    spoil(plan);
    std::vector<std::string> faults = findFaults(plan);
    EXPECT_TRUE(
        std::any_of(faults.begin(), faults.end(),
                    [&](const std::string &fault) { return fault.find(expected) != std::string::npos; }))
        << expected << "; first fault: " << firstFault(plan);
  };
  expectFault("share host [0, 4096) on rank 0",
              [](Plan &plan) { plan.programs[0].buffers[1].owner = kEveryRank; });
  expectFault("buffer \"b\" has owner 2, but there are 2 data ranks",
              [](Plan &plan) { plan.programs[0].buffers[1].owner = 2; });
  expectFault("(\"a.device\") has owner 1, but another operand has owner 0",
              [](Plan &plan) { plan.programs[0].buffers[2].owner = 1; });
  expectFault("operand 0 (\"whole\") has no owner",
              [](Plan &plan) { plan.programs[0].sections[0].instructions[1].operands[0].buffer = 3; });
  expectFault("(\"whole\") has owner 0, but every rank needs it",
              [](Plan &plan) { plan.programs[0].buffers[3].owner = 0; });
  expectFault("is sharded, but rank 0 owns its home",
              [](Plan &plan) { plan.programs[0].states[0].sharded = true; });
  // After an upload that only rank 0 runs, other ranks have nothing to read.
  expectFault("operand 1 (\"whole\") is every rank's, but rank 0 alone runs this", [](Plan &plan) {
    plan.programs[0].sections[0].instructions[0].operands[1].buffer = 3;
    plan.programs[0].sections[0].instructions.erase(plan.programs[0].sections[0].instructions.begin() + 1);
    plan.programs[0].sections[0].instructions[1].waits = {{Lane::CgIn, 1, {}}};
  });
}

} // namespace
