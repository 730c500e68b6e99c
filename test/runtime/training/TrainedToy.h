// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainedToy.h - a toy model with states for checkpoints ================//
//
// Duty: a toy plan whose states have values that differ from each other, and checkpoints of it.
// Errors: test failures. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/runtime/training/ToyModel.h"
#include <gtest/gtest.h>

namespace windlass {

/// A plan, its executor and its states. Parameters, momentum and variance have different values; masters have
/// those of parameters.
struct Trained {
  explicit Trained(const ToyOptions &options, uint64_t seed = 1)
      : plan(toyPlan(options)), executor(plan), states(plan, executor) {
    const StateSource initial = initialValues(seed);
    EXPECT_TRUE(states
                    .writeAll([&](const plan::State &state, int64_t first, std::span<std::byte> out) {
                      plan::State named = state;
                      if (state.cls == plan::StateClass::Momentum ||
                          state.cls == plan::StateClass::Variance) {
                        named.name += state.cls == plan::StateClass::Momentum ? " m" : " v";
                        named.cls = plan::StateClass::Parameter;
                        named.init = {plan::InitKind::Normal, 0, 1, 0};
                      }
                      return initial(named, first, out);
                    })
                    .isOk());
  }
  plan::Plan plan;
  FakeExecutor executor;
  StateStream states;
};

inline std::string commit(CheckpointFolder &folder, Trained &trained, int64_t step,
                          CheckpointFormat format = CheckpointFormat::Full) {
  TrainerState state;
  state.step = step;
  Status status = folder.commit(step, /*keep=*/2, [&](const std::string &path) {
    return writeCheckpoint(path, trained.plan, trained.states, state, format);
  });
  EXPECT_TRUE(status.isOk()) << status.message();
  return folder.pathOf(step);
}

} // namespace windlass
