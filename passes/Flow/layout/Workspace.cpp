// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/Workspace.h"

#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/layout/AllocateBuffers.h"
#include <algorithm>

using namespace mlir;

namespace windlass::flow {
namespace {

/// Bytes of the inputs of an update that are live at one time.
int64_t chunkBytes(UpdateOp update, int64_t chunkElements) {
  int64_t elements = 0, width = 0;
  for (int64_t piece : update.getPieces())
    elements += piece;
  for (auto [i, bytes] : llvm::enumerate(update.getElementBytes()))
    width += static_cast<int64_t>(i) < static_cast<int64_t>(update.getNumInputs()) ? bytes : 0;
  return std::min(elements, chunkElements) * width;
}

} // namespace

int64_t checkpointBytes(ModuleOp module) {
  int64_t most = 0;
  for (auto section : module.getOps<SectionOp>()) {
    int64_t mine = 0;
    for (auto alloc : section.getBody().front().getOps<AllocOp>())
      if (alloc.getBufferClass() == BufferClass::Checkpoint)
        mine += bufferType(alloc.getBuffer()).getBytes();
    most = std::max(most, mine);
  }
  return most;
}

Result<TierBytes> workspaceOf(ModuleOp module, ModuleOp onDevice) {
  TierBytes bytes{};
  for (auto home :
       module.getOps<HomeOp>()) // with a tier from the start: library scratch, what waits in slots
    if (home.getTier())
      bytes[static_cast<size_t>(*home.getTier())] += heldBytes(home);
  BufferAllocator allocator(onDevice, 0); // a bound of any device; what one asks beyond that, rounds find
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
    Result<ArenaUse> arena = allocator.allocate(tier, Lifetimes::ByOrder);
    if (!arena)
      return arena.status();
    bytes[static_cast<size_t>(tier)] += arena->buffers;
  }
  bytes[0] = std::max<int64_t>(0, bytes[0] - checkpointBytes(onDevice));
  return bytes;
}

TierBytes prefetchBytes(ModuleOp module, const planning::Credits &ahead, int64_t chunkElements) {
  if (ahead == planning::Credits{0, 0, 0})
    return {};
  std::vector<int64_t> gathered;
  int64_t chunk = 0;
  for (auto section : module.getOps<SectionOp>())
    for (Operation &op : section.getBody().front()) {
      if (auto gather = dyn_cast<CollectiveOpInterface>(op); gather && gather.bringsUnits()) {
        int64_t bytes = bufferType(gather.getShard()).getBytes();
        for (Value unit : gather.getUnits())
          bytes += isOfOneRank(gather) ? 0 : bufferType(unit).getBytes();
        gathered.push_back(bytes);
      }
      if (auto update = dyn_cast<UpdateOp>(op))
        chunk = std::max(chunk, chunkBytes(update, chunkElements));
    }
  TierBytes bytes{0, (ahead.nc + 1) * chunk, 0};
  if (!gathered.empty()) {
    auto middle = gathered.begin() + static_cast<ptrdiff_t>(gathered.size() / 2);
    std::nth_element(gathered.begin(), middle, gathered.end());
    bytes[0] = ahead.gg * *middle;
  }
  return bytes;
}

} // namespace windlass::flow
