// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of a section: the units that gathers make and how long they are kept, and the shards that
// reductions make.

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionLowering.h"

using namespace mlir;

namespace windlass::flow {

/// Whether a bucket is a tile of a matrix. The matrix is too large to be whole, so that a gathered tile is
/// not kept.
static bool isTile(dist::BucketOp bucket) {
  dist::MemberAttr member = cast<dist::UnitAttr>(bucket.getUnits()[0]).getMembers().front();
  return member.getSlice() && member.getShape().size() > 1;
}

HomeOp SectionLowering::homeOf(Value buffer, graph::Role role) {
  auto use = buffer ? buffer.getDefiningOp<UseOp>() : UseOp();
  auto home = use ? symbols.lookup<HomeOp>(use.getHome()) : HomeOp();
  return home && home.getRole() == role ? home : HomeOp();
}

Value SectionLowering::summedInPlace(Operation *op, Frame &frame) {
  auto gather = dyn_cast<dist::AllGatherOp>(op);
  auto reduce = gather ? gather.getShard().getDefiningOp<dist::ReduceScatterOp>() : dist::ReduceScatterOp();
  if (!reduce || reduce.getUnits().size() != 1 || reduce.getOverAttr() != gather.getOverAttr())
    return Value();
  Value sum = frame.buffers.lookup(reduce.getUnits().front());
  HomeOp home = homeOf(sum, graph::Role::Gradient);
  return home && static_cast<int64_t>(home.getUnit()) < 0 ? sum : Value();
}

bool SectionLowering::readFromHome(dist::AllGatherOp gather, Frame &frame) {
  Value home = frame.buffers.lookup(gather.getShard());
  if (frame.phase != Phase::Update || !homeOf(home, graph::Role::Gradient) ||
      mesh.groupRanks(gather.getOverAttr()) != 1 || !llvm::all_of(gather.getUnits(), [&](Value unit) {
        return unit.hasOneUse() && !frame.destinations.lookup(unit).slot;
      }))
    return false;
  int64_t element = bytesOf(tensorOf(gather.getShard()).getElementType()), offset = 0;
  for (auto [unit, piece] : llvm::zip_equal(gather.getUnits(), gather.getPieces())) {
    frame.buffers[unit] = view(home, offset, piece * element);
    offset += piece * element;
  }
  return true;
}

template <typename FlowOp, typename DistOp>
void SectionLowering::lowerGather(DistOp gather, int64_t pieces, Frame &frame) {
  // The collective moves the shard with its padding; the value may be a view without the padding.
  Value shard = frame.buffers.lookup(gather.getShard());
  if (auto cut = shard.getDefiningOp<ViewOp>(); cut && cut.getOffset() == 0)
    shard = cut.getSource();
  for (auto *held : {&gatheredInSegment, &gatheredInSection})
    if (auto found = held->find(shard); found != held->end()) {
      for (auto [unit, buffer] : llvm::zip_equal(gather.getUnits(), found->second))
        frame.buffers[unit] = buffer;
      return;
    }
  int64_t element = bytesOf(tensorOf(gather.getShard()).getElementType());
  SmallVector<Value> units;
  SmallVector<int64_t> pieceBytes;
  std::string what = "gather " + (gather.getBucket() ? gather.getBucket()->str() : "norm slots");
  for (auto [unit, piece] : llvm::zip_equal(gather.getUnits(), gather.getPieces())) {
    pieceBytes.push_back(piece * element);
    auto at = frame.destinations.find(unit);
    Value summed = summedInPlace(gather, frame);
    const bool hasPlace = !summed && at != frame.destinations.end() && at->second.slot;
    Value buffer = summed     ? summed
                   : hasPlace ? slotBuffer(*at->second.slot, what, frame)
                              : alloc(what, gather.getBucket() ? BufferClass::Gathered : BufferClass::Feed,
                                      pieces * piece * element, Tier::Device, frame);
    // The destination may be longer than the unit.
    units.push_back(view(buffer, hasPlace ? at->second.offset : 0, pieces * piece * element));
    frame.buffers[unit] = summed ? summed : units.back();
  }
  if (HomeOp home = homeOf(shard, graph::Role::Parameter)) {
    if (options.keptGathered.contains(home.getBucket()->str()))
      gatheredInSection[shard] = units;
    else if (options.microBatches > 1 && !isTile(symbols.lookup<dist::BucketOp>(*home.getBucket())))
      gatheredInSegment[shard] = units;
  }
  OriginAttr where = origin(frame, what, gather);
  FlowOp::create(builder, gather.getLoc(), shard, units, pieceBytes, gather.getOverAttr(), where,
                 ArrayAttr());
}

template <typename FlowOp, typename DistOp>
void SectionLowering::lowerReduce(DistOp reduce, int64_t pieces, Frame &frame) {
  RankedTensorType term = tensorOf(reduce.getShard());
  Type element = term.getElementType();
  SmallVector<Value> units;
  SmallVector<int64_t> pieceBytes;
  for (auto [unit, piece] : llvm::zip_equal(reduce.getUnits(), reduce.getPieces())) {
    pieceBytes.push_back(piece * bytesOf(element));
    const Destination &at = frame.destinations[unit];
    // An accumulator may be longer than its unit.
    int64_t bytes = pieces * pieceBytes.back();
    units.push_back(at.slot && at.slot->buffer ? at.slot->buffer
                                               : view(frame.buffers.lookup(unit), 0, bytes));
  }
  std::string what = reduce.getBucket() ? reduce.getBucket()->str() : "norm slots";
  const Destination at = frame.destinations.lookup(reduce.getShard());
  Value home = at.accumulator ? use(at.accumulator) : Value();
  // A sum that is stored, and has the accumulator's type, is reduced straight into the accumulator; one of
  // slots among those of other stages straight to its place.
  Value shard =
      home && at.stores && at.sum == element ? home
      : at.slot && !reduce.getBucket()
          ? resultBuffer(reduce.getShard(), "norm slots", frame)
          : alloc("reduce " + what, reduce.getBucket() ? BufferClass::Partial : BufferClass::Feed,
                  roundUp(bytesOf(term), kShardGranule), Tier::Device, frame, home ? ownerOf(home) : -1);
  OriginAttr where = origin(frame, "reduce " + what, reduce);
  FlowOp::create(builder, reduce.getLoc(), units, shard, pieceBytes, element, reduce.getOverAttr(), where,
                 ArrayAttr());
  frame.buffers[reduce.getShard()] = home ? home : shard;
  if (!home || shard == home)
    return;
  // The first sum fills the home to its end, so that the padding of the home is zero.
  int64_t elements = at.stores ? bufferType(home).getBytes() / bytesOf(at.sum) : term.getNumElements();
  accumulate(shard, element, home, at, elements,
             origin(frame, (at.stores ? "store " : "accumulate ") + what, reduce));
}

template void SectionLowering::lowerGather<AllGatherOp>(dist::AllGatherOp, int64_t, Frame &);
template void SectionLowering::lowerGather<BroadcastOp>(dist::BroadcastOp, int64_t, Frame &);
template void SectionLowering::lowerReduce<ReduceScatterOp>(dist::ReduceScatterOp, int64_t, Frame &);
template void SectionLowering::lowerReduce<ReduceOp>(dist::ReduceOp, int64_t, Frame &);

} // namespace windlass::flow
