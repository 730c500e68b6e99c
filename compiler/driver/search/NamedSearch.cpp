// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/search/NamedSearch.h"

#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "compiler/driver/inputs/CheckDecisions.h"
#include "compiler/driver/search/Neighbours.h"
#include "planning/Tolerances.h"
#include <algorithm>

namespace windlass {
namespace {

/// Whether `asked` leaves open what a strategy with a name decides: the zero stage, or the home of a class.
bool isOpen(const plan::Reason &reason, const TrainingOptions &asked) {
  if (reason.decision == plan::Decision::ZeroStage)
    return !asked.zeroStage.others;
  return reason.decision == plan::Decision::Placement &&
         std::ranges::any_of(homesByClass(asked), [&](const auto &cls) {
           return plan::textOf(cls.first) == reason.subject && !cls.second->others;
         });
}

} // namespace

Result<std::string> NamedSearch::run(Planned &best, const std::vector<PlanSearch::Finding> &findings,
                                     double least, const std::string &found) {
  std::string fastest = found;
  Trials trials = {simulated(fastest, best.memory)};
  for (const NamedStrategy &named : namedStrategies()) {
    const std::string name(named.name);
    const std::optional<TrainingOptions> options = optionsOf(named);
    if (!options)
      continue;
    if (size.layers > PlanSearch::kMostSearchedAgain &&
        isOf(takenDecisions(taken, best.candidate, best.memory, best.layers), named.decisions)) {
      record(trials, simulated(name, best.memory)); // the plan that was found is this strategy's
      continue;
    }
    request.progress("planning as " + name + " does");
    Result<Rival> rival = planAs(*options, findings, best.memory);
    if (!rival)
      return rival.status();
    std::optional<Planned> &next = rival->planned;
    record(trials, next                 ? simulated(name, next->memory)
                   : rival->seconds > 0 ? atLeast(name, rival->seconds)
                                        : infeasible(name));
    if (!next || next->memory.isSlow || !isBetter(next->memory, best.memory))
      continue;
    fastest = name;
    best = std::move(*next);
    for (plan::Reason &reason : best.reasons)
      if (reason.basis == plan::Basis::Asked && isOpen(reason, asked))
        reason.basis = plan::Basis::Strategy;
    taken = *options;
  }
  const plan::Basis basis = trials.size() > 1 ? plan::Basis::Fastest : plan::Basis::Asked;
  best.reasons.push_back(reasonOf(plan::Decision::Strategy, fastest, basis, std::move(trials)));
  if (least > 0)
    best.reasons.back().figures = {{plan::Figure::Gap, std::max(best.memory.step.seconds / least - 1, 0.0)}};
  return fastest;
}

std::optional<TrainingOptions> NamedSearch::optionsOf(const NamedStrategy &named) const {
  const std::optional<Decisions> decisions = completedBy(asked, named.decisions);
  if (!decisions || *decisions == asked || !hasHomes(*decisions))
    return std::nullopt;
  TrainingOptions options = asked;
  static_cast<Decisions &>(options) = *decisions;
  return checkDecisions(options, request.training) ? std::optional(options) : std::nullopt;
}

/// Whether the machine has all tiers that the decisions name as homes.
bool NamedSearch::hasHomes(const Decisions &decisions) const {
  return std::ranges::all_of(homesByClass(decisions), [&](const auto &cls) {
    return cls.second->others != plan::Tier::Nvme || machine.has(plan::Tier::Nvme);
  });
}

Result<NamedSearch::Rival> NamedSearch::planAs(const TrainingOptions &options,
                                               const std::vector<PlanSearch::Finding> &findings,
                                               const flow::MemoryPlan &best) {
  const double limit = best.step.seconds;
  Levels levels(options, machine, target, "", reproducer);
  CandidatePlanner planner(options, levels, graphs);
  const PlanSearch::Progress silent = [](const std::string &) {};
  Result<bool> mayFit = FeasibilityCandidates::anyMayFit(options, size, planner, machine);
  if (!mayFit || !*mayFit)
    return mayFit ? Result<Rival>(Rival()) : Result<Rival>(mayFit.status());
  PlanSearch search(options, machine, size, planner, silent);
  if (const double least = search.leastSeconds(PlanSearch::Lower::Few);
      least > limit * (1 + planning::kNearly))
    return Rival{std::nullopt, least};
  Result<Planned> planned = search.runWith(findings, limit, best.waiting);
  if (!planned && !cannotFit(planned.status()))
    return planned.status();
  return planned ? Rival{planned.take()} : Rival();
}

} // namespace windlass
