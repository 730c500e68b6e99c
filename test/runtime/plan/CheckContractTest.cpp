// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of a plan besides order and bytes. Each rule of states, items, kernels and owners is broken once,
// with its message, on a plan that is otherwise sound.
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

/// Three layers on two ranks, with scaled losses. `halves`: a parameter has bf16.
Plan soundPlan(bool halves = false) {
  return test::makeSyntheticPlan(
      {.seed = 2, .ranks = 2, .layers = 3, .sample = true, .generated = halves, .scaled = true});
}

State &stateOf(Plan &plan, StateClass cls, ElementType type = ElementType::F32) {
  return *std::ranges::find_if(plan.programs[0].states,
                               [&](const State &state) { return state.cls == cls && state.type == type; });
}

Instruction &instructionOf(Plan &plan, const std::string &name, Opcode op, const std::string &item = "") {
  for (Section &section : plan.programs[0].sections)
    for (Instruction &instruction : section.instructions)
      if (section.name == name && instruction.op == op && instruction.item == item)
        return instruction;
  ADD_FAILURE() << "no such instruction";
  return plan.programs[0].sections[0].instructions[0];
}

void expectFault(const std::string &expected, const std::function<void(Plan &)> &spoil, bool halves = false) {
  Plan plan = soundPlan(halves);
  ASSERT_EQ(findFaults(plan), std::vector<std::string>());
  spoil(plan);
  const std::vector<std::string> faults = findFaults(plan);
  EXPECT_TRUE(std::ranges::any_of(faults, [&](const std::string &fault) { return fault == expected; }))
      << expected << "\nfound: " << (faults.empty() ? "nothing" : faults.front());
}

TEST(CheckContract, whatIsTrainedHasAllItsStates) {
  for (StateClass cls : {StateClass::Momentum, StateClass::Variance})
    expectFault("state \"layer.0\" (parameter) is trained, but has no " + std::string(textOf(cls)),
                [&](Plan &plan) {
                  plan.programs[0].states.erase(plan.programs[0].states.begin() +
                                                (&stateOf(plan, cls) - plan.programs[0].states.data()));
                });
  expectFault("state \"layer.0\" (parameter) is trained, but has no gradient",
              [](Plan &plan) { plan.programs[0].gradients.erase(plan.programs[0].gradients.begin()); });
  expectFault("state \"layer.0.\" (variance) is that of no parameter",
              [](Plan &plan) { stateOf(plan, StateClass::Variance).name += "."; });
  expectFault("state \"layer.0\" (variance) has another shape than its parameter",
              [](Plan &plan) { stateOf(plan, StateClass::Variance).shape[0] /= 2; });
  expectFault("state \"layer.0\" (variance) is bf16, not f32", [](Plan &plan) {
    State &variance = stateOf(plan, StateClass::Variance);
    variance.type = ElementType::BF16;
    variance.home.bytes /= 2;
  });
  expectFault("state \"layer.0\" (variance) is of group \"other\", but its parameter of \"decay\"",
              [](Plan &plan) { stateOf(plan, StateClass::Variance).group = "other"; });
  expectFault(
      "state \"layer.0\" (variance) lies at element 0 of unit \"layer.0.\", but its parameter at 0 of "
      "\"layer.0\"",
      [](Plan &plan) { stateOf(plan, StateClass::Variance).unit += "."; });
  expectFault("state \"layer.0\" (parameter) is a running statistic, but is trained", [](Plan &plan) {
    for (State &state : plan.programs[0].states)
      state.group = "statistics";
  });
}

TEST(CheckContract, sixteenBitsHaveAMasterAndF32HasNone) {
  Plan plan = soundPlan(true);
  const State &half = stateOf(plan, StateClass::Parameter, ElementType::BF16);
  expectFault(
      "state \"" + half.name + "\" (parameter) is trained in bf16, but has no master",
      [&](Plan &plan) {
        plan.programs[0].states.erase(plan.programs[0].states.begin() +
                                      (&stateOf(plan, StateClass::Master) - plan.programs[0].states.data()));
      },
      true);
  expectFault("state \"layer.0\" (parameter) is trained in f32, but has a master", [](Plan &plan) {
    State master = stateOf(plan, StateClass::Momentum);
    master.cls = StateClass::Master;
    plan.programs[0].states.push_back(master);
  });
}

/// A gradient must not rest in the home of another state.
TEST(CheckContract, aGradientRestsInAHomeOfItsOwn) {
  Plan plan = soundPlan();
  plan.programs[0].gradients[0].home = stateOf(plan, StateClass::Momentum).home;
  EXPECT_TRUE(std::ranges::any_of(findFaults(plan), [](const std::string &fault) {
    return fault.find("state \"layer.0\" (gradient) and state \"layer.0\" (momentum) share ") == 0 ||
           fault.find("state \"layer.0\" (momentum) and state \"layer.0\" (gradient) share ") == 0;
  })) << findFaults(plan).front();
  plan = soundPlan();
  plan.programs[0].buffers.push_back(
      {"nowhere", BufferClass::Gradient, Tier::Host, plan.programs[0].arenas[1].bytes, 4096, true});
  plan.programs[0].arenas[1].bytes = plan.programs[0].arenas[1].capacity =
      plan.programs[0].arenas[1].bytes + 4096;
  plan.programs[0].gradients[0].home.buffer = static_cast<uint32_t>(plan.programs[0].buffers.size() - 1);
  EXPECT_TRUE(std::ranges::any_of(findFaults(plan), [](const std::string &fault) {
    return fault.find("the gradient of \"layer.0\" is not at host [") == 0 &&
           fault.find("when a step ends: nothing wrote there") != std::string::npos;
  })) << findFaults(plan).front();
}

TEST(CheckContract, itemsAreThoseOfTheTrainingLoop) {
  auto named = [](const std::string &section, Opcode op, const char *item) {
    return [=](Plan &spoiled) { instructionOf(spoiled, section, op, item).item += "?"; };
  };
  Plan plan = soundPlan();
  auto expectHeld = [&](const std::string &part, const std::function<void(Plan &)> &spoil) {
    Plan broken = plan;
    spoil(broken);
    const std::vector<std::string> faults = findFaults(broken);
    EXPECT_TRUE(std::ranges::any_of(
        faults, [&](const std::string &fault) { return fault.find(part) != std::string::npos; }))
        << part << "\nfound: " << (faults.empty() ? "nothing" : faults.front());
  };
  const std::string only = "only";
  expectHeld("asks for \"learning_rate?\", which the training loop does not know there",
             named(only, Opcode::Feed, "learning_rate"));
  expectHeld("reports \"grad_norm?\", which the training loop does not know there",
             named(only, Opcode::Report, "grad_norm"));
  expectHeld("schedule \"train\", micro-batch 0: reports no \"loss\"", named(only, Opcode::Report, "loss"));
  expectHeld("schedule \"evaluate\", micro-batch 0: reports no \"loss\"",
             named("evaluate", Opcode::Report, "loss"));
  expectHeld("schedule \"sample\", micro-batch 0: reports no \"logits\"",
             named("sample", Opcode::Report, "logits"));
  expectHeld("schedule \"train\", micro-batch 0: input \"features\" is not fed",
             named(only, Opcode::Feed, "features"));
  expectHeld("schedule \"train\", micro-batch 0: input \"labels\" is not fed", [&](Plan &broken) {
    instructionOf(broken, only, Opcode::Feed, "labels").item = "learning_rate"; // a scalar in place of tokens
  });
  expectHeld("schedule \"train\", micro-batch 0: reports \"loss\" twice",
             [&](Plan &broken) { instructionOf(broken, only, Opcode::Report, "grad_norm").item = "loss"; });
  expectHeld("\"grad_norm\", which the training loop does not know there", [&](Plan &broken) {
    instructionOf(broken, "evaluate", Opcode::Report, "loss").item = "grad_norm";
  });
  expectHeld(
      "schedule \"train\": losses are scaled, but no \"inverse_loss_scale\" is fed",
      [&](Plan &broken) { instructionOf(broken, only, Opcode::Feed, "inverse_loss_scale").item = "step"; });
  expectHeld("schedule \"train\": losses are scaled, but no \"grad_norm\" is reported",
             [&](Plan &broken) { instructionOf(broken, only, Opcode::Report, "grad_norm").item = "loss"; });
  expectHeld("\"dropout_keys\" has 4 bytes, no multiple of 8", [&](Plan &broken) {
    Instruction &feed = instructionOf(broken, only, Opcode::Feed, "learning_rate");
    feed.item = "dropout_keys";
    feed.operands[0].bytes = 4;
  });
}

TEST(CheckContract, inputsAreThoseOfTheirRoles) {
  expectFault("input \"labels\" is i32, but features are f32",
              [](Plan &plan) { plan.inputs[1].role = InputRole::Features; });
  expectFault("input \"features\" is f32, but tokens are i32",
              [](Plan &plan) { plan.inputs[0].role = InputRole::Tokens; });
  expectFault("input \"labels\" has bound 0, which is no number of classes",
              [](Plan &plan) { plan.inputs[1].bound = 0; });
  expectFault("input \"step\" has a name that something else is fed by",
              [](Plan &plan) { plan.inputs[1].name = "step"; });
  Plan plan = soundPlan();
  const std::string rows = std::to_string(plan.inputs[0].shape[0]),
                    wrong = std::to_string(plan.training.globalBatch + 1);
  expectFault("input \"features\" has " + rows + " examples, but a step of " + wrong +
                  " has 1 micro-batch on 2 data ranks",
              [](Plan &plan) { ++plan.training.globalBatch; });
}

TEST(CheckContract, launchesAreWhole) {
  Plan plan = soundPlan();
  auto expectHeld = [&](const std::string &part, const std::function<void(Plan &, Instruction &)> &spoil) {
    Plan broken = plan;
    for (Instruction &instruction : broken.programs[0].sections[0].instructions)
      if (instruction.op == Opcode::Launch) {
        spoil(broken, instruction);
        break;
      }
    const std::vector<std::string> faults = findFaults(broken);
    EXPECT_TRUE(std::ranges::any_of(
        faults, [&](const std::string &fault) { return fault.find(part) != std::string::npos; }))
        << part << "\nfound: " << (faults.empty() ? "nothing" : faults.front());
  };
  expectHeld("range [1, 1) is not [0, 1), all of its kernel",
             [](Plan &, Instruction &launch) { launch.begin = 1; });
  expectHeld("range [0, 2) is not [0, 1), all of its kernel",
             [](Plan &, Instruction &launch) { launch.end = 2; });
  expectHeld("range [0, 1) is not [0, 64), all of its kernel", [](Plan &broken, Instruction &launch) {
    broken.kernels[static_cast<size_t>(launch.kernel)].extent = 64;
  });
  expectHeld(" bytes, not those of its extents", [](Plan &broken, Instruction &launch) {
    --broken.kernels[static_cast<size_t>(launch.kernel)].matmul.n;
  });
  expectHeld(" bytes, but its kernel touches ",
             [](Plan &, Instruction &launch) { launch.operands[0].bytes -= 64; });
}

TEST(CheckContract, whatIsWrittenIsRead) {
  Plan plan = soundPlan();
  instructionOf(plan, "only", Opcode::Report, "grad_norm").operands =
      instructionOf(plan, "only", Opcode::Report, "loss").operands;
  EXPECT_TRUE(std::ranges::any_of(findFaults(plan), [](const std::string &fault) {
    return fault.find("(offload grad_norm, layer.0, backward) in section only writes to host what nothing "
                      "reads") != std::string::npos;
  })) << findFaults(plan).front();
}

TEST(CheckContract, ownersHaveWhatRestsWithThem) {
  Plan plan = soundPlan();
  for (Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == BufferClass::Activation) {
      buffer.owner = 1;
      EXPECT_EQ(findFaults(plan).front(),
                "buffer \"" + buffer.name + "\" has owner 1, but class \"activation\" is every rank's");
      break;
    }
  plan = soundPlan();
  for (Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == BufferClass::Staging) {
      buffer.owner = 1;
      EXPECT_TRUE(std::ranges::any_of(findFaults(plan), [](const std::string &fault) {
        return fault.find("is every rank's, but rank 1 alone runs this") != std::string::npos;
      })) << findFaults(plan).front();
      break;
    }
}

} // namespace
