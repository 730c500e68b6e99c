// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ToyModel.h - a plan and an executor small enough to check by eye ======//
//
// Duty: a model of three vectors (logits[v] = w[v] + b[v % 3] + c[v % 5]; b and c are packed in one shard
// unit), trained with Adam by a fake executor. The executor keeps the states in plain arenas, laid out as the
// plan says, and moves nothing between tiers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include <functional>
#include <map>
#include <vector>

namespace windlass {

struct ToyOptions {
  int64_t ranks = 1, microBatches = 1, globalBatch = 4;
  int64_t sequence = 8, vocabulary = 256;
  bool sharded = true;
  bool mixed = false;     ///< bf16 parameters with f32 masters
  bool gradients = false; ///< the plan has homes of gradients: those of parameters
  plan::LossScale lossScale = {};
  plan::Tier parameters = plan::Tier::Device, moments = plan::Tier::Nvme;
  int64_t steps = 12;
};

plan::Plan toyPlan(const ToyOptions &options = {});

class FakeExecutor final : public Executor {
public:
  explicit FakeExecutor(const plan::Plan &plan);

  int64_t poisonStep = 0;  ///< the step that reports a NaN with a sign as its loss; 0: none
  int64_t failStep = 0;    ///< the step that fails; 0: none
  double largestScale = 0; ///< of a loss; gradients overflow above it
  int64_t stepsRun = 0, forwardsRun = 0;
  std::function<void()> atStep = [] {}; ///< called at the beginning of a step

  Status run(plan::Purpose purpose, StepHost &host) override;
  Status readBytes(int64_t rank, const plan::Operand &operand, int64_t at, std::span<std::byte> out) override;
  Status writeBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                    std::span<const std::byte> in) override;
  plan::RankSet ranks() const override { return plan::RankSet::allOf(plan); }
  const ExecutorCounters &counters() const override { return moved; }
  std::span<const TraceEvent> trace() const override { return {}; }
  std::span<const std::byte> arena(int64_t rank, plan::Tier tier) const override;
  std::span<const std::string> notices() const override { return {}; }

  /// All elements of a state as f32, from the ranks that hold them.
  std::vector<float> logical(plan::StateClass cls, const std::string &name) const;
  /// Every byte of every arena.
  std::vector<std::byte> everything() const;
  void fillEverything(std::byte value);

private:
  const plan::State *find(plan::StateClass cls, const std::string &name) const;
  std::byte *address(const plan::State &state, int64_t rank, int64_t element);
  void load(plan::StateClass cls, const std::string &name, std::vector<float> &values) const;
  void store(plan::StateClass cls, const std::string &name, const std::vector<float> &values);
  Status step(StepHost &host);
  Status forward(StepHost &host, ItemRequest request);
  Status update(StepHost &host);
  void computeLogits();

  const plan::Plan &plan;
  std::map<std::pair<int64_t, plan::Tier>, std::vector<std::byte>> arenas;
  std::vector<double> logits, gradient;
  std::vector<int32_t> tokens, labels;
  std::vector<float> values, momentum, variance; ///< of one state at a time
  double loss = 0;
  ExecutorCounters moved;
};

} // namespace windlass
