// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frozen parameters have only their values as states. No gradient of them is computed or moved, the backward
// pass ends below the lowest trained parameter, and no strategy changes a bit.
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "test/support/EndToEnd.h"
#include "test/support/MeshJobs.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Opcode;
using plan::StateClass;

namespace {

/// Patterns for two layers. The first freezes embeddings and the first layer, the second all parameters
/// except those of norms.
const char *const kLower = "wte|wpe|h[.]0[.]";
const char *const kMatrices = "wte|wpe|c_attn|c_proj|c_fc";

Job job(const std::string &compute, const std::string &pattern, const std::string &strategy = "") {
  Job job = tinyGpt2(2, 2).with({{"precision", {{"compute", compute}}}, {"freeze", {pattern}}});
  job.strategy = strategy;
  return job;
}

bool isFrozen(const plan::State &state) { return state.group == "frozen"; }

class Frozen : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Frozen, takeTheirValuesAloneAndNoTraffic) {
  const auto &[compute, pattern] = GetParam();
  std::unique_ptr<Compiled> compiled = compileJob(job(compute, pattern, "zero-3"));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  std::map<std::string, int64_t> bytes, elements; // of the states of a frozen parameter
  for (const plan::State &state : plan.programs[0].states) {
    if (!isFrozen(state))
      continue;
    EXPECT_EQ(state.cls, StateClass::Parameter) << state.name;
    bytes[state.name] += elementsOf(state) * plan::bytesOf(state.type);
    elements[state.name] = elementsOf(state);
  }
  ASSERT_FALSE(bytes.empty());
  for (const auto &[name, all] : bytes)
    EXPECT_EQ(all, elements[name] * (compute == "fp32" ? 4 : 2)) << name;
  for (const plan::State &gradient : plan.programs[0].gradients)
    EXPECT_FALSE(isFrozen(gradient)) << gradient.name;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == BufferClass::Gradient || buffer.cls == BufferClass::Momentum)
      EXPECT_EQ(buffer.name.find("frozen"), std::string::npos) << buffer.name;
  EXPECT_EQ(countTraining(plan,
                          [](const plan::Instruction &instruction) {
                            return instruction.op == Opcode::ReduceScatter &&
                                   instruction.origin.what.find("frozen") != std::string::npos;
                          }),
            0);
}

/// States rest on the disk. Frozen parameters are read from it and never written, all others are written.
TEST_P(Frozen, comeFromTheDiskAndNeverGoBack) {
  const auto &[compute, pattern] = GetParam();
  std::unique_ptr<Compiled> compiled = compileJob(job(compute, pattern, "zero-infinity-nvme"));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  auto isOfFrozen = [&](const std::string &name) { return name.find("frozen") != std::string::npos; };
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.persistent && isOfFrozen(buffer.name)) {
      EXPECT_EQ(buffer.cls, BufferClass::Parameter) << buffer.name;
      EXPECT_EQ(buffer.tier, plan::Tier::Nvme) << buffer.name;
    }
  for (const plan::State &state : plan.programs[0].states)
    EXPECT_EQ(isFrozen(state), isOfFrozen(plan.programs[0].buffers[state.home.buffer].name)) << state.name;
  std::map<Opcode, int64_t> frozen, trained; // counts of instructions that touch either
  countTraining(plan, [&](const plan::Instruction &instruction) {
    const bool touches = std::ranges::any_of(instruction.operands, [&](const plan::Operand &operand) {
      return isOfFrozen(plan.programs[0].buffers[operand.buffer].name);
    });
    ++(touches ? frozen : trained)[instruction.op];
    EXPECT_FALSE(touches && instruction.origin.phase == plan::Phase::Update) << instruction.origin.what;
    return touches;
  });
  for (Opcode goes : {Opcode::Write, Opcode::Offload, Opcode::ReduceScatter, Opcode::Reduce})
    EXPECT_EQ(frozen[goes], 0) << plan::textOf(goes);
  for (Opcode comes : {Opcode::Read, Opcode::Upload, Opcode::AllGather})
    EXPECT_GT(frozen[comes], 0) << plan::textOf(comes);
  for (Opcode goes : {Opcode::Write, Opcode::Offload, Opcode::ReduceScatter})
    EXPECT_GT(trained[goes], 0) << plan::textOf(goes);
}

TEST_P(Frozen, stayAsTheyAreUnderEveryStrategy) {
  const auto &[compute, pattern] = GetParam();
  std::unique_ptr<Compiled> base = compileJob(job(compute, pattern, "data-parallel"));
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  RunSettings none;
  none.steps = 0;
  const Outcome before = train(*base, none);
  for (const plan::State &state : base->plan.programs[0].states) {
    const std::string name = std::string(plan::textOf(state.cls)) + "/" + state.name;
    EXPECT_EQ(expected.states.at(name) == before.states.at(name), isFrozen(state)) << name;
  }
  for (const char *strategy : {"zero-2", "zero-3", "zero-offload", "zero-3-offload", "zero-infinity-nvme"}) {
    SCOPED_TRACE(strategy);
    std::unique_ptr<Compiled> decided = compileJob(job(compute, pattern, strategy));
    ASSERT_TRUE(decided);
    ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
    expectSameBits(expected, train(*decided));
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Frozen,
                         ::testing::Combine(::testing::Values("fp32", "bf16", "fp16"),
                                            ::testing::Values(kLower, kMatrices)),
                         [](const auto &info) {
                           return std::get<0>(info.param) +
                                  (std::get<1>(info.param) == kLower ? "_lower" : "_matrices");
                         });

/// The layers below the lowest trained parameter have no backward pass, and its layer computes no gradient of
/// the input.
/// A parameter that the loss depends on through detached values alone, in layers and outside of them.
TEST(Unreached, isFrozenThoughDetachedValuesReachTheLoss) {
  for (const char *place : {"inside", "outside"}) {
    Job job = tinyGpt2(2, 2, 2);
    job.model = json::parse(R"({
      "format": "windlass.model/1",
      "dims": {"B": "batch", "D": 8},
      "inputs": {"x": {"role": "features", "shape": ["B", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
      "params": {"teacher": {"shape": ["D", "D"], "init": {"normal": 1}}, "w": {"shape": ["D", "D"], "init": {"normal": 1}}},
      "blocks": {"layer": {
        "in": ["h"],
        "params": {"teacher": {"shape": ["D", "D"], "init": {"normal": 1}}, "w": {"shape": ["D", "D"], "init": {"normal": 1}}},
        "ops": [{"op": "detach", "in": ["teacher"], "out": "t"}, {"op": "add", "in": ["w", "t"], "out": "both"},
                {"op": "matmul", "in": ["h", "both"], "out": "next"}],
        "out": ["next"]}},
      "ops": [{"op": "detach", "in": ["teacher"], "out": "t"}, {"op": "add", "in": ["w", "t"], "out": "both"},
              {"op": "matmul", "in": ["x", "both"], "out": "h"},
              {"repeat": 2, "block": "layer", "carry": ["h"], "name": "layer.{i}"},
              {"op": "mse", "in": ["h", "y"], "out": "losses"}],
      "loss": "losses"
    })");
    if (place == std::string("outside"))
      job.model["ops"].erase(3);
    if (place == std::string("outside"))
      job.model.erase("blocks");
    std::unique_ptr<Compiled> compiled = compileJob(job);
    ASSERT_TRUE(compiled) << place;
    const Outcome trained = train(*compiled);
    EXPECT_TRUE(trained.states.contains("momentum/w"));
    EXPECT_FALSE(trained.states.contains("momentum/teacher"));
    EXPECT_EQ(trained.states.contains("momentum/layer.1.w"), place == std::string("inside"));
    EXPECT_FALSE(trained.states.contains("momentum/layer.1.teacher"));
  }
}

/// Two calls of one function, of which the loss depends on the first through detached values alone.
TEST(Unreached, isFrozenForEachCallOfAFunction) {
  Job job = tinyGpt2(1, 1, 2);
  job.model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "D": 8},
    "inputs": {"x": {"role": "features", "shape": ["B", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
    "params": {},
    "blocks": {"layer": {"in": ["h"], "params": {"w": {"shape": ["D", "D"], "init": {"normal": 1}}},
                         "ops": [{"op": "matmul", "in": ["h", "w"], "out": "next"}], "out": ["next"]}},
    "ops": [{"repeat": 1, "block": "layer", "carry": ["x"], "name": "first.{i}"},
            {"op": "detach", "in": ["x"], "out": "h"},
            {"repeat": 1, "block": "layer", "carry": ["h"], "name": "second.{i}"},
            {"op": "mse", "in": ["h", "y"], "out": "losses"}],
    "loss": "losses"
  })");
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  for (const plan::State &state : compiled->plan.programs[0].states)
    EXPECT_EQ(isFrozen(state), state.name == "first.0.w") << state.name;
}

/// A layer function of two results, of which nothing reads the second behind the last layer: there the
/// parameter that makes it is frozen, also where ranks share out operations.
TEST(Unreached, isFrozenInTheLayerWhoseResultNothingReads) {
  Job job = tinyGpt2(1, 1, 2);
  job.model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "D": 8},
    "inputs": {"x": {"role": "features", "shape": ["B", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
    "params": {},
    "blocks": {"layer": {
      "in": ["h", "c"],
      "params": {"w": {"shape": ["D", "D"], "init": {"normal": 1}}, "v": {"shape": ["D", "D"], "init": {"normal": 1}}},
      "ops": [{"op": "matmul", "in": ["c", "v"], "out": "more"}, {"op": "add", "in": ["c", "more"], "out": "kept"},
              {"op": "matmul", "in": ["c", "w"], "out": "term"}, {"op": "add", "in": ["h", "term"], "out": "next"}],
      "out": ["next", "kept"]}},
    "ops": [{"op": "tanh", "in": ["x"], "out": "h"}, {"op": "relu", "in": ["x"], "out": "c"},
            {"repeat": 3, "block": "layer", "carry": ["h", "c"], "name": "layer.{i}"},
            {"op": "mse", "in": ["h", "y"], "out": "losses"}],
    "loss": "losses"
  })");
  for (const Job &each : {job, onMesh(job, {1, 2, 1})}) {
    std::unique_ptr<Compiled> compiled = compileJob(each);
    ASSERT_TRUE(compiled);
    int64_t found = 0;
    for (const plan::State &state : compiled->plan.programs[0].states) {
      EXPECT_EQ(isFrozen(state), state.name == "layer.2.v") << state.name;
      found += isFrozen(state);
    }
    EXPECT_GT(found, 0);
  }
}

TEST(Backward, endsWhereNothingBelowIsTrained) {
  std::unique_ptr<Compiled> compiled = compileJob(job("fp32", kLower, "zero-3"));
  ASSERT_TRUE(compiled);
  auto backwardOf = [&](const std::string &function) {
    return countTraining(compiled->plan, [&](const plan::Instruction &instruction) {
      return instruction.origin.phase == plan::Phase::Backward && instruction.origin.function == function;
    });
  };
  EXPECT_EQ(backwardOf("h.0"), 0);
  EXPECT_GT(backwardOf("h.1"), 0);
  std::unique_ptr<Compiled> all = compileJob(tinyGpt2(2, 2).with({{"zero_stage", 3}}));
  ASSERT_TRUE(all);
  auto backward = [](const plan::Plan &plan) {
    return countTraining(plan, [](const plan::Instruction &instruction) {
      return instruction.op == Opcode::Launch && instruction.origin.phase == plan::Phase::Backward;
    });
  };
  EXPECT_LT(backward(compiled->plan), backward(all->plan));
}

/// The names of the frozen parameters.
std::set<std::string> frozenIn(const Job &job) {
  std::set<std::string> names;
  std::unique_ptr<Compiled> compiled = compileJob(job);
  if (compiled)
    for (const plan::State &state : compiled->plan.programs[0].states)
      if (isFrozen(state))
        names.insert(state.name);
  return names;
}

/// The patterns of the command line mean the same as those of the training file.
TEST(Freeze, flagsMeanWhatTheKeysMean) {
  Job flags = tinyGpt2(1, 1);
  flags.freeze = {kLower};
  const std::set<std::string> lower = frozenIn(job("fp32", kLower));
  EXPECT_FALSE(lower.empty());
  EXPECT_EQ(frozenIn(flags), lower);
  flags.trainable = {"wte"}; // an exception
  std::set<std::string> expected = lower;
  ASSERT_EQ(expected.erase("transformer.wte.weight"), 1u);
  EXPECT_EQ(frozenIn(flags), expected);
  Job keys = job("fp32", kLower).with({{"trainable", {"wte"}}});
  EXPECT_EQ(frozenIn(keys), expected);
}

TEST(Freeze, refusesWhatFreezesNothingOrAll) {
  Job flag = tinyGpt2(1, 1), exception = flag;
  flag.freeze = {"lm_tail"};
  exception.trainable = {"("};
  for (const auto &[job, code, message] :
       {std::tuple(job("fp32", "lm_tail"), ExitCode::BadInput,
                   "training.json: freeze: \"lm_tail\" matches no parameter"),
        std::tuple(job("fp32", "("), ExitCode::BadInput,
                   "training.json: freeze: must be a regular expression, is \"(\""),
        std::tuple(flag, ExitCode::BadInput, "--freeze: \"lm_tail\" matches no parameter"),
        std::tuple(exception, ExitCode::Usage, "--trainable: must be a regular expression, is \"(\""),
        std::tuple(job("fp32", "."), ExitCode::BadInput,
                   "every parameter is frozen: nothing is left to train")}) {
    TemporaryFolder folder;
    Result<plan::Plan> plan = tryCompile(job, folder);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.status().code(), code);
    EXPECT_NE(plan.status().message().find(message), std::string::npos) << plan.status().message();
  }
}

} // namespace
