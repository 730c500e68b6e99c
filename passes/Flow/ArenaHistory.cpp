#include "passes/Flow/ArenaHistory.h"

using namespace mlir;

namespace windlass::flow {

int64_t ArenaHistory::arenaOffset(Value root) const {
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return alloc.getOffset();
  return homes.of(root.getDefiningOp<UseOp>()).getOffset();
}

void ArenaHistory::access(InstructionOpInterface op, uint32_t who, int64_t ranks,
                          AccessHistory::OnConflict onConflict) {
  for (bool writes : {false, true})
    for (Value buffer : writes ? op.getWrites() : op.getReads()) {
      BufferRange range = resolveBuffer(buffer);
      int64_t begin = arenaOffset(range.root) + range.offset;
      int64_t end = begin + range.bytes + range.stride * (ranks - 1);
      tiers[static_cast<size_t>(bufferType(range.root).getTier())].access(begin, end, writes, who,
                                                                          onConflict);
    }
}

} // namespace windlass::flow
