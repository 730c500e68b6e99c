// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of a section: how whole units and reduced shards are added up, and the slots of the norm.

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionLowering.h"

using namespace mlir;

namespace windlass::flow {

/// The result of the last reduce-scatter that cuts `shard`, over finer and finer axes, down to parts of
/// `elements` elements.
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
  if (isa<func::CallOp, graph::ReshapeOp, graph::MicroBatchesOp>(op)) // its producer has added it up
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
  // If pieces end inside blocks of a disk, the rest of each block is transferred, too, and must be
  // initialised.
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

namespace {

/// Bytes from one norm slot to the next; a slot is one f64.
constexpr int64_t kSlotBytes = 64;

/// If an owner has at least this many pieces of a unit, one launch makes all of their slots: the pieces keep
/// a device, or the threads of a processor, busy. Else each piece has a launch of its own.
constexpr int64_t kManyPieces = 16;

/// A piece of a shard, and the norm slot that its sum of squares fills. A spread piece fills the slot in one
/// row; an owner's shard has one piece for every row, and fills the slot in all of them.
struct SlotFiller {
  Value shard;
  int64_t begin, piece, rows, slot; ///< `begin` and `piece` in elements
};

SmallVector<SlotFiller> slotFillers(dist::NormSlotsOp op, int64_t places) {
  SmallVector<SlotFiller> fillers;
  for (auto [number, pieces] : llvm::enumerate(op.getPieces().getAsRange<DenseI64ArrayAttr>())) {
    const bool isOwned = op.getOwners() && (*op.getOwners())[number] >= 0;
    int64_t begin = 0;
    for (int64_t piece : pieces.asArrayRef()) {
      fillers.push_back({op.getShards()[number], begin, piece, isOwned ? places : 1, std::ssize(fillers)});
      begin += piece * fillers.back().rows;
    }
  }
  return fillers;
}

} // namespace

/// With owners there is a row of slots per data place: a spread piece fills a slot of its place's row, an
/// owner fills a slot of every row.
void SectionLowering::lowerNormSlots(dist::NormSlotsOp op, Frame &frame) {
  int64_t bytes = roundUp(bytesOf(tensorOf(op.getSlots())), kShardGranule);
  Value slots;
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<dist::PackOp>)) { // packed with the slots of other stages
    slots = resultBuffer(op.getSlots(), "norm slots", frame);
    bytes = bufferType(slots).getBytes();
  } else {
    slots = alloc("norm slots", BufferClass::Feed, bytes, Tier::Device, frame);
    frame.buffers[op.getSlots()] = slots;
  }
  const int64_t rows = op.getOwners() ? mesh.groupRanks(op.getOverAttr()) : 1;
  const int64_t rowBytes = bytesOf(tensorOf(op.getSlots())) / rows;
  const OriginAttr where = origin(frame, "norm slot", op);
  auto fill = [&](const SlotFiller &of, int64_t number, int64_t count, Value filled) {
    const Type element = tensorOf(of.shard).getElementType();
    Value values = view(frame.buffers.lookup(of.shard), (of.begin + number * of.piece) * bytesOf(element),
                        count * of.piece * bytesOf(element));
    launch(kernels.sumOfSquares(element, of.piece, count), {values}, {filled}, count, where);
  };
  const SmallVector<SlotFiller> fillers = slotFillers(op, rows);
  const bool areOwned = llvm::all_of(fillers, [&](const SlotFiller &each) { return each.rows == rows; });
  if (areOwned && rows >= kManyPieces)
    return fillRows(slots, bytes, rows, std::ssize(fillers), where, frame, [&](Value table, int64_t stride) {
      for (const SlotFiller &each : fillers)
        fill(each, 0, rows, view(table, each.slot * stride, rows * int64_t(sizeof(double))));
    });
  zero(slots, 0, bytes, frame);
  for (const SlotFiller &each : fillers) {
    SmallVector<int64_t> strides;
    if (each.rows < rows)
      strides = mesh.strides(op.getOverAttr(), rowBytes);
    for (int64_t row = 0; row < each.rows; ++row)
      fill(each, row, 1, view(slots, row * rowBytes + each.slot * kSlotBytes, 8, strides));
  }
}

/// Fills the rows of slots through a table. The table has a line for each slot, which holds the values of all
/// places side by side: one launch makes a line, one upload brings the table, and one launch spreads it.
void SectionLowering::fillRows(Value slots, int64_t bytes, int64_t rows, int64_t count, OriginAttr where,
                               Frame &frame, llvm::function_ref<void(Value table, int64_t stride)> fill) {
  constexpr int64_t kDouble = sizeof(double);
  const int64_t stride = roundUp(rows * kDouble, kSlotBytes), used = rows * count * kSlotBytes;
  Value table = alloc("norm slots of owners", BufferClass::Feed, roundUp(count * stride, kShardGranule),
                      Tier::Device, frame);
  zero(table, 0, bufferType(table).getBytes(), frame);
  fill(table, stride);
  zero(slots, used, bytes, frame);
  launch(kernels.spreadColumns(count, stride / kDouble, rows, kSlotBytes / kDouble),
         {view(table, 0, count * stride)}, {view(slots, 0, used)}, rows, where);
}

} // namespace windlass::flow
