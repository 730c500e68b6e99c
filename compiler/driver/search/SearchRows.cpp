// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of PlanSearch.h that searches decisions of tensor-parallel ranks: whether each rank computes all
// rows between two split operations, whether gathered inputs stay for the backward pass, and whether each
// rank keeps whole activation checkpoints.

#include "compiler/driver/search/Neighbours.h"
#include "compiler/driver/search/PlanSearch.h"

namespace windlass {

/// Plans a candidate that takes more memory. It becomes the incumbent if its plan is acceptable.
Result<plan::Trial> PlanSearch::tryFaster(Planned &incumbent, const Candidate &candidate,
                                          const std::string &value) {
  const double limit = acceptableSeconds(incumbent.memory);
  Result<Planned> next =
      planner.plan(candidate, machine, {.limit = limit, .waiting = incumbent.memory.waiting});
  if (!next && !cannotFit(next.status()))
    return next.status();
  if (!next)
    return infeasible(value);
  plan::Trial trial = simulated(value, next->memory);
  if (!next->memory.isSlow && next->memory.step.seconds <= limit)
    incumbent = next.take();
  return trial;
}

/// Tries the other value of a decision, which takes more memory than the incumbent's, if the value is left
/// open and layers have all activations that the incumbent keeps. Records the reason.
Status PlanSearch::searchOther(Planned &incumbent, std::vector<plan::Reason> &reasons, const TwoWays &ways) {
  const auto wordOf = [&](const Candidate &candidate) {
    return std::string(ways.isTrueOf(candidate) ? "true" : "false");
  };
  Trials trials = {simulated(wordOf(incumbent.candidate), incumbent.memory)};
  if (ways.other && !ways.isAsked && !incumbent.memory.isSlow && planner.hasKept(*ways.other)) {
    progress(ways.progress);
    Result<plan::Trial> trial = tryFaster(incumbent, *ways.other, wordOf(*ways.other));
    WINDLASS_TRY(trial.status());
    record(trials, trial.take());
  }
  const plan::Basis basis = ways.isAsked ? plan::Basis::Asked : plan::Basis::Fastest;
  reasons.push_back(reasonOf(ways.decision, wordOf(incumbent.candidate), basis, std::move(trials)));
  return Status::ok();
}

/// Tries values of three decisions that take more memory and spare gathers in the backward pass: all rows on
/// every rank, inputs that stay gathered (in a repeated layer they take memory only while it is repeated),
/// and whole checkpoints.
Status PlanSearch::searchRows(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (training.tensorRanks == 1)
    return Status::ok();
  Candidate whole = incumbent.candidate;
  whole.wholeRows = true;
  whole.keepsInputs = false;
  whole.partsCheckpoints = training.checkpointPartition.value_or(false);
  WINDLASS_TRY(searchOther(incumbent, reasons,
                           {plan::Decision::SequenceParallel, training.sequenceParallel.has_value(),
                            "planning with all rows on every tensor rank", whole,
                            [](const Candidate &candidate) { return !candidate.wholeRows; }}));
  if (!incumbent.candidate.wholeRows) {
    Candidate kept = incumbent.candidate;
    kept.keepsInputs = true;
    return searchOther(incumbent, reasons,
                       {plan::Decision::ReshardActivations, training.reshardActivations.has_value(),
                        "planning with gathered rows kept for the backward pass", kept,
                        [](const Candidate &candidate) { return !candidate.keepsInputs; }});
  }
  if (!incumbent.candidate.recompute.mayMakeCheckpoints())
    return Status::ok();
  std::optional<Candidate> unparted;
  if (incumbent.candidate.partsCheckpoints) {
    unparted = incumbent.candidate;
    unparted->partsCheckpoints = false;
  }
  return searchOther(incumbent, reasons,
                     {plan::Decision::CheckpointPartition, training.checkpointPartition.has_value(),
                      "planning with whole activation checkpoints on every tensor rank", unparted,
                      [](const Candidate &candidate) { return candidate.partsCheckpoints; }});
}

} // namespace windlass
