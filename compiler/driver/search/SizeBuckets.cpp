// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of PlanSearch.h that searches the bytes of a bucket, and the largest parameter that stays whole.
#include "compiler/driver/search/PlanSearch.h"

#include "compiler/driver/search/Neighbours.h"
#include "runtime/plan/text/ReasonText.h"

using namespace mlir;

namespace windlass {
namespace {

/// Neighbouring sizes differ by this factor.
constexpr int64_t kFactor = 4;

auto sizesOf(const Candidate &candidate) { return std::pair(candidate.bucketBytes, candidate.persistence); }

} // namespace

/// The sizes and rows with which collectives between ranks take least, of all that are tried. Rows of their
/// own that stay gathered move no more than all rows on every rank.
void PlanSearch::takeLeastGathered(Candidate &candidate) const {
  if (!training.bucket)
    candidate.bucketBytes = std::clamp(candidate.bucketBytes * kFactor, kLeastBucket, kMostBucket);
  if (!training.persistence && mayStayWhole())
    candidate.persistence = std::max(candidate.persistence, kFactor * smallParameter(size.layers, machine));
  if (!training.reshardAfterForward.others)
    candidate.keptGathered = {kEveryBucket};
  if (triesBothOrders() && training.microBatches <= kMostVertical)
    candidate.order = MicroBatchOrder::Vertical;
  if (training.tensorRanks == 1) // another graph would be lowered for the same exchanges
    return;
  if (!candidate.wholeRows && (!training.sequenceParallel || !training.reshardActivations))
    candidate.keepsInputs = true;
  if (!training.checkpointPartition)
    candidate.partsCheckpoints = false;
}

/// Tries larger and smaller buckets. A collective has a latency, whatever its bytes: larger buckets have
/// fewer latencies; smaller buckets begin earlier and take less memory.
Status PlanSearch::sizeBuckets(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (training.bucket || !mayGainFromBucketSizes(training, incumbent.candidate, incumbent.memory))
    return Status::ok();
  const int64_t plain = incumbent.candidate.bucketBytes;
  std::vector<Candidate> neighbours;
  for (int64_t bytes : {plain * kFactor, plain / kFactor}) {
    neighbours.push_back(incumbent.candidate);
    neighbours.back().bucketBytes = std::clamp(bytes, kLeastBucket, kMostBucket);
  }
  return trySizes(incumbent, neighbours,
                  {plan::Decision::Bucket, " of parameters by one collective",
                   [](const Candidate &candidate) { return candidate.bucketBytes; }},
                  reasons);
}

bool PlanSearch::mayStayWhole() const {
  return training.dataRanks > 1 && // one rank has every parameter whole
         training.paramHome.others.value_or(plan::Tier::Device) == plan::Tier::Device;
}

/// Tries other sizes under which a parameter stays whole. A whole parameter is not gathered, and takes its
/// memory on every rank.
Status PlanSearch::sizePersistence(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (training.persistence || !mayStayWhole() ||
      !mayGainFromBucketSizes(training, incumbent.candidate, incumbent.memory))
    return Status::ok();
  const int64_t small = smallParameter(size.layers, machine);
  std::vector<Candidate> neighbours;
  for (int64_t elements : {int64_t(0), small, kFactor * small}) {
    neighbours.push_back(incumbent.candidate);
    neighbours.back().persistence = elements;
  }
  return trySizes(incumbent, neighbours,
                  {plan::Decision::Persistence, " elements stay whole",
                   [](const Candidate &candidate) { return candidate.persistence; }},
                  reasons);
}

/// An acceptable neighbour becomes the incumbent. Records all trials.
Status PlanSearch::trySizes(Planned &incumbent, const std::vector<Candidate> &neighbours,
                            const SizeDecision &sizes, std::vector<plan::Reason> &reasons) {
  const Candidate plain = incumbent.candidate;
  Trials trials = {simulated(std::to_string(sizes.size(plain)), incumbent.memory)};
  for (const Candidate &neighbour : neighbours) {
    if (sizesOf(neighbour) == sizesOf(plain))
      continue;
    const std::string value = std::to_string(sizes.size(neighbour));
    progress("planning with " + plan::valueText(sizes.decision, value) + sizes.unit);
    Result<bool> isAlike = planner.areAlike(neighbour, incumbent.candidate, machine);
    if (!isAlike)
      return isAlike.status();
    if (*isAlike) { // no tensor is of a size between the two
      record(trials, simulated(value, incumbent.memory));
      continue;
    }
    const double limit = acceptableSeconds(incumbent.memory);
    Result<Planned> next =
        planner.plan(neighbour, machine, {.limit = limit, .waiting = incumbent.memory.waiting});
    if (!next && !cannotFit(next.status()))
      return next.status();
    record(trials, next ? simulated(value, next->memory) : infeasible(value));
    if (next && !next->memory.isSlow && next->memory.step.seconds <= limit)
      incumbent = next.take();
  }
  reasons.push_back(reasonOf(sizes.decision, std::to_string(sizes.size(incumbent.candidate)),
                             plan::Basis::Fastest, std::move(trials)));
  return Status::ok();
}

} // namespace windlass
