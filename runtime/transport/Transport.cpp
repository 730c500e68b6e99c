// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/Transport.h"

namespace windlass {

int64_t bytesOfPieces(std::span<const WholeTensor> whole) {
  int64_t bytes = 0;
  for (const WholeTensor &tensor : whole)
    bytes += tensor.pieceBytes;
  return bytes;
}

Status checkShard(std::span<const WholeTensor> whole, size_t shard) {
  const int64_t pieces = bytesOfPieces(whole);
  return pieces <= static_cast<int64_t>(shard)
             ? Status::ok()
             : Status::internal("pieces of " + std::to_string(pieces) + " bytes exceed a shard of " +
                                std::to_string(shard));
}

} // namespace windlass
