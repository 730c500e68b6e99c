// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of a section: how whole units and reduced shards are added up, and the slots of the norm.

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionLowering.h"

using namespace mlir;

namespace windlass::flow {

/// The shard from which further reduce-scatters, over finer axes, cut `shard` down to parts of so many
/// elements.
static Value partsOf(Value shard, int64_t elements) {
  while (tensorOf(shard).getNumElements() != elements) {
    Operation *next = *shard.getUsers().begin();
    if (auto split = dyn_cast<dist::UnpackOp>(next))
      next = *split.getMembers().front().getUsers().begin();
    shard = cast<dist::ReduceScatterOp>(next).getShard();
  }
  return shard;
}

/// The part that this rank cuts out of a sum that was gathered whole on every rank. Null: the sum is not
/// gathered.
static Value ownPartBehind(Value parts) {
  for (Operation *user : parts.getUsers()) {
    if (auto own = dyn_cast<dist::OwnShardOp>(user))
      return own.getShard();
    if (isa<dist::AllGatherOp, dist::PackOp>(user))
      if (Value own = ownPartBehind(user->getResult(0)))
        return own;
  }
  return Value();
}

void SectionLowering::findReduced(graph::MicroBatchesOp micro, Frame &frame) {
  for (Accumulator accumulator : accumulatorsOf(micro, symbols)) {
    if (accumulator.unit != 0)
      continue;
    for (Operation *user : accumulator.sum.getUsers()) {
      auto reduce = dyn_cast<dist::ReduceScatterOp>(user);
      if (!reduce)
        continue;
      Value shard = partsOf(reduce.getShard(), accumulator.bucket.getPartElements());
      if (Value own = ownPartBehind(shard))
        shard = own;
      HomeOp home = homes.of(accumulator.bucket, graph::Role::Gradient, -1, accumulator.use);
      frame.destinations[shard] = {nullptr, 0, home, tensorOf(shard).getElementType()};
      frame.buffers[shard] = use(home);
    }
  }
}

void SectionLowering::accumulate(Value term, Type termElement, Value sum, const Destination &at,
                                 int64_t elements, OriginAttr origin) {
  RankedTensorType termType = RankedTensorType::get({elements}, termElement);
  RankedTensorType sumType = RankedTensorType::get({elements}, at.sum);
  bool isOwn = !resolveBuffer(term).strides.empty();
  Value held = view(sum, 0, bytesOf(sumType)), added = isOwn ? term : view(term, 0, bytesOf(termType));
  if (at.stores)
    launch(kernels.convert(termType, at.sum), {added}, {held}, elements, origin);
  else
    launch(kernels.add(sumType, termType), {held, added}, {held}, elements, origin);
}

void SectionLowering::accumulateUnits(Operation *op, Frame &frame) {
  if (isa<func::CallOp, graph::ReshapeOp, graph::MicroBatchesOp>(op)) // whoever made it has
    return;
  for (Value result : op->getResults()) {
    auto found = frame.destinations.find(result);
    if (found == frame.destinations.end() || !found->second.isUnit)
      continue;
    Destination at = found->second;
    Type element = tensorOf(result).getElementType();
    accumulate(at.slot->buffer, element, use(at.accumulator), at, at.slot->bytes / bytesOf(element),
               origin(frame, at.stores ? "store gradient" : "accumulate gradient", op));
  }
}

/// This rank's part of gradients that are whole on every rank. Of parameters nothing is lowered: the update
/// that reads the part takes the whole units.
void SectionLowering::lowerOwnShard(dist::OwnShardOp own, Frame &frame) {
  const Destination at = frame.destinations.lookup(own.getShard());
  if (!at.accumulator)
    return;
  Value home = use(at.accumulator);
  Type element = tensorOf(own.getShard()).getElementType();
  OriginAttr where = origin(frame, at.stores ? "store own part" : "accumulate own part", own);
  // Where pieces end inside blocks of a disk, the rest of these is brought for each: it must hold something.
  const bool fillsBlocks = llvm::all_of(
      own.getPieces(), [&](int64_t piece) { return piece * bytesOf(at.sum) % kShardGranule == 0; });
  if (at.stores && !fillsBlocks)
    zero(home, 0, bufferType(home).getBytes(), frame);
  int64_t begin = 0;
  for (auto [unit, piece] : llvm::zip_equal(own.getUnits(), own.getPieces())) {
    int64_t bytes = piece * bytesOf(element);
    Value mine = view(frame.buffers.lookup(unit), 0, bytes, mesh.strides(own.getOverAttr(), bytes));
    accumulate(mine, element, view(home, begin * bytesOf(at.sum), piece * bytesOf(at.sum)), at, piece, where);
    begin += piece;
  }
  frame.buffers[own.getShard()] = home;
}

void SectionLowering::lowerNormSlots(dist::NormSlotsOp op, Frame &frame) {
  constexpr int64_t slotBytes = 64;
  int64_t bytes = roundUp(bytesOf(tensorOf(op.getSlots())), kShardGranule);
  Value slots;
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<dist::PackOp>)) { // among those of other stages
    slots = resultBuffer(op.getSlots(), "norm slots", frame);
    bytes = bufferType(slots).getBytes();
  } else {
    slots = alloc("norm slots", BufferClass::Feed, bytes, Tier::Device, frame);
    frame.buffers[op.getSlots()] = slots;
  }
  zero(slots, 0, bytes, frame);
  // With owners there is a row of slots per place: a piece fills a slot of its place's row, an owner fills
  // all rows.
  const bool hasOwners = op.getOwners().has_value();
  const int64_t rows = hasOwners ? mesh.groupRanks(op.getOverAttr()) : 1;
  const int64_t rowBytes = bytesOf(tensorOf(op.getSlots())) / rows;
  int64_t slot = 0;
  for (auto [number, pieces] : llvm::enumerate(op.getPieces().getAsRange<DenseI64ArrayAttr>())) {
    Value shard = frame.buffers.lookup(op.getShards()[number]);
    Type element = tensorOf(op.getShards()[number]).getElementType();
    bool isOwned = hasOwners && (*op.getOwners())[number] >= 0;
    int64_t offset = 0;
    for (int64_t piece : pieces.asArrayRef()) {
      for (int64_t row = 0; row < (isOwned ? rows : 1); ++row) {
        Value mine = view(shard, offset, piece * bytesOf(element));
        SmallVector<int64_t> strides;
        if (hasOwners && !isOwned)
          strides = mesh.strides(op.getOverAttr(), rowBytes);
        Value filled = view(slots, row * rowBytes + slot * slotBytes, 8, strides);
        launch(kernels.sumOfSquares(element, piece), {mine}, {filled}, 1, origin(frame, "norm slot", op));
        offset += piece * bytesOf(element);
      }
      ++slot;
    }
  }
}

} // namespace windlass::flow
