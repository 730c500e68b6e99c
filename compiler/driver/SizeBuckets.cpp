// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of the parameters goes by one collective, and which parameters by none: the part of PlanSearch.h
// that plays other sizes.
#include "compiler/driver/PlanSearch.h"

#include "runtime/base/Units.h"

using namespace mlir;

namespace windlass {
namespace {

/// From one size to the next.
constexpr int64_t kStep = 4;

auto sizesOf(const Candidate &candidate) { return std::pair(candidate.bucketBytes, candidate.persistence); }

} // namespace

/// Every collective costs its latency, however little it brings: fewer, larger ones save that where there is
/// memory for them; smaller ones begin earlier and leave memory to others.
Status PlanSearch::sizeBuckets(Taken &taken) {
  if (training.bucket || !maySizeBuckets(training, taken.planned.candidate, taken.planned.memory))
    return Status::ok();
  const int64_t plain = taken.planned.candidate.bucketBytes;
  std::vector<Candidate> others;
  for (int64_t bytes : {plain * kStep, plain / kStep}) {
    others.push_back(taken.planned.candidate);
    others.back().bucketBytes = std::clamp(bytes, kLeastBucket, kMostBucket);
  }
  return trySizes(taken, others,
                  {"bucket", " of parameters by one collective",
                   [](const Candidate &candidate) { return formatBytes(candidate.bucketBytes); }});
}

/// A parameter that stays whole on every rank is not gathered, and takes its memory on each.
Status PlanSearch::keepWhole(Taken &taken) {
  const bool restOnDevice = training.paramHome.others.value_or(plan::Tier::Device) == plan::Tier::Device;
  if (training.persistence || !restOnDevice ||
      !maySizeBuckets(training, taken.planned.candidate, taken.planned.memory))
    return Status::ok();
  const int64_t small = smallParameter(layers, machine);
  std::vector<Candidate> others;
  for (int64_t elements : {int64_t(0), small, kStep * small}) {
    others.push_back(taken.planned.candidate);
    others.back().persistence = elements;
  }
  return trySizes(taken, others, {"persistence", " elements stay whole", [](const Candidate &candidate) {
                                    return "parameters of up to " + std::to_string(candidate.persistence);
                                  }});
}

/// Takes the best of `others` where that is worth it, and says of `decision` what was tried.
Status PlanSearch::trySizes(Taken &taken, const std::vector<Candidate> &others, const Sizes &sizes) {
  const Candidate plain = taken.planned.candidate;
  std::string tried = sizes.describe(plain) + ": " + takes(taken.planned.memory);
  for (const Candidate &other : others) {
    if (sizesOf(other) == sizesOf(plain))
      continue;
    progress("planning with " + sizes.describe(other) + sizes.of);
    const double limit = mostWorthIt(taken.planned.memory);
    Result<Planned> next = planner.plan(other, machine, {.limit = limit, .explains = false});
    if (!next && !cannotFit(next.status()))
      return next.status();
    tried += "; " + sizes.describe(other) + ": " + (next ? takes(next->memory) : "does not fit");
    if (next && next->memory.step.seconds <= limit)
      taken.planned = next.take();
  }
  taken.sizesTried[sizes.decision] = sizes.describe(taken.planned.candidate) + sizes.of + "; " + tried;
  return Status::ok();
}

} // namespace windlass
