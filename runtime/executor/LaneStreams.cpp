// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/LaneStreams.h"

namespace windlass {

Result<LaneStreams> makeLaneStreams(const Storage &storage) {
  const plan::RankSet ranks = storage.ranks();
  LaneStreams streams(ranks.size());
  for (int64_t rank : ranks)
    for (plan::Lane lane :
         {plan::Lane::Compute, plan::Lane::Gg, plan::Lane::Nodes, plan::Lane::CgIn, plan::Lane::CgOut,
          plan::Lane::ActOut, plan::Lane::ActIn, plan::Lane::GradOut, plan::Lane::GradIn}) {
      Result<std::unique_ptr<Stream>> stream = storage.device(rank).makeStream(kStreamDepth);
      if (!stream)
        return stream.status().in("rank " + std::to_string(rank) + ", " + std::string(textOf(lane)));
      streams[ranks.placeOf(rank)][static_cast<size_t>(lane)] = stream.take();
    }
  return streams;
}

} // namespace windlass
