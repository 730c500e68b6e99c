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
#include <vector>

namespace windlass::dist {

class GatherRuns {
public:
  /// The run that the next use of `bucket` belongs to.
  int64_t runOfNextUse(const BucketPlan &bucket) {
    if (bucket.zero < 3 || !bucket.isTile())
      return 0;
    Place place = placeOf(bucket.units.front().members.front());
    if (place != current)
      ++run;
    current = std::move(place);
    return run;
  }

private:
  /// Of each dimension that a tile shortens: the extent in the tensor, and where the tile begins there.
  using Place = std::vector<std::pair<int64_t, int64_t>>;

  static Place placeOf(graph::StateOp tile) {
    graph::SliceAttr slice = *tile.getSlice();
    Place place;
    for (auto [extent, whole, begin] :
         llvm::zip_equal(mlir::cast<mlir::ShapedType>(tile.getType()).getShape(),
                         slice.getWhole().asArrayRef(), slice.getBegin().asArrayRef()))
      if (extent != whole)
        place.push_back({whole, begin});
    return place;
  }

  Place current; ///< of the tile used last
  int64_t run = 0;
};

} // namespace windlass::dist
