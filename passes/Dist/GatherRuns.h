// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatherRuns.h - how long a gathered bucket is kept =====================//
//
// Duty: numbers the runs of uses that one gather serves. A bucket is gathered before its first use and stays:
// one run. A tile does not stay, for its matrix is too large to be whole. Its run ends with the next use of a
// tile at another place; tiles at one place (of both matrices of an MLP, say) are used in one run. A later
// use begins a new run. Call runOfNextUse() in program order.
// Threads, ownership: a value.
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
  /// Of each dimension that is cut: the extent of the whole tensor, and the begin of the tile.
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
