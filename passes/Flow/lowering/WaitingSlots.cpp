// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/lowering/WaitingSlots.h"

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionOrder.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// An activation checkpoint may rest on any tier, so that its slots are whole blocks of a disk.
bool isCheckpoint(AllocOp alloc) { return alloc.getBufferClass() == BufferClass::Checkpoint; }

/// Erases what no instruction uses any more.
void tidy(SectionOp section) {
  Block &body = section.getBody().front();
  for (auto release : llvm::make_early_inc_range(body.getOps<ReleaseOp>()))
    release.erase();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<ViewOp, AllocOp, UseOp>(op) && op.use_empty())
      op.erase();
  placeReleases(section);
}

} // namespace

WaitingSlots::WaitingSlots(ScheduleOp schedule, int64_t alignment)
    : schedule(schedule), alignment(std::max(alignment, kOperandAlignment)), builder(schedule.getContext()) {}

LogicalResult WaitingSlots::keep(SectionOp section, ArrayRef<WaitingBuffer> waiting) {
  if (homes.empty())
    for (auto [alloc, count] : waiting)
      homes.push_back(declare(alloc, count));
  if (waiting.size() != homes.size())
    return section.emitError() << waiting.size()
                               << " buffers wait for a pass of another run, in the first section "
                               << homes.size();
  for (auto [each, home] : llvm::zip_equal(waiting, homes)) {
    auto [alloc, count] = each;
    builder.setInsertionPoint(alloc);
    const BufferType type = bufferType(alloc.getBuffer());
    if (slotBytes(alloc) != static_cast<int64_t>(home.getBytes()) ||
        count != static_cast<int64_t>(home.getSlots()) || alloc.getBufferClass() != home.getBufferClass())
      return alloc.emitError("waits in '") << home.getSymName() << "', which is of " << typeOf(home);
    auto use = UseOp::create(builder, alloc.getLoc(), typeOf(home), home.getSymName());
    alloc.getBuffer().replaceUsesWithIf(
        ViewOp::create(
            builder, alloc.getLoc(),
            BufferType::get(builder.getContext(), type.getBytes(), bufferType(use.getBuffer()).getTier()),
            use.getBuffer(), 0, ArrayRef<int64_t>()),
        [](OpOperand &operand) { return !isa<ReleaseOp>(operand.getOwner()); });
  }
  tidy(section);
  return success();
}

int64_t WaitingSlots::slotBytes(AllocOp alloc) const {
  return roundUp(bufferType(alloc.getBuffer()).getBytes(),
                 isCheckpoint(alloc) ? std::max(kShardGranule, alignment) : alignment);
}

HomeOp WaitingSlots::declare(AllocOp alloc, int64_t count) {
  builder.setInsertionPoint(schedule);
  const std::string base = alloc.getName().str() + ".slots";
  const int64_t number = names[base]++;
  return HomeOp::create(builder, alloc.getLoc(), number == 0 ? base : base + "." + std::to_string(number),
                        slotBytes(alloc), alloc.getBufferClass(),
                        isCheckpoint(alloc) ? std::optional<Tier>() : tierOf(alloc.getBuffer()),
                        FlatSymbolRefAttr(), graph::RoleAttr(), /*unit=*/-1, /*use=*/0, TypeAttr(),
                        /*offset=*/-1, /*owner=*/-1, count);
}

SectionCopy::SectionCopy(OpBuilder &place, Location location, int64_t advance)
    : builder(place), section(SectionOp::create(builder, location, "copy", advance)) {
  builder.setInsertionPointToEnd(&section.getBody().emplaceBlock());
}

InstructionOpInterface SectionCopy::add(InstructionOpInterface instruction, IRMapping &buffers) {
  clone(instruction, buffers);
  return cast<InstructionOpInterface>(section.getBody().front().back());
}

void SectionCopy::clone(Operation *op, IRMapping &buffers) {
  for (Value operand : op->getOperands())
    if (!buffers.contains(operand))
      clone(operand.getDefiningOp(), buffers);
  auto use = dyn_cast<UseOp>(op);
  if (Value known = use ? uses.lookup(use.getHomeAttr()) : Value())
    return buffers.map(use.getBuffer(), known);
  builder.clone(*op, buffers);
  if (use)
    uses[use.getHomeAttr()] = buffers.lookup(use.getBuffer());
}

SectionOp SectionCopy::finish() {
  placeReleases(section);
  return section;
}

} // namespace windlass::flow
