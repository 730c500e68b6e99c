// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatherRuns.h - how long a gathered bucket is kept ===================//
//
// Duty: numbers the runs of uses that one gather serves. A bucket is gathered before its first use and kept.
// But a tile is there because the whole is too large to be: it is kept while uses are of tiles at its place
// (of the matrices on both sides of an MLP, say), and gathered again when they come back to it. Uses are
// asked about in program order. Threads, ownership: a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"
#include <utility>

namespace windlass::dist {

class GatherRuns {
public:
  /// The run that the next use of `bucket` belongs to.
  int64_t runOfNextUse(const BucketPlan &bucket) {
    if (bucket.zero < 3 || !bucket.isTile())
      return 0;
    graph::StateOp tile = bucket.units.front().members.front();
    graph::SliceAttr slice = *tile.getSlice();
    std::pair<int64_t, int64_t> place = {slice.getWhole()[slice.getAxis()], slice.getBegin()};
    if (place != std::exchange(current, place))
      ++run;
    return run;
  }

private:
  std::pair<int64_t, int64_t> current; ///< of the tile used last: extent of what is cut, and its begin there
  int64_t run = 0;
};

} // namespace windlass::dist
