// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/ActivationChoices.h"

#include "passes/Flow/PlanMemory.h"
#include "planning/Recompute/RecomputeChecker.h"
#include "planning/Recompute/RecomputeSolver.h"
#include "runtime/plan/Reasons.h"

using namespace mlir;

namespace windlass {

/// The most choices of spread().
static constexpr size_t kSpread = 4;

Result<ActivationChoices> ActivationChoices::of(ModuleOp imported, const Limits &limits, Levels &levels) {
  ActivationChoices choices;
  Result<graph::RecomputeChoices> described = levels.describeRecompute(imported, limits);
  if (!described)
    return described.status();
  choices.described = described.take();
  Result<planning::RecomputeFront> front = planning::solveRecomputeFront(choices.described.problem);
  if (!front)
    return front.status();
  WINDLASS_TRY(planning::checkRecompute(choices.described.problem, *front));
  choices.front = front.take();
  return choices;
}

std::vector<size_t> ActivationChoices::spread() const {
  const size_t kept = size() - 1; // the last choice keeps nothing: it is full recomputation
  std::vector<size_t> few;
  for (size_t i = 0; i < std::min(kept, kSpread); ++i)
    few.push_back(i * kept / std::min(kept, kSpread));
  return few;
}

Recompute ActivationChoices::recompute(size_t choice) const {
  return Recompute(described.kept(front.choices[choice]));
}

plan::Figures ActivationChoices::figures(size_t choice) const {
  const planning::RecomputeChoice &taken = front.choices[choice];
  return {{plan::Figure::KeptBytes, static_cast<double>(taken.bytes)},
          {plan::Figure::ResidualBytes, static_cast<double>(front.choices.front().bytes)},
          {plan::Figure::RepeatedSeconds, taken.seconds},
          {plan::Figure::RepeatableSeconds, front.choices.back().seconds},
          {plan::Figure::Gap, front.gap}};
}

/// The problem counts all layers and one micro-batch. So the bytes, rate and seconds of a module with a share
/// of the layers are divided by that share, and the bytes also by the micro-batches in flight.
Result<planning::RecomputeSolution> ActivationChoices::choose(ModuleOp planned, bool keepsAll, double compute,
                                                              const model::Machine &machine,
                                                              const Share &share) const {
  auto left = [&](plan::Tier tier) {
    const auto bytes = static_cast<double>(flow::arenaOf(planned, tier).left());
    return static_cast<int64_t>(bytes / (share.layers * share.microBatches));
  };
  constexpr double kTimedBytes = 1 << 30; // of the transfer whose rate is that of the link
  planning::RecomputeProblem asked = described.problem;
  asked.device = left(plan::Tier::Device) + (keepsAll ? front.choices.front() : front.choices.back()).bytes;
  asked.host = left(plan::Tier::Host);
  asked.link = kTimedBytes /
               std::max(machine.uploadSeconds(kTimedBytes), machine.offloadSeconds(kTimedBytes)) /
               share.layers;
  asked.compute = compute / share.layers;
  Result<planning::RecomputeSolution> solution = planning::solveRecompute(asked, front);
  if (solution)
    WINDLASS_TRY(planning::checkRecompute(asked, front, *solution));
  return solution;
}

} // namespace windlass
