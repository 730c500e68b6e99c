// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/LaneStreams.h"

namespace windlass {

Result<LaneStreams> makeLaneStreams(const Storage &storage, int64_t ranks) {
  LaneStreams streams(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (plan::Lane lane :
         {plan::Lane::Compute, plan::Lane::Gg, plan::Lane::Nodes, plan::Lane::CgIn, plan::Lane::CgOut}) {
      Result<std::unique_ptr<Stream>> stream = storage.device(rank).makeStream(kStreamDepth);
      if (!stream)
        return stream.status().in("rank " + std::to_string(rank) + ", " + std::string(textOf(lane)));
      streams[rank][static_cast<size_t>(lane)] = stream.take();
    }
  return streams;
}

} // namespace windlass
