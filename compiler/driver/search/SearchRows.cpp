// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PlanSearch's neighbour in which ranks that share out operations compute all rows between two of them.

#include "compiler/driver/search/Neighbours.h"
#include "compiler/driver/search/PlanSearch.h"

namespace windlass {

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
    const double limit = acceptableSeconds(incumbent.memory);
    Result<Planned> next = planner.plan(whole, machine, {.limit = limit});
    if (!next && !cannotFit(next.status()))
      return next.status();
    record(trials, next ? simulated(wordOf(whole), next->memory) : infeasible(wordOf(whole)));
    if (next && next->memory.step.seconds <= limit)
      incumbent = next.take();
  }
  const plan::Basis basis = training.sequenceParallel ? plan::Basis::Asked : plan::Basis::Fastest;
  reasons.push_back(
      reasonOf(plan::Decision::SequenceParallel, wordOf(incumbent.candidate), basis, std::move(trials)));
  return Status::ok();
}

} // namespace windlass
