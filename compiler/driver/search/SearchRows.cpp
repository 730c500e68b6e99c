// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PlanSearch's neighbours in which ranks that share out operations compute all rows between two of them, keep
// all rows that they gathered for one, or keep all that a layer keeps to repeat itself.

#include "compiler/driver/search/Neighbours.h"
#include "compiler/driver/search/PlanSearch.h"

namespace windlass {

/// The trial of a candidate that takes more memory, which becomes the incumbent where that is worth it.
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

/// Rows that each rank keeps for itself take less memory, but are gathered again for the backward pass.
Status PlanSearch::searchRows(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (training.tensorRanks == 1)
    return Status::ok();
  const auto wordOf = [](const Candidate &candidate) {
    return std::string(candidate.wholeRows ? "false" : "true");
  };
  Trials trials = {simulated(wordOf(incumbent.candidate), incumbent.memory)};
  if (!training.sequenceParallel && !incumbent.memory.isSlow) {
    progress("planning with all rows on every tensor rank");
    Candidate whole = incumbent.candidate;
    whole.wholeRows = true;
    whole.keepsInputs = false;
    whole.partsCheckpoints = training.checkpointPartition.value_or(false);
    Result<plan::Trial> trial = tryFaster(incumbent, whole, wordOf(whole));
    WINDLASS_TRY(trial.status());
    record(trials, trial.take());
  }
  const plan::Basis basis = training.sequenceParallel ? plan::Basis::Asked : plan::Basis::Fastest;
  reasons.push_back(
      reasonOf(plan::Decision::SequenceParallel, wordOf(incumbent.candidate), basis, std::move(trials)));
  WINDLASS_TRY(searchInputs(incumbent, reasons));
  return searchCheckpoints(incumbent, reasons);
}

/// Inputs of operations that stay gathered take memory; in a layer that is repeated, only while it is.
Status PlanSearch::searchInputs(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (incumbent.candidate.wholeRows)
    return Status::ok();
  const auto wordOf = [](const Candidate &candidate) {
    return std::string(candidate.keepsInputs ? "false" : "true");
  };
  Trials trials = {simulated(wordOf(incumbent.candidate), incumbent.memory)};
  if (!training.reshardActivations && !incumbent.memory.isSlow) {
    progress("planning with gathered rows kept for the backward pass");
    Candidate kept = incumbent.candidate;
    kept.keepsInputs = true;
    Result<plan::Trial> trial = tryFaster(incumbent, kept, wordOf(kept));
    WINDLASS_TRY(trial.status());
    record(trials, trial.take());
  }
  const plan::Basis basis = training.reshardActivations ? plan::Basis::Asked : plan::Basis::Fastest;
  reasons.push_back(
      reasonOf(plan::Decision::ReshardActivations, wordOf(incumbent.candidate), basis, std::move(trials)));
  return Status::ok();
}

/// Parts of checkpoints take less memory, but are gathered for the backward pass.
Status PlanSearch::searchCheckpoints(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (!incumbent.candidate.wholeRows || !incumbent.candidate.recompute.mayMakeCheckpoints())
    return Status::ok();
  const auto wordOf = [](const Candidate &candidate) {
    return std::string(candidate.partsCheckpoints ? "true" : "false");
  };
  Trials trials = {simulated(wordOf(incumbent.candidate), incumbent.memory)};
  if (!training.checkpointPartition && incumbent.candidate.partsCheckpoints && !incumbent.memory.isSlow) {
    progress("planning with whole activation checkpoints on every tensor rank");
    Candidate whole = incumbent.candidate;
    whole.partsCheckpoints = false;
    Result<plan::Trial> trial = tryFaster(incumbent, whole, wordOf(whole));
    WINDLASS_TRY(trial.status());
    record(trials, trial.take());
  }
  const plan::Basis basis = training.checkpointPartition ? plan::Basis::Asked : plan::Basis::Fastest;
  reasons.push_back(
      reasonOf(plan::Decision::CheckpointPartition, wordOf(incumbent.candidate), basis, std::move(trials)));
  return Status::ok();
}

} // namespace windlass
