// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Step/StepCounts.h"

#include <algorithm>
#include <cmath>

namespace windlass::planning {

StepCounts extended(const StepCounts &few, const StepCounts &more, int64_t layers) {
  const auto along = [layers](auto from, auto next) {
    return from + (next - from) * static_cast<decltype(from)>(layers);
  };
  StepCounts all;
  all.working = along(few.working, more.working);
  for (size_t cls = 0; cls < all.resting.size(); ++cls)
    all.resting[cls] = along(few.resting[cls], more.resting[cls]);
  all.compute = along(few.compute, more.compute);
  for (size_t lane = 0; lane < all.busy.size(); ++lane)
    all.busy[lane] = along(few.busy[lane], more.busy[lane]);
  return all;
}

StepCounts between(const StepCounts &none, const StepCounts &all, const StepCounts &others, double share) {
  StepCounts some;
  some.working = std::max(std::min(none.working, all.working), others.working);
  for (size_t cls = 0; cls < some.resting.size(); ++cls)
    some.resting[cls] = std::min(none.resting[cls], all.resting[cls]);
  some.compute = std::lerp(none.compute, all.compute, share);
  for (size_t lane = 0; lane < some.busy.size(); ++lane)
    some.busy[lane] = std::lerp(none.busy[lane], all.busy[lane], share);
  return some;
}

StepCounts ofFullestStage(const StepCounts &all, int64_t stages) {
  StepCounts mean;
  mean.working = all.working / stages;
  for (size_t cls = 0; cls < all.resting.size(); ++cls)
    mean.resting[cls] = all.resting[cls] / stages;
  return mean;
}

} // namespace windlass::planning
