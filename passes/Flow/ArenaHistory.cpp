// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/ArenaHistory.h"

using namespace mlir;

namespace windlass::flow {

int64_t ArenaHistory::arenaOffset(Value root) const {
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return alloc.getOffset();
  return homes.of(root.getDefiningOp<UseOp>()).getOffset();
}

void ArenaHistory::access(InstructionOpInterface op, uint32_t who, ArrayRef<int64_t> mesh,
                          AccessHistory::OnConflict onConflict) {
  for (bool writes : {false, true})
    for (Value buffer : writes ? op.getWrites() : op.getReads()) {
      BufferRange range = resolveBuffer(buffer);
      int64_t begin = arenaOffset(range.root) + range.offset;
      int64_t end = begin + range.bytes;
      for (auto [stride, ranks] : llvm::zip(range.strides, mesh))
        end += stride * (ranks - 1);
      size_t tier = static_cast<size_t>(bufferType(range.root).getTier());
      bool isOwned = range.root.getDefiningOp<UseOp>() && ownerOf(range.root) >= 0;
      AccessHistory &history = isOwned ? owned[{tier, ownerOf(range.root)}] : tiers[tier];
      history.access(begin, end, writes, who, onConflict);
    }
}

} // namespace windlass::flow
