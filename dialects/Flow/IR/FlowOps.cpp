// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effects, lanes and verifiers of the flow ops.

#include "dialects/Flow/IR/FlowDialect.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Graph/IR/EnumWord.h"

using namespace mlir;
using namespace windlass::flow;

namespace windlass::flow {

/// The directive `custom<Tier>($tier)`.
static ParseResult parseTier(OpAsmParser &parser, TierAttr &attribute) {
  return parser.parseCustomAttributeWithFallback(attribute);
}
static void printTier(OpAsmPrinter &printer, Operation *, TierAttr attribute) {
  printer << stringifyTier(attribute.getValue());
}

} // namespace windlass::flow

#define GET_OP_CLASSES
#include "dialects/Flow/IR/FlowOps.cpp.inc"

namespace windlass::flow {

/// The element-wise sum of strides, for a view of a view; an empty list is all zero.
static SmallVector<int64_t, 2> added(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t, 2> sum(a.empty() ? b : a);
  for (size_t axis = 0; !a.empty() && axis < b.size(); ++axis)
    sum[axis] += b[axis];
  return sum;
}

BufferRange resolveBuffer(Value buffer) {
  BufferRange range{buffer, 0, bufferType(buffer).getBytes()};
  while (auto view = range.root.getDefiningOp<ViewOp>()) {
    range.offset += view.getOffset();
    range.strides = added(range.strides, view.getStrides());
    range.root = view.getSource();
  }
  return range;
}

BufferRange resolveAccess(InstructionOpInterface instruction, Value buffer, int64_t micro) {
  BufferRange range = resolveBuffer(buffer);
  if (const int64_t slots = bufferType(range.root).getSlots(); slots > 0) {
    const int64_t number = (instruction.origin().getMicroBatch() + micro) % slots;
    range.offset += (number < 0 ? number + slots : number) * bufferType(range.root).getBytes();
  }
  return range;
}

int64_t ownerOf(Value buffer) { return bufferType(resolveBuffer(buffer).root).getOwner(); }

int64_t ownerOf(InstructionOpInterface instruction) {
  int64_t owner = -1;
  if (!isa<CollectiveOpInterface>(instruction.getOperation()))
    for (Value operand : instruction->getOperands())
      owner = std::max(owner, ownerOf(operand));
  return owner;
}

/// The lane of work on these buffers: `device` if all are of the device tier, `host` if all are of the host
/// tier; otherwise none.
static std::optional<Lane> laneByTier(ValueRange buffers, Lane device, Lane host) {
  std::optional<Lane> lane;
  for (Value buffer : buffers) {
    std::optional<Tier> tier = bufferType(buffer).getTier();
    if (tier != Tier::Device && tier != Tier::Host)
      return std::nullopt;
    Lane mine = tier == Tier::Device ? device : host;
    if (lane && *lane != mine)
      return std::nullopt;
    lane = mine;
  }
  return lane;
}

} // namespace windlass::flow

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

SmallVector<Value> LaunchOp::getReads() { return getInputs(); }
SmallVector<Value> LaunchOp::getWrites() {
  SmallVector<Value> writes = getOutputs();
  llvm::append_range(writes, getScratch());
  return writes;
}
std::optional<Lane> LaunchOp::deriveLane() {
  return laneByTier(getOperands(), Lane::Compute, Lane::HostCompute);
}

/// The buffers of arguments [from, to) of an update.
static SmallVector<Value> updateBuffers(UpdateOp op, int64_t from, int64_t to) {
  SmallVector<Value> buffers;
  int64_t at = 0;
  for (auto [argument, count] : llvm::enumerate(op.getCounts())) {
    if (static_cast<int64_t>(argument) >= from && static_cast<int64_t>(argument) < to)
      llvm::append_range(buffers, op.getBuffers().slice(at, count));
    at += count;
  }
  return buffers;
}
SmallVector<Value> UpdateOp::getReads() { return updateBuffers(*this, 0, getNumInputs()); }
SmallVector<Value> UpdateOp::getWrites() { return updateBuffers(*this, getNumInputs(), getCounts().size()); }
std::optional<Lane> UpdateOp::deriveLane() { return std::nullopt; }

SmallVector<Value> TransferOp::getReads() { return {getSource()}; }
SmallVector<Value> TransferOp::getWrites() { return {getTarget()}; }
std::optional<Lane> TransferOp::deriveLane() {
  switch (getKind()) {
  case TransferKind::Upload:
    return Lane::CgIn;
  case TransferKind::Offload:
    return Lane::CgOut;
  case TransferKind::Read:
    return Lane::NcIn;
  case TransferKind::Write:
    return Lane::NcOut;
  }
  llvm_unreachable("closed enum");
}

/// The lane of a collective. Groups of neighbouring ranks, such as those of a node, have one lane;
/// collectives across such groups have another, since they use other links.
static Lane laneOver(Operation *collective, ArrayAttr over) {
  windlass::dist::MeshOp mesh = windlass::dist::meshOf(collective);
  return mesh && mesh.groupSpan(over) > mesh.innermost() ? Lane::Nodes : Lane::Gg;
}

SmallVector<Value> AllGatherOp::getReads() { return {getShard()}; }
SmallVector<Value> AllGatherOp::getWrites() { return getUnits(); }
std::optional<Lane> AllGatherOp::deriveLane() { return laneOver(*this, getOverAttr()); }

SmallVector<Value> ReduceScatterOp::getReads() { return getUnits(); }
SmallVector<Value> ReduceScatterOp::getWrites() { return {getShard()}; }
std::optional<Lane> ReduceScatterOp::deriveLane() { return laneOver(*this, getOverAttr()); }

SmallVector<Value> BroadcastOp::getReads() { return {getShard()}; }
SmallVector<Value> BroadcastOp::getWrites() { return getUnits(); }
std::optional<Lane> BroadcastOp::deriveLane() { return laneOver(*this, getOverAttr()); }

SmallVector<Value> ReduceOp::getReads() { return getUnits(); }
SmallVector<Value> ReduceOp::getWrites() { return {getShard()}; }
std::optional<Lane> ReduceOp::deriveLane() { return laneOver(*this, getOverAttr()); }

SmallVector<Value> SendOp::getReads() { return {getBuffer()}; }
SmallVector<Value> SendOp::getWrites() { return {}; }
std::optional<Lane> SendOp::deriveLane() { return getTo() > getFrom() ? Lane::ActOut : Lane::GradOut; }

SmallVector<Value> RecvOp::getReads() { return {}; }
SmallVector<Value> RecvOp::getWrites() { return {getBuffer()}; }
std::optional<Lane> RecvOp::deriveLane() { return getTo() > getFrom() ? Lane::ActIn : Lane::GradIn; }

SmallVector<Value> FeedOp::getReads() { return {}; }
SmallVector<Value> FeedOp::getWrites() { return {getBuffer()}; }
std::optional<Lane> FeedOp::deriveLane() { return Lane::HostCompute; }

SmallVector<Value> ReportOp::getReads() { return {getBuffer()}; }
SmallVector<Value> ReportOp::getWrites() { return {}; }
std::optional<Lane> ReportOp::deriveLane() { return Lane::HostCompute; }

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// A view of a view becomes a view of the buffer; a view of a whole buffer becomes the buffer.
OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (getOffset() == 0 && getStrides().empty() && getSource().getType() == getType())
    return getSource();
  auto outer = getSource().getDefiningOp<ViewOp>();
  if (!outer)
    return {};
  setOffset(outer.getOffset() + getOffset());
  setStrides(added(outer.getStrides(), getStrides()));
  getSourceMutable().assign(outer.getSource());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult HomeOp::verify() {
  if (getBucket().has_value() != getRole().has_value())
    return emitOpError("names a bucket and a role, or neither");
  return success();
}

LogicalResult ScheduleOp::verify() {
  if (getSections().size() != getTimes().size())
    return emitOpError("has ") << getSections().size() << " sections, but says how often "
                               << getTimes().size() << " run";
  for (int64_t times : getTimes())
    if (times < 1)
      return emitOpError("runs a section ") << times << " times";
  return success();
}

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto section : getSections().getAsRange<FlatSymbolRefAttr>())
    if (!symbols.lookupNearestSymbolFrom<SectionOp>(*this, section))
      return emitOpError("'") << section.getValue() << "' is not a section of this module";
  return success();
}

LogicalResult UseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto home =
      symbols.lookupNearestSymbolFrom<HomeOp>(getOperation()->getParentOfType<ModuleOp>(), getHomeAttr());
  if (!home)
    return emitOpError("'") << getHome() << "' is not a home of this module";
  BufferType type = bufferType(getBuffer());
  if (type.getBytes() != static_cast<int64_t>(home.getBytes()) || type.getTier() != home.getTier())
    return emitOpError("home '") << getHome() << "' holds " << home.getBytes() << " bytes on "
                                 << stringifyTier(home.getTier()) << ", found type " << type;
  if (type.getSlots() != static_cast<int64_t>(home.getSlots()))
    return emitOpError("home '") << getHome() << "' has " << home.getSlots() << " slots, found type " << type;
  if (type.getOwner() != static_cast<int64_t>(home.getOwner()))
    return emitOpError("home '") << getHome() << "' has owner " << static_cast<int64_t>(home.getOwner())
                                 << ", found type " << type;
  return success();
}

LogicalResult ViewOp::verify() {
  BufferType source = bufferType(getSource()), view = bufferType(getBuffer());
  if (static_cast<int64_t>(getOffset()) + view.getBytes() > source.getBytes())
    return emitOpError("bytes [") << getOffset() << ", " << getOffset() + view.getBytes()
                                  << ") leave the source's " << source.getBytes();
  if (source.getTier() != view.getTier())
    return emitOpError("a view stays in the tier of its source");
  return success();
}

LogicalResult UpdateOp::verify() {
  int64_t buffers = 0;
  for (int64_t count : getCounts())
    buffers += count;
  if (buffers != static_cast<int64_t>(getBuffers().size()))
    return emitOpError("counts add up to ") << buffers << " buffers, found " << getBuffers().size();
  return success();
}

LogicalResult TransferOp::verify() {
  BufferType source = bufferType(getSource()), target = bufferType(getTarget());
  if (source.getBytes() != target.getBytes())
    return emitOpError("source holds ") << source.getBytes() << " bytes, target " << target.getBytes();
  static constexpr std::pair<Tier, Tier> ends[] = {{Tier::Host, Tier::Device},
                                                   {Tier::Device, Tier::Host},
                                                   {Tier::Nvme, Tier::Host},
                                                   {Tier::Host, Tier::Nvme}};
  auto [from, to] = ends[static_cast<int>(getKind())];
  if (source.getTier() != from || target.getTier() != to)
    return emitOpError(stringifyTransferKind(getKind()))
           << " goes from " << stringifyTier(from) << " to " << stringifyTier(to) << ", found "
           << stringifyTier(source.getTier()) << " to " << stringifyTier(target.getTier());
  return success();
}

/// Verifies that the shard holds the pieces back to back; its tail may be padding.
static LogicalResult verifyPieces(Operation *op, Value shard, ValueRange units, ArrayRef<int64_t> pieces) {
  if (units.size() != pieces.size())
    return op->emitOpError("expected one piece size per unit, found ")
           << pieces.size() << " for " << units.size();
  int64_t sum = std::accumulate(pieces.begin(), pieces.end(), int64_t(0));
  if (bufferType(shard).getBytes() < sum)
    return op->emitOpError("the shard must hold the pieces' ")
           << sum << " bytes, found " << bufferType(shard).getBytes();
  return success();
}
/// The same for a shard that one rank owns.
static LogicalResult verifyOwned(Operation *op, Value shard, ValueRange units, ArrayRef<int64_t> pieces) {
  if (ownerOf(shard) < 0)
    return op->emitOpError("the shard must have an owner");
  return verifyPieces(op, shard, units, pieces);
}

LogicalResult AllGatherOp::verify() { return verifyPieces(*this, getShard(), getUnits(), getPieceBytes()); }
LogicalResult ReduceScatterOp::verify() {
  return verifyPieces(*this, getShard(), getUnits(), getPieceBytes());
}
LogicalResult BroadcastOp::verify() { return verifyOwned(*this, getShard(), getUnits(), getPieceBytes()); }
LogicalResult ReduceOp::verify() { return verifyOwned(*this, getShard(), getUnits(), getPieceBytes()); }
