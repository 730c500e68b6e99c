// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers divided over the stages of a pipeline: no number of stages, no schedule and no decision inside a
// stage changes a bit of losses, norms and states, and a checkpoint continues under any of them.
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Meetings.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/MeshJobs.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>

using namespace windlass;
using namespace windlass::test;

namespace {

TEST(Pipeline, stagesAndSchedulesChangeNoBit) {
  expectBitsOfOneStage(deepGpt2(1), {{2, {{"pipeline", {{"schedule", "1f1b"}}}}},
                                     {4, {{"pipeline", {{"schedule", "gpipe"}}}}},
                                     {4, json::object()},
                                     {3, {{"zero_stage", 0}}},
                                     {2, {{"pipeline", {{"cut", {1, 3}}}}}}});
}

/// Cuts at all borders. The interpreter knows no messages between stages, so that compiled plans test the
/// pass `assign-stages`.
TEST(Pipeline, noCutChangesABit) {
  std::vector<Stages> cuts;
  for (const std::vector<int64_t> &cut : std::vector<std::vector<int64_t>>{
           {1, 3}, {2, 2}, {3, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}, {1, 1, 1, 1}})
    cuts.push_back({std::ssize(cut), {{"pipeline", {{"cut", cut}}}}});
  expectBitsOfOneStage(deepGpt2(1), cuts);
}

/// Parameters of the step rest on the first stage that reads them, and gradients come from later ones: of
/// parameters between layers, of those that read inputs alone and are added behind layers, and of one that an
/// early stage reads detached.
TEST(Pipeline, gradientsOfLaterStagesChangeNoBit) {
  Job job = tinyGpt2(2, 4, 2);
  job.model = json::parse(R"({
      "format": "windlass.model/1",
      "dims": {"B": "batch", "D": 8},
      "inputs": {"x": {"role": "features", "shape": ["B", "D"]}, "late": {"role": "features", "shape": ["B", "D"]},
                 "t": {"role": "tokens", "shape": ["B", 1], "bound": 5}, "y": {"role": "targets", "shape": ["B", "D"]}},
      "params": {"both": {"shape": ["D", "D"], "init": {"normal": 0.5}}, "bias": {"shape": ["D"], "init": {"normal": 0.5}},
                 "mix": {"shape": ["D", "D"], "init": {"normal": 0.5}}, "shift": {"shape": ["D"], "init": {"normal": 0.5}},
                 "side": {"shape": ["D", "D"], "init": {"normal": 0.5}}, "table": {"shape": [5, "D"], "init": {"normal": 0.5}}},
      "blocks": {"layer": {"in": ["h"], "params": {"w": {"shape": ["D", "D"], "init": {"normal": 0.5}}},
                           "ops": [{"op": "matmul", "in": ["h", "w"], "out": "a"}, {"op": "tanh", "in": ["a"], "out": "b"},
                                   {"op": "add", "in": ["h", "b"], "out": "next"}], "out": ["next"]}},
      "ops": [{"op": "detach", "in": ["both"], "out": "still"}, {"op": "matmul", "in": ["x", "still"], "out": "h"},
              {"repeat": 2, "block": "layer", "carry": ["h"], "name": "first.{i}"},
              {"op": "add", "in": ["h", "bias"], "out": "moved"}, {"op": "matmul", "in": ["moved", "mix"], "out": "mixed"},
              {"op": "add", "in": ["mixed", "shift"], "out": "k"},
              {"repeat": 2, "block": "layer", "carry": ["k"], "name": "second.{i}"},
              {"op": "matmul", "in": ["late", "side"], "out": "s"}, {"op": "add", "in": ["k", "s"], "out": "sum"},
              {"op": "embedding", "in": ["table", "t"], "out": "rows"},
              {"op": "reshape", "in": ["rows"], "shape": ["B", "D"], "out": "looked"},
              {"op": "add", "in": ["sum", "looked"], "out": "last"}, {"op": "matmul", "in": ["last", "both"], "out": "q"},
              {"op": "mse", "in": ["q", "y"], "out": "losses"}],
      "loss": "losses"
  })");
  const auto under = [](const char *schedule) { return json{{"pipeline", {{"schedule", schedule}}}}; };
  expectBitsOfOneStage(job, {{2, under("1f1b")},
                             {4, under("gpipe")},
                             {2, under("zb-h1")},
                             {2, under("interleaved")},
                             {3, {{"zero_stage", 0}}},
                             {2, {{"pipeline", {{"cut", {3, 1}}}}}}});
}

/// With dropout. The number of stages divides the number of micro-batches only in the last job.
TEST(Pipeline, twentyStepsChangeNoBit) {
  const auto under = [](const char *schedule) { return json{{"pipeline", {{"schedule", schedule}}}}; };
  expectBitsOfOneStage(deepGpt2(1), {{3, under("1f1b")}, {4, under("zb-h1")}}, 20);
  expectBitsOfOneStage(deepGpt2(1).with({{"micro_batches", 6}}), {{2, under("interleaved")}}, 20);
}

TEST(Pipeline, whatIsDecidedInsideAStageChangesNoBit) {
  const json away = {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}};
  expectBitsOfOneStage(deepGpt2(2), {{2, {{"zero_stage", 0}}},
                                     {2, {{"zero_stage", 1}, {"pipeline", {{"schedule", "gpipe"}}}}},
                                     {2, {{"zero_stage", 2}, {"recompute", "full"}}},
                                     {2, {{"zero_stage", 3}, {"placement", away}}},
                                     {2, {{"gather", "broadcast"}, {"recompute", "every:2"}}}});
}

/// The inputs of layers wait for their backward pass on any tier.
TEST(Pipeline, checkpointsWaitOnAnyTier) {
  const auto asked = [](const char *tier) {
    return json{{"recompute", "full"}, {"placement", {{"checkpoint", tier}}}};
  };
  json gpipe = asked("nvme");
  gpipe["pipeline"]["schedule"] = "gpipe";
  expectBitsOfOneStage(deepGpt2(1), {{2, asked("host")}, {4, asked("nvme")}});
  expectBitsOfOneStage(deepGpt2(2), {{2, gpipe}});
  for (auto [word, tier] : {std::pair("device", plan::Tier::Device), std::pair("host", plan::Tier::Host),
                            std::pair("nvme", plan::Tier::Nvme)}) {
    std::unique_ptr<Compiled> cut = compileJob(onStages(deepGpt2(1), 4, asked(word)));
    ASSERT_TRUE(cut);
    int64_t waiting = 0;
    const std::vector<plan::Buffer> &buffers = cut->plan.programs.front().buffers;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (const plan::Buffer &buffer = buffers[i];
          buffer.cls == plan::BufferClass::Checkpoint && buffer.slots > 0) {
        EXPECT_EQ(buffer.tier, tier) << buffer.name;
        EXPECT_EQ(buffer.slots, 4); // one for its own micro-batch, and three ahead
        plan::Plan shrunk = cut->plan;
        shrunk.programs.front().buffers[i].slots -= 2; // one slot may be read before it is written again
        EXPECT_FALSE(plan::findFaults(shrunk).empty()) << buffer.name << " on " << word;
        ++waiting;
      }
    EXPECT_GT(waiting, 0) << word;
  }
}

/// The bytes of a tier that a rank of each stage takes.
std::vector<int64_t> bytesByStage(const plan::Plan &plan, plan::Tier tier) {
  std::vector<int64_t> bytes;
  for (const plan::Program &program : plan.programs)
    for (const plan::Arena &arena : program.arenas)
      if (arena.tier == tier)
        bytes.push_back(arena.bytes);
  return bytes;
}

/// Under 1F1B the first of four stages keeps checkpoints of four micro-batches on the host, and the last of
/// one. The node has just as many bytes as all stages take, so that an even share would be too small for the
/// first.
TEST(Pipeline, stagesShareTheHostByWhatTheyNeed) {
  Job job = onStages(deepGpt2(), 4,
                     {{"micro_batches", 8},
                      {"micro_batch", 8},
                      {"recompute", "full"},
                      {"placement", {{"checkpoint", "host"}}}});
  std::unique_ptr<Compiled> roomy = compileJob(job);
  ASSERT_TRUE(roomy);
  const std::vector<int64_t> needed = bytesByStage(roomy->plan, plan::Tier::Host);
  ASSERT_EQ(needed.size(), 4u);
  const int64_t all = std::accumulate(needed.begin(), needed.end(), int64_t(0));
  ASSERT_GT(needed.front(), all / 4 + 4096) << "the first stage needs more than an even share";
  job.hardware["host"]["capacity"] = all + 8 * 4096; // shares are whole pages
  std::unique_ptr<Compiled> tight = compileJob(job);
  ASSERT_TRUE(tight);
  int64_t granted = 0;
  for (const plan::Program &program : tight->plan.programs)
    for (const plan::Arena &arena : program.arenas)
      if (arena.tier == plan::Tier::Host)
        granted += arena.bytes;
  EXPECT_LE(granted, all + 8 * 4096);
  expectSameBits(train(*roomy), train(*tight));
  job.hardware["host"]["capacity"] = all * 3 / 4;
  EXPECT_NE(refusalOf(job).find("host"), std::string::npos) << refusalOf(job);
}

/// If a device holds more than the inputs of layers, and less than all residuals, only some layers or some
/// activations are recomputed.
TEST(Pipeline, stagesRepeatNoMoreThanTheyMust) {
  Job job = onStages(
      tinyGpt2(1, 4, /*microBatch=*/4), 2,
      {{"zero_stage", 0}, {"placement", {{"param", "device"}, {"grad", "device"}, {"moments", "device"}}}});
  job.model["n_layer"] = 8;
  const auto planned = [&](const char *recompute) {
    return compileJob(job.with({{"recompute", recompute}}));
  };
  const auto fullest = [](const plan::Plan &plan) {
    return std::ranges::max(bytesByStage(plan, plan::Tier::Device));
  };
  std::unique_ptr<Compiled> none = planned("none"), full = planned("full");
  ASSERT_TRUE(none && full);
  job.hardware["device"]["capacity"] = (fullest(none->plan) + fullest(full->plan)) / 2;
  std::unique_ptr<Compiled> open = planned("auto"), repeated = planned("full");
  ASSERT_TRUE(open && repeated);
  const json taken = json::parse(open->plan.strategy)["recompute"];
  EXPECT_NE(taken, "none");
  EXPECT_NE(taken, "full");
  EXPECT_LT(open->plan.prediction.stepSeconds, repeated->plan.prediction.stepSeconds);
  EXPECT_LE(fullest(open->plan), job.hardware["device"]["capacity"].get<int64_t>());
  expectSameBits(train(*none), train(*open));
}

/// Stages combined with the other keys of the record: groups that hold copies, tiles, and the cadence of
/// sums.
TEST(Pipeline, stagesGoWithWhatChangesBits) {
  const json groups = {{"parallel", {{"shard", 2}, {"optimizer_shard", "all"}}}};
  expectBitsOfOneStage(deepGpt2(4).with(groups), {{2, json::object()}});
  const json sums = {{"cadence", "step"}, {"zero_stage", 1}, {"tile", {{"limit", "8KiB"}}}};
  expectBitsOfOneStage(deepGpt2(2).with(sums), {{2, json::object()}});
}

TEST(Pipeline, sixteenBitStagesHaveTheBitsOfOne) {
  for (const char *compute : {"bf16", "fp16"})
    expectBitsOfOneStage(deepGpt2(1).with({{"precision", {{"compute", compute}}}}), {{2, json::object()}});
}

/// If a step has fewer micro-batches than stages, no stage is further ahead than the step has micro-batches.
TEST(Pipeline, aStageHoldsNoMoreThanAStepHas) {
  for (int64_t microBatches : {2, 5}) {
    std::unique_ptr<Compiled> cut =
        compileJob(onStages(deepGpt2(1).with({{"micro_batches", microBatches}, {"recompute", "full"}}), 4));
    ASSERT_TRUE(cut);
    for (int64_t stage = 0; stage < 4; ++stage) {
      const int64_t lag = std::min(3 - stage, microBatches - 1);
      EXPECT_EQ(mostSlots(cut->plan.programs[static_cast<size_t>(stage)], false), lag == 0 ? 0 : lag + 1);
    }
    int64_t bytes = 0; // of the inputs of the first stage's layer
    for (const plan::Buffer &buffer : cut->plan.programs.front().buffers)
      if (buffer.cls == plan::BufferClass::Checkpoint)
        bytes += buffer.slots * buffer.bytes;
    EXPECT_EQ(bytes, std::min<int64_t>(4, microBatches) * 4096); // 16 x 32 floats, in whole pages
  }
}

/// Stage s of p runs p - 1 - s forward passes ahead. Each of them has a slot for its values.
TEST(Pipeline, aStageHoldsWhatItIsAhead) {
  std::unique_ptr<Compiled> cut = compileJob(onStages(deepGpt2(1), 4));
  ASSERT_TRUE(cut);
  for (size_t stage = 0; stage < 4; ++stage) {
    const plan::Program &program = cut->plan.programs[stage];
    int64_t runs = 0;
    for (const plan::SectionRuns &each : program.train)
      runs += each.times;
    const auto lag = static_cast<int64_t>(3 - stage);
    EXPECT_EQ(mostSlots(program, false), lag == 0 ? 0 : lag + 1);
    EXPECT_LE(mostSlots(program, true), lag + 2); // the next arrives while the last is read
    EXPECT_EQ(runs, 5 + lag);
  }
}

/// Changes one instruction of a plan after the other, and counts the changes, and those with which the
/// checker finds no fault with these words. `breaks` returns whether it has changed the instruction.
struct Broken {
  int changes = 0, missed = 0;
};
Broken breakEach(const plan::Plan &sound, const std::function<bool(plan::Instruction &)> &breaks,
                 const std::string &words = "") {
  Broken broken;
  plan::Plan copy = sound;
  for (plan::Program &program : copy.programs)
    for (plan::Section &section : program.sections)
      for (plan::Instruction &instruction : section.instructions) {
        const plan::Instruction before = instruction;
        if (!breaks(instruction))
          continue;
        ++broken.changes;
        const std::vector<std::string> faults = plan::findFaults(copy);
        broken.missed += std::ranges::none_of(
            faults, [&](const std::string &fault) { return fault.find(words) != std::string::npos; });
        instruction = before;
      }
  return broken;
}

/// Changes a compiled plan: each message to another name, to another stage or to another micro-batch, and
/// each buffer to one slot where three micro-batches wait.
TEST(Pipeline, theCheckerFindsWhatIsWrongWithMessagesAndSlots) {
  std::unique_ptr<Compiled> cut = compileJob(onStages(deepGpt2(1), 3));
  ASSERT_TRUE(cut);
  ASSERT_EQ(plan::findFaults(cut->plan), std::vector<std::string>());
  const auto onMessages = [&](auto change) {
    return breakEach(cut->plan, [&](plan::Instruction &instruction) {
      const bool isMessage = plan::isMessage(instruction.op);
      if (isMessage)
        change(instruction);
      return isMessage;
    });
  };
  for (const Broken &broken :
       {onMessages([](plan::Instruction &message) { message.item += "'"; }),
        onMessages([](plan::Instruction &message) { ++message.microBatch; }),
        onMessages([](plan::Instruction &message) { --message.microBatch; }),
        onMessages([](plan::Instruction &message) { message.peer = (message.peer + 1) % 3; })}) {
    EXPECT_GT(broken.changes, 20);
    EXPECT_EQ(broken.missed, 0);
  }
  // The first stage runs two forward passes before its first backward pass, so that one slot is never enough.
  // Buffers of messages have one slot more, also those that no later run reads.
  const std::set<size_t> messages = plan::buffersOfMessages(cut->plan.programs[0]);
  int slotted = 0;
  for (size_t i = 0; i < cut->plan.programs[0].buffers.size(); ++i) {
    if (cut->plan.programs[0].buffers[i].slots == 0)
      continue;
    plan::Plan copy = cut->plan;
    plan::Buffer &buffer = copy.programs[0].buffers[i];
    ++slotted;
    const int64_t slots = std::exchange(buffer.slots, 1);
    if (messages.contains(i))
      EXPECT_TRUE(slots == 2 || slots == 4) << slots << " of " << buffer.name;
    else
      EXPECT_EQ(slots, 3) << buffer.name;
    EXPECT_FALSE(plan::findFaults(copy).empty()) << buffer.name;
  }
  EXPECT_GT(slotted, 10);
}

/// The first reader of a message in a run waits for the message.
TEST(Pipeline, theCheckerFindsEveryWaitForAMessageThatIsDropped) {
  for (const char *schedule : {"1f1b", "zb-h1"}) {
    std::unique_ptr<Compiled> cut =
        compileJob(onStages(deepGpt2(1), 3, {{"pipeline", {{"schedule", schedule}}}}));
    ASSERT_TRUE(cut);
    const Broken broken = breakEach(cut->plan, [](plan::Instruction &instruction) {
      return std::erase_if(instruction.waits, [](const plan::Wait &wait) {
               return wait.previous.empty() &&
                      (wait.lane == plan::Lane::ActIn || wait.lane == plan::Lane::GradIn);
             }) > 0;
    });
    EXPECT_GT(broken.changes, 10);
    EXPECT_EQ(broken.missed, 0) << schedule;
  }
}

/// Removes the message of the table that the first and the last stage read from the sections of a program:
/// the first such message on a lane. Returns the number of messages removed.
int dropTable(plan::Program &program, plan::Opcode op, plan::Lane lane) {
  int dropped = 0;
  for (plan::Section &section : program.sections) {
    const auto isTable = [&](const plan::Instruction &each) {
      return each.op == op && each.lane == lane && each.item.starts_with("decay.");
    };
    if (std::erase_if(section.instructions, isTable) == 0)
      continue;
    ++dropped;
    for (plan::Instruction &each : section.instructions)
      std::erase_if(each.waits, [&](plan::Wait &wait) {
        const bool counts = wait.lane == lane && !wait.isPrevious();
        wait.ordinal -= counts;
        return counts && wait.ordinal == 0;
      });
  }
  return dropped;
}

/// The table rests on the first stage. Other stages read their copy after the message that brings it.
TEST(Pipeline, theCheckerFindsReadersOfATableThatHasNotCome) {
  std::unique_ptr<Compiled> cut = compileJob(onStages(deepGpt2(1), 3));
  ASSERT_TRUE(cut);
  plan::Plan early = cut->plan;
  const int sent = dropTable(early.programs[1], plan::Opcode::Send, plan::Lane::ActOut);
  EXPECT_GT(sent, 1);
  EXPECT_EQ(dropTable(early.programs[2], plan::Opcode::Recv, plan::Lane::ActIn), sent);
  const std::vector<std::string> faults = plan::findFaults(early);
  EXPECT_TRUE(std::ranges::any_of(faults, [](const std::string &fault) {
    return fault.find("of buffer \"decay.1.received\", which nothing has written") != std::string::npos;
  })) << ::testing::PrintToString(faults);
}

/// Swaps two messages that a stage sends one after the other. The two stages would wait for each other
/// forever.
TEST(Pipeline, theCheckerFindsMessagesThatCross) {
  Job job = deepGpt2(1);
  job.training["micro_batches"] = 4;
  std::unique_ptr<Compiled> cut = compileJob(onStages(job, 2, {{"pipeline", {{"schedule", "interleaved"}}}}));
  ASSERT_TRUE(cut);
  int crossed = 0;
  for (size_t program = 0; program < 2; ++program)
    for (size_t section = 0; section < cut->plan.programs[program].sections.size(); ++section) {
      const std::vector<plan::Instruction> &list = cut->plan.programs[program].sections[section].instructions;
      std::map<plan::Lane, size_t> last; // the last message on a lane
      for (size_t i = 0; i < list.size(); ++i) {
        if (!plan::isMessage(list[i].op))
          continue;
        if (const auto before = last.find(list[i].lane); before != last.end()) {
          plan::Plan copy = cut->plan;
          std::vector<plan::Instruction> &changed = copy.programs[program].sections[section].instructions;
          std::swap(changed[before->second], changed[i]);
          std::swap(changed[before->second].waits, changed[i].waits);
          EXPECT_FALSE(plan::findFaults(copy).empty())
              << list[i].item << " micro-batch " << list[i].microBatch;
          ++crossed;
        }
        last[list[i].lane] = i;
      }
    }
  EXPECT_GT(crossed, 10);
}

TEST(Pipeline, checkpointsGoOnUnderAnyNumberOfStages) {
  std::vector<std::unique_ptr<Compiled>> plans;
  for (int64_t stages : {1, 2, 4}) {
    plans.push_back(compileJob(onStages(deepGpt2(1), stages)));
    ASSERT_TRUE(plans.back());
  }
  TemporaryFolder folder;
  const std::string straight = runTo(*plans[0], 6, folder / "straight");
  runTo(*plans[0], 2, folder / "moved");
  runTo(*plans[1], 4, folder / "moved");
  const std::string moved = runTo(*plans[2], 6, folder / "moved");
  for (const char *file : {"/model.safetensors", "/optimizer.safetensors", "/trainer_state.json"})
    EXPECT_EQ(readText(moved + file), readText(straight + file)) << file;
}

/// The record of a plan names homes of all stages, and the cut of the model.
TEST(Pipeline, aPlansStrategyGivesThePlanAgain) {
  const Job job = onStages(deepGpt2(1), 2, {{"placement", {{"moments", {{"h.3.decay.0", "nvme"}}}}}});
  EXPECT_TRUE(expectRecordGivesPlanAgain(job));
  EXPECT_NE(refusalOf(job.with({{"placement", {{"moments", {{"h.9.decay.0", "nvme"}}}}}}))
                .find("placement.moments: no \"h.9.decay.0\" in this model"),
            std::string::npos);
}

/// The number of messages of a step, by program, that carry a parameter.
std::vector<int64_t> tablesSent(const plan::Plan &plan) {
  std::vector<int64_t> sent;
  for (const plan::Program &program : plan.programs) {
    int64_t &count = sent.emplace_back();
    for (const plan::SectionRuns &runs : program.train)
      for (const plan::Instruction &each : program.sections[runs.section].instructions)
        count +=
            each.op == plan::Opcode::Send && each.origin.what.starts_with("send decay.") ? runs.times : 0;
  }
  return sent;
}

/// The table that the first and the last stage read does not change between micro-batches, so that it is sent
/// once.
TEST(Pipeline, aTiedTableGoesOnceAStep) {
  for (int64_t zero : {0, 3})
    for (const char *schedule : {"1f1b", "gpipe", "zb-h1"}) {
      std::unique_ptr<Compiled> compiled = compileJob(
          onStages(deepGpt2(2), 3, {{"zero_stage", zero}, {"pipeline", {{"schedule", schedule}}}}));
      ASSERT_TRUE(compiled);
      EXPECT_EQ(tablesSent(compiled->plan), (std::vector<int64_t>{1, 1, 0})) << schedule;
    }
}

/// A head of 8,192 words takes longer than a layer, so that the last stage has fewer layers.
TEST(Pipeline, theCutSeesTheEnds) {
  Job job = deepGpt2(1);
  for (auto [vocabulary, layers] : {std::pair(256, json{2, 2}), std::pair(8192, json{3, 1})}) {
    job.model["vocab_size"] = vocabulary;
    std::unique_ptr<Compiled> cut = compileJob(onStages(job, 2));
    ASSERT_TRUE(cut);
    const json pipeline = json::parse(cut->plan.strategy)["pipeline"];
    EXPECT_EQ(pipeline["cut"], layers) << vocabulary;
    EXPECT_EQ(pipeline["schedule"], "1f1b");
  }
}

/// Layers that are recomputed together stay in one stage: the cut avoids a border between them, or is
/// refused.
TEST(Pipeline, layersRepeatedTogetherAreNotParted) {
  const json twos = {{"recompute", "every:2"}};
  expectBitsOfOneStage(deepGpt2(1), {{2, twos}});
  EXPECT_NE(refusalOf(onStages(deepGpt2(1), 3, twos)).find("leave no cut into 3 stages: 2 stages would do"),
            std::string::npos);
  json open = twos; // four parts would divide them, and two do not
  open["pipeline"]["schedule"] = "auto";
  open["micro_batches"] = 4;
  EXPECT_EQ(refusalOf(onStages(deepGpt2(1), 2, open)), "");
  json parted = twos;
  parted["pipeline"]["cut"] = json::array({1, 3});
  EXPECT_NE(refusalOf(onStages(deepGpt2(1), 2, parted))
                .find("pipeline.cut: stage 0 ends with layer 0, which stays with layer 1: recompute repeats "
                      "both together, or its gradients need what later layers make"),
            std::string::npos);
}

TEST(Pipeline, whatStagesCannotDoIsRefusedInWords) {
  EXPECT_NE(refusalOf(onStages(deepGpt2(1), 8))
                .find("parallel.pipeline: 8 stages need a layer each, the model has 4"),
            std::string::npos);
  EXPECT_NE(refusalOf(onStages(biasFreeMlp({16, 32, 8}, 1, 1), 2))
                .find("2 stages need a layer each, the model has 0: it repeats no block; parallel.data or "
                      "parallel.tensor can have the ranks"),
            std::string::npos);
  Job open = onStages(deepGpt2(1), 8);
  open.training["parallel"]["pipeline"] = "auto";
  EXPECT_NE(
      refusalOf(open).find("training.json: parallel.pipeline: auto: the machine has ranks for 8 stages, "
                           "which need a layer each, the model has 4"),
      std::string::npos)
      << refusalOf(open);
  EXPECT_NE(refusalOf(onStages(deepGpt2(1), 2, {{"pipeline", {{"cut", {2, 1}}}}}))
                .find("training.json: pipeline.cut: adds up to 3 layers, the model has 4"),
            std::string::npos);
  EXPECT_NE(refusalOf(onStages(deepGpt2(1), 2, {{"micro_batch_order", "vertical"}})).find("stages take one"),
            std::string::npos);
}

} // namespace
