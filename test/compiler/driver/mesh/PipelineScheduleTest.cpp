// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of a pipeline: none changes a bit, each takes the time and the memory of its formula, and the
// checker finds a pass of another micro-batch than that of the schedule.
#include "model/Simulator.h"
#include "planning/Pipeline/ChunkOrder.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Reasons.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::test;

namespace {

json under(const char *schedule) { return {{"pipeline", {{"schedule", schedule}}}}; }
json lagging(const char *schedule, const json &lags) {
  return {{"pipeline", {{"schedule", schedule}, {"lag", lags}}}};
}
/// `decisions` with the schedule zb-h1.
json zeroBubble(json decisions) {
  decisions["pipeline"]["schedule"] = "zb-h1";
  return decisions;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

TEST(PipelineSchedule, gradientsOfWeightsThatWaitChangeNoBit) {
  expectBitsOfOneStage(
      deepGpt2(1),
      {{2, under("zb-h1")}, {4, zeroBubble({{"zero_stage", 0}})}, {3, zeroBubble({{"recompute", "full"}})}});
}

TEST(PipelineSchedule, theyWaitBesideEveryDecisionInsideAStage) {
  const json away = {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}, {"checkpoint", "nvme"}};
  expectBitsOfOneStage(
      deepGpt2(2),
      {{2, zeroBubble({{"zero_stage", 0}})},
       {2, zeroBubble({{"zero_stage", 1}, {"recompute", "selective"}})},
       {3, zeroBubble({{"zero_stage", 2}, {"recompute", "full"}, {"placement", {{"checkpoint", "host"}}}})},
       {2, zeroBubble({{"zero_stage", 3}, {"recompute", "full"}, {"placement", away}})}});
}

TEST(PipelineSchedule, theyWaitInSixteenBitsAndBesideGroupsAndTiles) {
  expectBitsOfOneStage(deepGpt2(1).with({{"precision", {{"compute", "bf16"}}}}), {{3, under("zb-h1")}});
  expectBitsOfOneStage(
      deepGpt2(2).with({{"cadence", "step"}, {"zero_stage", 1}, {"tile", {{"limit", "8KiB"}}}}),
      {{2, under("zb-h1")}});
}

TEST(PipelineSchedule, theyWaitWhereRanksShareOutOperations) {
  expectSameBitsOfAll({onMesh(deepLlama(), {1, 2, 1}), onMesh(deepLlama().with(under("zb-h1")), {1, 2, 2})});
}

TEST(PipelineSchedule, noLagChangesABit) {
  expectBitsOfOneStage(deepGpt2(1), {{4, lagging("1f1b", {4, 4, 2, 0})},
                                     {3, lagging("1f1b", {4, 2, 0})},
                                     {2, lagging("1f1b", {3, 1})},
                                     {3, lagging("zb-h1", {4, 2, 1})}});
}

/// Draws a schedule, lags and other decisions from a seed.
TEST(PipelineSchedule, randomSchedulesChangeNoBit) {
  std::mt19937 random(19);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int round = 0; round < 4; ++round) {
    const int64_t stages = 2 + below(3), microBatches = 2 + below(6);
    Job job = round % 2 == 0 ? deepGpt2(1) : tinyLlama(1, microBatches);
    job.training["micro_batches"] = microBatches;
    if (round % 2 == 1)
      job.model.update({{"num_hidden_layers", 4}, {"hidden_size", 32}, {"intermediate_size", 48}});
    std::vector<int64_t> lags(static_cast<size_t>(stages));
    for (int64_t stage = stages - 1; stage >= 0; --stage) {
      const int64_t next = stage + 1 == stages ? 0 : lags[static_cast<size_t>(stage + 1)];
      const int64_t least = std::max(std::min(stages - 1 - stage, microBatches - 1), next);
      lags[static_cast<size_t>(stage)] = least + below(microBatches - least);
    }
    json decisions = lagging(below(2) == 0 ? "1f1b" : "zb-h1", lags);
    decisions["recompute"] = std::array{"none", "selective", "full"}[static_cast<size_t>(below(3))];
    decisions["zero_stage"] = below(4);
    expectBitsOfOneStage(job, {{stages, decisions}});
  }
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

constexpr int64_t kMicroBatches = 8;

/// Layers are equal, the work before and after them takes almost no time, messages take none, and each lane
/// has hardware of its own.
Job equalLayers(int64_t stages, const json &decisions, int64_t tensor = 1) {
  Job job = tinyLlama(1, kMicroBatches, 2);
  job.model.update({{"num_hidden_layers", 8}, {"vocab_size", 8}, {"max_position_embeddings", 128}});
  job = onMesh(job.with(decisions), {1, tensor, stages});
  job.hardware["device"]["capacity"] = "1GiB";
  job.hardware["links"]["gg"]["bandwidth"] = "200000GB/s";
  job.hardware["links"]["cg"] = {{"in", "200000GB/s"}, {"out", "200000GB/s"}};
  job.hardware.erase("shared_cores");
  return job;
}

/// The time of a step, and the times that devices compute in it.
struct Played {
  double step = 0, busy = 0;                     ///< seconds; `busy` is the sum over all stages
  double forward = 0, backward = 0, weights = 0; ///< average per micro-batch and stage
  double bubble(int64_t stages) const { return 1 - busy / (step * static_cast<double>(stages)); }
};

/// The number of micro-batches by which the backward pass of a stage lags, without the gradients of weights
/// that wait.
int64_t leastLag(const plan::Program &program) {
  int64_t least = INT64_MAX;
  for (const plan::SectionRuns &runs : program.train)
    for (const plan::Instruction &each : program.sections[runs.section].instructions)
      if (each.lane == plan::Lane::Compute && each.origin.phase == plan::Phase::Backward)
        least = std::min(least, -each.microBatch);
  return least;
}

/// `latency`: the seconds of a message.
Played playOf(int64_t stages, const json &decisions, int64_t tensor = 1, double latency = 0) {
  Job job = equalLayers(stages, decisions, tensor);
  if (latency > 0)
    job.hardware["links"]["gg"]["latency"] = std::to_string(std::llround(latency * 1e9)) + "ns";
  std::unique_ptr<Compiled> compiled = compileJob(job);
  if (!compiled)
    return {};
  const plan::Plan &plan = compiled->plan;
  Result<model::Machine> machine = model::parseMachine(job.hardware.dump(), "machine");
  Result<model::Simulation> simulation = model::simulateStep(plan, *machine);
  EXPECT_TRUE(simulation) << simulation.status().message();
  Played played{.step = simulation->stepSeconds};
  for (const model::SimulatedEvent &event : simulation->events) {
    const plan::Program &program = plan.programs[event.program];
    const plan::Instruction &each = program.sections[event.section].instructions[event.instruction];
    if (each.lane != plan::Lane::Compute)
      continue;
    const double seconds = (event.end - event.start);
    played.busy += seconds;
    const double share = seconds / static_cast<double>(stages * kMicroBatches);
    if (each.origin.phase == plan::Phase::Forward)
      played.forward += share;
    else if (each.origin.phase != plan::Phase::Update) // attention computes its scores again
      (-each.microBatch > leastLag(program) ? played.weights : played.backward) += share;
  }
  return played;
}

/// Where all stages take the same time, (p - 1) / (m + p - 1) of a step is bubble, whatever the time of a
/// backward pass. This holds with tensor ranks, too, whose exchanges leave gaps in which a stage could begin
/// work that it would then have to finish first. The tolerance is for the work before and after the layers.
TEST(PipelineSchedule, theBubbleIsThatOfTheFormula) {
  struct Case {
    int64_t stages;
    const char *schedule;
    int64_t tensor = 1;
  };
  for (const auto &[stages, schedule, tensor] : {Case{2, "gpipe"}, Case{4, "gpipe"}, Case{2, "1f1b"},
                                                 Case{4, "1f1b"}, Case{2, "1f1b", 2}, Case{4, "1f1b", 2}}) {
    const double formula = static_cast<double>(stages - 1) / static_cast<double>(kMicroBatches + stages - 1);
    EXPECT_NEAR(playOf(stages, under(schedule), tensor).bubble(stages), formula, 0.01)
        << stages << " " << schedule << " " << tensor;
  }
}

/// With slow messages, stages that run further ahead wait less for them.
TEST(PipelineSchedule, largerLagsHideMessages) {
  const double forward = playOf(4, under("1f1b")).forward;
  const auto stepOf = [&](const std::vector<int64_t> &lags) {
    return playOf(4, lagging("1f1b", lags), 1, forward / 10).step;
  };
  EXPECT_LT(stepOf({6, 4, 2, 0}), stepOf({3, 2, 1, 0}));
}

/// A simulated pass of a stage.
struct TimedPass {
  bool isForward = true;
  int64_t microBatch = 0;
  double seconds = 0, end = 0;
};

/// The passes of every stage, in order.
std::vector<std::vector<TimedPass>> passesPlayed(int64_t stages, const json &decisions) {
  const Job job = equalLayers(stages, decisions);
  std::unique_ptr<Compiled> compiled = compileJob(job);
  std::vector<std::vector<TimedPass>> passes(static_cast<size_t>(stages));
  if (!compiled)
    return passes;
  const plan::Plan &plan = compiled->plan;
  Result<model::Simulation> simulation =
      model::simulateStep(plan, *model::parseMachine(job.hardware.dump(), "machine"));
  EXPECT_TRUE(simulation) << simulation.status().message();
  std::ranges::sort(simulation->events, {}, [](const model::SimulatedEvent &event) {
    return std::tuple(event.start, event.end, event.section, event.instruction);
  });
  for (const model::SimulatedEvent &event : simulation->events) {
    const plan::Instruction &each =
        plan.programs[event.program].sections[event.section].instructions[event.instruction];
    if (each.lane != plan::Lane::Compute || each.origin.phase == plan::Phase::Update)
      continue;
    std::vector<TimedPass> &mine = passes[event.program];
    const bool isForward = each.origin.phase == plan::Phase::Forward;
    const int64_t microBatch = event.microBatch + each.microBatch;
    if (mine.empty() || mine.back().isForward != isForward || mine.back().microBatch != microBatch)
      mine.push_back({isForward, microBatch});
    mine.back().seconds += event.end - event.start;
    mine.back().end = event.end;
  }
  return passes;
}

/// The bubble of interleaved stages differs from the formula (p - 1) / (v m + p - 1) only because their
/// passes are not equal. The test plays passes with the simulated seconds in the order of the schedule, and
/// expects the same end.
TEST(PipelineSchedule, theBubbleOfChunksIsThatOfTheirPasses) {
  constexpr int64_t chunks = 2;
  for (int64_t stages : {2, 4}) {
    const planning::ChunkedPipeline pipeline{stages, chunks, kMicroBatches};
    const std::vector<std::vector<TimedPass>> played = passesPlayed(stages, under("interleaved"));
    std::map<std::tuple<bool, int64_t, int64_t>, double> ends; // by kind, part and micro-batch
    std::vector<size_t> next(played.size());
    std::vector<double> free(played.size());
    double busy = 0;
    for (bool any = true; any;) {
      any = false;
      for (size_t stage = 0; stage < played.size(); ++stage) {
        const std::vector<planning::ChunkPass> order =
            planning::passesOf(pipeline, static_cast<int64_t>(stage));
        ASSERT_EQ(order.size(), played[stage].size());
        for (; next[stage] < order.size(); ++next[stage], any = true) {
          const planning::ChunkPass &pass = order[next[stage]];
          const TimedPass &timed = played[stage][next[stage]];
          ASSERT_EQ(std::pair(pass.isForward, pass.microBatch), std::pair(timed.isForward, timed.microBatch));
          const int64_t part = pass.chunk * stages + static_cast<int64_t>(stage);
          const bool isFirst = pass.isForward && part == 0,
                     isLast = !pass.isForward && part == stages * chunks - 1;
          const auto before = ends.find({pass.isForward || isLast,
                                         part + (isLast           ? 0
                                                 : pass.isForward ? -1
                                                                  : 1),
                                         pass.microBatch});
          if (!isFirst && before == ends.end())
            break;
          free[stage] = std::max(free[stage], isFirst ? 0 : before->second) + timed.seconds;
          ends[{pass.isForward, part, pass.microBatch}] = free[stage];
          busy += timed.seconds;
        }
      }
    }
    double end = 0;
    for (size_t stage = 0; stage < played.size(); ++stage) {
      ASSERT_EQ(next[stage], played[stage].size()) << "stage " << stage << " waits forever";
      EXPECT_NEAR(free[stage], played[stage].back().end, 1e-3 * free[stage])
          << stages << " stages, " << stage;
      end = std::max(end, free[stage]);
    }
    const double formula =
        static_cast<double>(stages - 1) / static_cast<double>(chunks * kMicroBatches + stages - 1);
    const double bubble = 1 - busy / (end * static_cast<double>(stages));
    EXPECT_GT(std::abs(bubble - formula), 0.001) << "passes are not equal";
  }
}

/// Under ZB-H1, gradients of weights fill the bubble except (p - 1) (F + B - W). On the first stage they do
/// not wait: it makes them directly after B.
TEST(PipelineSchedule, gradientsOfWeightsFillTheBubble) {
  const int64_t stages = 4;
  const Played eager = playOf(stages, under("1f1b")), waiting = playOf(stages, under("zb-h1"));
  EXPECT_NEAR(eager.busy, waiting.busy, eager.busy * 0.01);
  EXPECT_GT(waiting.weights, 0.1 * waiting.forward);
  // The share of weights is an average over four stages, of which the first has none.
  const double weights = waiting.weights * stages / (stages - 1);
  const double inputs = eager.backward - weights;
  const double ideal = static_cast<double>(kMicroBatches) * (eager.forward + eager.backward);
  const double formula = static_cast<double>(stages - 1) * (eager.forward + inputs - weights);
  EXPECT_NEAR(waiting.step - ideal, formula, 0.02 * ideal);
  EXPECT_LT(waiting.bubble(stages), eager.bubble(stages) - 0.01);
}

/// The trial of a schedule that was not taken.
plan::Trial trialOf(const plan::Plan &plan, std::string_view value) {
  const plan::Trial *trial = plan::findTrial(whyOf(plan, "pipeline.schedule"), value);
  EXPECT_TRUE(trial) << value;
  return trial ? *trial : plan::Trial();
}

/// An open schedule is the fastest one that fits, or at most a twentieth slower.
TEST(PipelineSchedule, anOpenScheduleIsTheFastestThatFits) {
  Job job = equalLayers(4, under("auto"));
  std::unique_ptr<Compiled> open = expectRecordGivesPlanAgain(job);
  ASSERT_TRUE(open);
  const std::string taken = json::parse(open->plan.strategy)["pipeline"]["schedule"];
  EXPECT_NE(taken, "1f1b");
  EXPECT_EQ(whyOf(open->plan, "pipeline.schedule").taken, taken);
  const plan::Reason strategy = whyOf(open->plan, "strategy");
  ASSERT_TRUE(plan::takenTrial(strategy));
  EXPECT_DOUBLE_EQ(plan::takenTrial(strategy)->seconds, open->plan.prediction.stepSeconds);
  int64_t compared = 0; // named strategies, whose seconds are those of this schedule
  for (const plan::Trial &trial : strategy.trials) {
    if (trial.outcome == plan::Outcome::Taken || trial.clock != plan::Clock::LaidOut)
      continue;
    Job named = equalLayers(4, under(taken.c_str()));
    named.strategy = trial.value;
    std::unique_ptr<Compiled> alone = compileJob(named);
    ASSERT_TRUE(alone);
    EXPECT_NEAR(trial.seconds, alone->plan.prediction.stepSeconds, 0.005 * trial.seconds) << trial.value;
    ++compared;
  }
  EXPECT_GT(compared, 0);
  for (const char *schedule : {"1f1b", "zb-h1", "interleaved"}) {
    std::unique_ptr<Compiled> pinned = compileJob(equalLayers(4, under(schedule)));
    ASSERT_TRUE(pinned);
    EXPECT_EQ(programText(open->plan) == programText(pinned->plan), schedule == taken) << schedule;
    EXPECT_LE(0.95 * open->plan.prediction.stepSeconds, pinned->plan.prediction.stepSeconds) << schedule;
    EXPECT_EQ(trialOf(open->plan, schedule).outcome == plan::Outcome::Taken, schedule == taken) << schedule;
  }
  const json onDevice = {{"param", "device"}, {"grad", "device"}, {"moments", "device"}};
  job = job.with(
      {{"recompute", "none"}, {"zero_stage", 0}, {"placement", onDevice}, {"slack", {{"device", 0}}}});
  std::unique_ptr<Compiled> least = compileJob(job.with(under("1f1b")));
  ASSERT_TRUE(least);
  int64_t most = 0;
  for (const plan::Program &program : least->plan.programs)
    most = std::max(most, plan::arenaOf(program, plan::Tier::Device)->bytes);
  job.hardware["device"]["capacity"] = most;
  std::unique_ptr<Compiled> tight = compileJob(job);
  ASSERT_TRUE(tight);
  EXPECT_EQ(json::parse(tight->plan.strategy)["pipeline"]["schedule"], "1f1b");
  EXPECT_EQ(trialOf(tight->plan, "zb-h1").outcome, plan::Outcome::DoesNotFit);
  expectSameBits(train(*open), train(*tight));
}

/// Open lags are the smallest that the schedule needs, or twice that if messages take as long as passes.
TEST(PipelineSchedule, openLagsHideMessages) {
  const auto lagsAfter = [](const char *latency) {
    Job job = equalLayers(4, under("1f1b"));
    if (*latency)
      job.hardware["links"]["gg"]["latency"] = latency;
    std::unique_ptr<Compiled> compiled = expectRecordGivesPlanAgain(job);
    return compiled ? json::parse(compiled->plan.strategy)["pipeline"]["lag"] : json();
  };
  const auto pass = static_cast<int64_t>(playOf(4, under("1f1b")).forward * 1e9);
  EXPECT_EQ(lagsAfter(""), json({3, 2, 1, 0}));
  EXPECT_EQ(lagsAfter((std::to_string(pass) + "ns").c_str()), json({6, 4, 2, 0}));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A stage s of p has p - s micro-batches in flight under 1F1B, all of them under GPipe, and lag + 1 with a
/// given lag. Under ZB-H1 the tensors that gradients of weights read have p in flight.
TEST(PipelineSchedule, aStageHoldsWhatIsInFlight) {
  struct Case {
    json decisions;
    std::array<int64_t, 4> inFlight;
  };
  for (const auto &[decisions, inFlight] :
       {Case{under("1f1b"), {4, 3, 2, 1}}, Case{under("zb-h1"), {4, 4, 4, 4}},
        Case{under("gpipe"), {5, 5, 5, 5}}, Case{lagging("1f1b", {4, 3, 2, 1}), {5, 4, 3, 2}}}) {
    std::unique_ptr<Compiled> cut = compileJob(onStages(deepGpt2(1), 4, decisions));
    ASSERT_TRUE(cut);
    for (size_t stage = 0; stage < 4; ++stage) {
      const plan::Program &program = cut->plan.programs[stage];
      EXPECT_EQ(std::max<int64_t>(1, mostSlots(program, false)), inFlight[stage])
          << decisions.dump() << " stage " << stage;
      EXPECT_LE(mostSlots(program, true), inFlight[stage] + 1) << decisions.dump() << " stage " << stage;
    }
  }
}

TEST(PipelineSchedule, aPlanIsAsLongForAnyNumberOfMicroBatches) {
  std::vector<size_t> instructions;
  for (int64_t microBatches : {8, 64}) {
    Job job = deepGpt2(1);
    job.training["micro_batches"] = microBatches;
    std::unique_ptr<Compiled> cut = compileJob(onStages(job, 3, under("zb-h1")));
    ASSERT_TRUE(cut);
    size_t all = 0;
    for (const plan::Program &program : cut->plan.programs)
      for (const plan::Section &section : program.sections)
        all += section.instructions.size();
    instructions.push_back(all);
  }
  EXPECT_EQ(instructions[0], instructions[1]);
}

//===----------------------------------------------------------------------===//
// Faults and refusals
//===----------------------------------------------------------------------===//

/// Moves each instruction that makes gradients of weights to the micro-batch before and after, and takes one
/// slot from each buffer with slots.
TEST(PipelineSchedule, theCheckerFindsWhatComesForAnotherMicroBatch) {
  std::unique_ptr<Compiled> cut = compileJob(onStages(deepGpt2(1), 3, under("zb-h1")));
  ASSERT_TRUE(cut);
  ASSERT_EQ(plan::findFaults(cut->plan), std::vector<std::string>());
  constexpr size_t kLast = 2;
  const plan::Program &sound = cut->plan.programs[kLast];
  int changed = 0, shrunk = 0;
  for (size_t section = 0; section < sound.sections.size(); ++section)
    for (size_t i = 0; i < sound.sections[section].instructions.size(); ++i) {
      const plan::Instruction &each = sound.sections[section].instructions[i];
      const bool usesSlots = std::ranges::any_of(each.operands, [&](const plan::Operand &operand) {
        return sound.buffers[operand.buffer].slots > 1;
      });
      if (each.microBatch == 0 || !usesSlots)
        continue;
      for (int64_t by : {-1, 1}) {
        plan::Plan copy = cut->plan;
        copy.programs[kLast].sections[section].instructions[i].microBatch += by;
        EXPECT_FALSE(plan::findFaults(copy).empty()) << sound.sections[section].name << " " << i;
        ++changed;
      }
    }
  for (size_t i = 0; i < sound.buffers.size(); ++i) {
    if (sound.buffers[i].slots == 0)
      continue;
    plan::Plan copy = cut->plan;
    --copy.programs[kLast].buffers[i].slots;
    EXPECT_FALSE(plan::findFaults(copy).empty()) << sound.buffers[i].name;
    ++shrunk;
  }
  EXPECT_GT(changed, 20);
  EXPECT_GT(shrunk, 5);
}

/// Gradients of weights that wait are still added in the order of micro-batches: the last ones must not be of
/// an earlier micro-batch than those before them.
TEST(PipelineSchedule, theCheckerFindsGradientsOfWeightsOutOfOrder) {
  std::unique_ptr<Compiled> cut =
      compileJob(onStages(deepGpt2(1), 3, zeroBubble({{"zero_stage", 0}, {"recompute", "none"}})));
  ASSERT_TRUE(cut);
  plan::Plan turned = cut->plan;
  plan::Program &program = turned.programs.back();
  std::set<uint32_t> gradients;
  for (const plan::State &gradient : program.gradients)
    gradients.insert(gradient.home.buffer);
  int moved = 0;
  for (plan::Instruction &each : program.sections[program.train.back().section].instructions)
    if (each.origin.phase == plan::Phase::Backward &&
        std::ranges::any_of(each.operands, [&](const plan::Operand &operand) {
          return gradients.contains(operand.buffer);
        })) {
      each.microBatch -= 2;
      ++moved;
    }
  EXPECT_GT(moved, 1);
  const std::vector<std::string> faults = plan::findFaults(turned);
  EXPECT_TRUE(std::ranges::any_of(faults, [](const std::string &fault) {
    return fault.find("takes gradients of micro-batch") != std::string::npos;
  })) << (faults.empty() ? "none" : faults.front());
}

TEST(PipelineSchedule, lagsThatCannotBeAreRefusedInWords) {
  const auto refusal = [](const char *schedule, const json &lags) {
    return refusalOf(onStages(deepGpt2(1), 3, lagging(schedule, lags)));
  };
  const std::pair<std::string, std::string> cases[] = {
      {refusal("1f1b", {2, 1}), "pipeline.lag: says the lags of 2 stages, parallel.pipeline asks for 3"},
      {refusal("1f1b", {5, 1, 0}), "pipeline.lag: is 5 of stage 0, must be less than the 5 micro-batches"},
      {refusal("1f1b", {1, 1, 0}), "pipeline.lag: is 1 of stage 0, the schedule needs 2"},
      {refusal("gpipe", {4, 4, 3}), "pipeline.lag: is 3 of stage 2, the schedule needs 4"},
      {refusal("zb-h1", {2, 3, 0}),
       "pipeline.lag: is 2 of stage 0, less than the 3 of stage 1: the two would "
       "wait for each other forever"}};
  for (const auto &[said, words] : cases)
    EXPECT_NE(said.find(words), std::string::npos) << said;
}

/// The record has the schedule, the lags and the cut, and gives the plan again.
TEST(PipelineSchedule, theRecordGivesThePlanAgain) {
  std::unique_ptr<Compiled> compiled = expectRecordGivesPlanAgain(onStages(deepGpt2(1), 3, under("zb-h1")));
  ASSERT_TRUE(compiled);
  const json pipeline = json::parse(compiled->plan.strategy)["pipeline"];
  EXPECT_EQ(pipeline["schedule"], "zb-h1");
  EXPECT_EQ(pipeline["lag"], json({2, 1, 0}));
  EXPECT_EQ(pipeline["cut"].size(), 3u);
}

} // namespace
