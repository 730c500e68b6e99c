// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of the parameters goes by one collective, and which parameters by none: the part of PlanSearch.h
// that plays other sizes.
#include "compiler/driver/PlanSearch.h"

#include "runtime/plan/ReasonText.h"

using namespace mlir;

namespace windlass {
namespace {

/// From one size to the next.
constexpr int64_t kStep = 4;

auto sizesOf(const Candidate &candidate) { return std::pair(candidate.bucketBytes, candidate.persistence); }

} // namespace

/// Every collective costs its latency, however little it brings: fewer, larger ones save that where there is
/// memory for them; smaller ones begin earlier and leave memory to others.
Status PlanSearch::sizeBuckets(Planned &taken, std::vector<plan::Reason> &reasons) {
  if (training.bucket || !maySizeBuckets(training, taken.candidate, taken.memory))
    return Status::ok();
  const int64_t plain = taken.candidate.bucketBytes;
  std::vector<Candidate> others;
  for (int64_t bytes : {plain * kStep, plain / kStep}) {
    others.push_back(taken.candidate);
    others.back().bucketBytes = std::clamp(bytes, kLeastBucket, kMostBucket);
  }
  return trySizes(taken, others,
                  {plan::Decision::Bucket, " of parameters by one collective",
                   [](const Candidate &candidate) { return candidate.bucketBytes; }},
                  reasons);
}

/// A parameter that stays whole on every rank is not gathered, and takes its memory on each.
Status PlanSearch::keepWhole(Planned &taken, std::vector<plan::Reason> &reasons) {
  const bool restOnDevice = training.paramHome.others.value_or(plan::Tier::Device) == plan::Tier::Device;
  if (training.persistence || !restOnDevice || !maySizeBuckets(training, taken.candidate, taken.memory))
    return Status::ok();
  const int64_t small = smallParameter(layers, machine);
  std::vector<Candidate> others;
  for (int64_t elements : {int64_t(0), small, kStep * small}) {
    others.push_back(taken.candidate);
    others.back().persistence = elements;
  }
  return trySizes(taken, others,
                  {plan::Decision::Persistence, " elements stay whole",
                   [](const Candidate &candidate) { return candidate.persistence; }},
                  reasons);
}

/// Takes the best of `others` where that is worth it, and records what was tried.
Status PlanSearch::trySizes(Planned &taken, const std::vector<Candidate> &others, const Sizes &sizes,
                            std::vector<plan::Reason> &reasons) {
  const Candidate plain = taken.candidate;
  Trials trials = {played(std::to_string(sizes.size(plain)), taken.memory)};
  for (const Candidate &other : others) {
    if (sizesOf(other) == sizesOf(plain))
      continue;
    const std::string value = std::to_string(sizes.size(other));
    progress("planning with " + plan::valueText(sizes.decision, value) + sizes.of);
    const double limit = mostWorthIt(taken.memory);
    Result<Planned> next = planner.plan(other, machine, {.limit = limit});
    if (!next && !cannotFit(next.status()))
      return next.status();
    note(trials, next ? played(value, next->memory) : unfit(value));
    if (next && next->memory.step.seconds <= limit)
      taken = next.take();
  }
  reasons.push_back(reasonOf(sizes.decision, std::to_string(sizes.size(taken.candidate)),
                             plan::Basis::Fastest, std::move(trials)));
  return Status::ok();
}

} // namespace windlass
