// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/search/Trials.h"

#include "planning/Tolerances.h"
#include <algorithm>
#include <cmath>

namespace windlass {
namespace {

plan::Outcome outcomeBeside(double taken, double seconds) {
  if (std::abs(seconds - taken) <= planning::kNearly * taken)
    return plan::Outcome::Alike;
  return seconds > taken ? plan::Outcome::Slower : plan::Outcome::TooLittle;
}

} // namespace

plan::Trial simulated(std::string value, const flow::MemoryPlan &plan, plan::Figures figures) {
  return {.value = std::move(value),
          .clock = plan.isBound  ? plan::Clock::Bound
                   : plan.isSlow ? plan::Clock::InOrder
                                 : plan::Clock::LaidOut,
          .seconds = plan.step.seconds,
          .figures = std::move(figures)};
}

plan::Trial bounded(std::string value, double seconds, plan::Figures figures) {
  return {.value = std::move(value),
          .clock = plan::Clock::Computation,
          .seconds = seconds,
          .figures = std::move(figures)};
}

plan::Trial atLeast(std::string value, double seconds) {
  return {.value = std::move(value), .clock = plan::Clock::Bound, .seconds = seconds};
}

plan::Trial infeasible(std::string value, const std::optional<plan::Shortage> &shortage,
                       plan::Figures figures) {
  plan::Trial trial{
      .value = std::move(value), .outcome = plan::Outcome::DoesNotFit, .figures = std::move(figures)};
  if (shortage)
    trial.shortages = {*shortage};
  return trial;
}

void record(Trials &trials, plan::Trial trial) {
  const auto known = std::ranges::find(trials, trial.value, &plan::Trial::value);
  if (known == trials.end())
    trials.push_back(std::move(trial));
  else
    *known = std::move(trial);
}

plan::Reason reasonOf(plan::Decision decision, const std::string &taken, plan::Basis basis, Trials trials) {
  plan::Reason reason{.decision = decision, .taken = taken, .basis = basis, .trials = std::move(trials)};
  const plan::Trial *found = plan::findTrial(reason, taken);
  const double seconds = found ? found->seconds : 0;
  for (plan::Trial &trial : reason.trials) {
    if (trial.value == taken)
      trial.outcome = plan::Outcome::Taken;
    else if (trial.clock != plan::Clock::None)
      trial.outcome = outcomeBeside(seconds, trial.seconds);
  }
  return reason;
}

} // namespace windlass
