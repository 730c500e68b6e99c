// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/waits/ArenaHistory.h"

using namespace mlir;

namespace windlass::flow {

int64_t ArenaHistory::arenaOffset(Value root) const {
  if (buffers == Buffers::Apart)
    return 0;
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return alloc.getOffset();
  return homes.of(root.getDefiningOp<UseOp>()).getOffset();
}

AccessHistory &ArenaHistory::historyOf(Value root) {
  auto use = root.getDefiningOp<UseOp>();
  if (buffers == Buffers::Apart)
    return apart[use ? homes.of(use).getOperation() : root.getDefiningOp()];
  const size_t tier = static_cast<size_t>(tierOf(root));
  return use && ownerOf(root) >= 0 ? owned[{tier, ownerOf(root)}] : tiers[tier];
}

void ArenaHistory::access(InstructionOpInterface op, uint32_t who, int64_t first, ArrayRef<int64_t> mesh,
                          AccessHistory::OnConflict onConflict) {
  for (bool writes : {false, true})
    for (Value buffer : writes ? op.getWrites() : op.getReads()) {
      BufferRange range = resolveAccess(op, buffer, first);
      int64_t begin = arenaOffset(range.root) + range.offset;
      int64_t end = begin + range.bytes;
      for (auto [stride, ranks] : llvm::zip(range.strides, mesh))
        end += stride * (ranks - 1);
      historyOf(range.root).access(begin, end, writes, who, onConflict);
    }
}

} // namespace windlass::flow
