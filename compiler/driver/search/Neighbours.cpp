// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/search/Neighbours.h"

#include "passes/Flow/waits/Schedules.h"
#include "planning/Tolerances.h"
#include "llvm/ADT/STLExtras.h"

namespace windlass {
namespace {

/// The most micro-batches, and the most instructions, of a vertical plan that is made in seconds.
constexpr int64_t kMostMicroBatches = 16, kMostInstructions = 20'000;

bool deviceWaits(const flow::MemoryPlan &plan) {
  return plan.computeSeconds <= plan.step.seconds * (1 - planning::kWaitingShare);
}

bool gathersParameters(const TrainingOptions &training, const Candidate &candidate) {
  return candidate.zero == 3 && training.dataRanks > 1;
}

} // namespace

bool mayGainFromVertical(const TrainingOptions &training, const Candidate &candidate,
                         const flow::MemoryPlan &horizontal, mlir::ModuleOp planned) {
  if (training.stages > 1) // each of a pipeline's micro-batches has runs of its own
    return false;
  if (training.microBatchOrder != MicroBatchOrder::Auto || training.microBatches < 2 ||
      training.microBatches > kMostMicroBatches)
    return false;
  auto restsOnDevice = [&](plan::PlacementClass cls) {
    auto found = horizontal.homes.find(cls);
    return found == horizontal.homes.end() || flow::allOnDevice({*found});
  };
  if (!gathersParameters(training, candidate) && restsOnDevice(plan::PlacementClass::Param) &&
      restsOnDevice(plan::PlacementClass::Grad))
    return false;
  if (!deviceWaits(horizontal))
    return false;
  auto step = flow::trainingSchedule(planned);
  return !step.empty() &&
         llvm::range_size(step.front().first.getBody().front()) * training.microBatches < kMostInstructions;
}

bool mayGainFromKeepingGathered(const TrainingOptions &training, const Candidate &candidate,
                                const flow::MemoryPlan &plan) {
  const Flags &reshard = training.reshardAfterForward;
  const bool isOpen = !reshard.others || llvm::any_of(reshard.of, [](auto &named) { return !named.second; });
  return isOpen && gathersParameters(training, candidate) && deviceWaits(plan);
}

bool mayGainFromBucketSizes(const TrainingOptions &training, const Candidate &candidate,
                            const flow::MemoryPlan &plan) {
  return gathersParameters(training, candidate) && namesNoBucket(training) && deviceWaits(plan);
}

double acceptableSeconds(const flow::MemoryPlan &plain) {
  return plain.step.seconds * (1 - planning::kWorthMemory);
}

double worthwhileSeconds(const flow::MemoryPlan &plan) {
  return plan.step.disk > 0 ? plan.step.seconds : plan.step.seconds * (1 - planning::kNearly);
}

bool isBetter(const flow::MemoryPlan &plan, const flow::MemoryPlan &other) {
  return plan.isSlow == other.isSlow ? plan.step.isBetter(other.step) : other.isSlow;
}

} // namespace windlass
