// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Step/StepCounts.h"

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

} // namespace windlass::planning
