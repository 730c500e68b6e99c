// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/lowering/SectionLowering.h"

#include "dialects/Graph/IR/kernels/GraphKernelCost.h"
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"
#include "passes/Dist/PartitionUpdate.h"
#include "passes/Dist/Stages.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/gradients/LayerGradient.h"

using namespace mlir;

namespace windlass::flow {
namespace {

Phase phaseOf(Operation *op, Phase otherwise) { return graph::phaseOf(op).value_or(otherwise); }

} // namespace

SectionLowering::SectionLowering(SectionOp section, const SymbolTable &symbols, dist::KernelTable &kernels,
                                 const SectionOptions &options)
    : section(section), symbols(symbols), homes(section->getParentOfType<ModuleOp>()), kernels(kernels),
      options(options), mesh(dist::meshOf(section)), builder(section.getContext()) {
  builder.setInsertionPointToEnd(&section.getBody().front());
}

LogicalResult SectionLowering::lower(graph::StepOp step) {
  Frame frame;
  return lowerBlock(step.getBody().front(), frame);
}

LogicalResult SectionLowering::lowerBlock(Block &block, Frame &frame) {
  findDestinations(block, frame);
  for (Operation &op : block) {
    if (failed(lowerOp(&op, frame)))
      return failure();
    if (isa<graph::MicroBatchesOp>(op)) {
      if (!options.updates)
        return success();
      frame.phase = Phase::Update;
      frame.function = "update";
    }
  }
  return success();
}

/// Where a stage has several parts of the model, instructions say which they are of, as ops of the step do.
LogicalResult SectionLowering::lowerOp(Operation *op, Frame &frame) {
  Block &body = section.getBody().front();
  Operation *last = body.empty() ? nullptr : &body.back();
  if (failed(lowerOne(op, frame)))
    return failure();
  accumulateUnits(op, frame);
  if (Attribute part = op->getAttr(dist::kStage))
    for (Operation *made = last ? last->getNextNode() : &body.front(); made; made = made->getNextNode())
      if (isa<InstructionOpInterface>(made))
        made->setAttr(dist::kStage, part);
  return success();
}

LogicalResult SectionLowering::lowerOne(Operation *op, Frame &frame) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](func::CallOp call) { return lowerCall(call, frame); })
      .Case([&](graph::MicroBatchesOp micro) { return lowerMicroBatches(micro, frame); })
      .Case([&](dist::LaunchOp launch) { return lowerLaunch(launch, frame); })
      .Case([&](dist::AllGatherOp gather) {
        if (!readFromHome(gather, frame))
          lowerGather<AllGatherOp>(gather, mesh.groupRanks(gather.getOverAttr()), frame);
        return success();
      })
      .Case([&](dist::BroadcastOp broadcast) {
        return lowerGather<BroadcastOp>(broadcast, 1, frame), success();
      })
      .Case([&](dist::ReduceScatterOp reduce) {
        return lowerReduce<ReduceScatterOp>(reduce, mesh.groupRanks(reduce.getOverAttr()), frame), success();
      })
      .Case([&](dist::ReduceOp reduce) { return lowerReduce<ReduceOp>(reduce, 1, frame), success(); })
      .Case([&](dist::OwnShardOp own) { return lowerOwnShard(own, frame), success(); })
      .Case([&](dist::NormSlotsOp slots) { return lowerNormSlots(slots, frame), success(); })
      .Case([&](dist::ReadOp read) { return lowerRead(read, frame), success(); })
      .Case([&](graph::FeedOp feed) { return lowerFeed(feed, frame), success(); })
      .Case([&](graph::ReportOp report) { return lowerReport(report, frame), success(); })
      .Case([&](dist::SendOp send) { return lowerSend(send, frame), success(); })
      .Case([&](dist::RecvOp recv) { return lowerRecv(recv, frame), success(); })
      .Case([&](dist::UnpackOp unpack) {
        Value packed = deviceBuffer(unpack.getPacked(), frame);
        int64_t element = bytesOf(tensorOf(unpack.getPacked()).getElementType());
        for (auto [member, offset] : llvm::zip_equal(unpack.getMembers(), unpack.getOffsets()))
          frame.buffers[member] = view(packed, offset * element, bytesOf(tensorOf(member)));
        return success();
      })
      .Case([&](graph::ReshapeOp reshape) {
        if (Value buffer = frame.buffers.lookup(reshape.getInput()))
          frame.buffers[reshape.getResult()] = buffer;
        return success();
      })
      .Case([&](dist::PackOp pack) {
        frame.buffers[pack.getPacked()] =
            slotBuffer(*frame.destinations[pack.getPacked()].slot, "pack", frame);
        return success();
      })
      .Case<dist::WriteOp, graph::YieldOp, func::ReturnOp>([](Operation *) { return success(); })
      .Default([](Operation *other) { return other->emitError("has no lowering to flow"); });
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

void SectionLowering::findDestinations(Block &block, Frame &frame) {
  auto paddedUnits = [&](ValueRange units, ArrayRef<int64_t> pieces, int64_t ranks) {
    for (auto [unit, piece] : llvm::zip_equal(units, pieces)) {
      Destination &at = frame.destinations[unit];
      if (at.slot) // a pack inside a layer whose gradients are reduced outside
        continue;
      int64_t bytes = ranks * piece * bytesOf(tensorOf(unit).getElementType());
      at.slot = std::make_shared<Slot>(Slot{BufferClass::Partial, bytes, {}, bytesOf(tensorOf(unit))});
    }
  };
  for (Operation &op : llvm::reverse(block)) {
    if (auto reduce = dyn_cast<dist::ReduceScatterOp>(op))
      paddedUnits(reduce.getUnits(), reduce.getPieces(), mesh.groupRanks(reduce.getOverAttr()));
    if (auto reduce = dyn_cast<dist::ReduceOp>(op))
      paddedUnits(reduce.getUnits(), reduce.getPieces(), 1);
    if (auto gather = dyn_cast<dist::AllGatherOp>(op))
      if (Value shard = gather.getShard();
          isa_and_present<dist::AllGatherOp, dist::PackOp>(shard.getDefiningOp())) {
        const int64_t bytes = bytesOf(tensorOf(shard)); // without the padding, which is zeroed
        frame.destinations[shard].slot =
            std::make_shared<Slot>(Slot{gather.getBucket() ? BufferClass::Staging : BufferClass::Feed,
                                        roundUp(bytes, kShardGranule),
                                        {},
                                        bytes});
      }
    if (auto pack = dyn_cast<dist::PackOp>(op)) {
      Destination at = frame.destinations[pack.getPacked()];
      int64_t element = bytesOf(tensorOf(pack.getPacked()).getElementType());
      int64_t filled = 0;
      for (auto [member, offset] : llvm::zip_equal(pack.getMembers(), pack.getOffsets())) {
        if (at.slot && offset != filled) // the gap before this member is zero
          at.slot->used = std::min(at.slot->used, at.offset + filled * element);
        filled = offset + tensorOf(member).getNumElements();
        frame.destinations[member] = {at.slot, at.offset + offset * element, {}, {}};
      }
    }
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
      if (auto at = frame.destinations.find(reshape.getResult()); at != frame.destinations.end())
        frame.destinations[reshape.getInput()] = Destination(at->second);
      if (auto cls = frame.classes.find(reshape.getResult()); cls != frame.classes.end())
        frame.classes[reshape.getInput()] = BufferClass(cls->second);
    }
    if (auto call = dyn_cast<func::CallOp>(op); call && repeats(call))
      for (Value operand : call.getOperands()) {
        Operation *producer = operand.getDefiningOp();
        bool isActivation = isa<FloatType>(tensorOf(operand).getElementType()); // not the key of a mask
        if (producer && isActivation && !graph::phaseOf(producer))
          frame.classes[operand] = BufferClass::Checkpoint;
      }
    if (auto write = dyn_cast<dist::WriteOp>(op))
      for (auto [i, value] : llvm::enumerate(write.getValues())) {
        const graph::Role role = write.getRole();
        auto bucket = symbols.lookup<dist::BucketOp>(write.getBucket());
        auto slot = std::make_shared<Slot>();
        if (options.updates)
          slot->buffer = use(homes.of(bucket, role, bucket.isSharded(role) ? -1 : i));
        frame.destinations[value] = {slot, 0, {}, {}};
      }
  }
}

bool SectionLowering::repeats(func::CallOp call) const {
  graph::LayerFormAttr form = graph::formOf(symbols.lookup<func::FuncOp>(call.getCallee()));
  return (form && form.getPass() == graph::LayerPass::Repeating) || graph::phaseOf(call) == Phase::Recompute;
}

Value SectionLowering::slotBuffer(Slot &slot, StringRef what, Frame &frame) {
  if (!slot.buffer)
    slot.buffer = alloc(what, slot.cls, slot.bytes, Tier::Device, frame);
  if (!std::exchange(slot.isZeroed, true))
    zero(slot.buffer, slot.used, slot.bytes, frame);
  return slot.buffer;
}

Value SectionLowering::resultBuffer(Value value, StringRef what, Frame &frame) {
  int64_t bytes = bytesOf(tensorOf(value));
  if (auto at = frame.destinations.find(value); at != frame.destinations.end() && at->second.slot) {
    Destination &destination = at->second;
    Value whole = slotBuffer(*destination.slot, what, frame);
    frame.buffers[value] = whole;
    return frame.buffers[value] = view(whole, destination.offset, bytes);
  }
  auto cls = frame.classes.find(value);
  return frame.buffers[value] =
             alloc(what, cls == frame.classes.end() ? BufferClass::Activation : cls->second, bytes,
                   Tier::Device, frame);
}

void SectionLowering::zero(Value buffer, int64_t from, int64_t to, Frame &frame) {
  if (from >= to)
    return;
  from =
      from / kOperandAlignment * kOperandAlignment; // the last values are zeroed, too: they are written later
  // What has 16 bits an element may end between two words.
  Type element = (to - from) % 4 == 0 ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
  int64_t elements = (to - from) / bytesOf(element);
  launch(kernels.zero(element, elements), {}, {view(buffer, from, to - from)}, elements,
         origin(frame, "zero padding"));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult SectionLowering::lowerCall(func::CallOp call, Frame &frame) {
  auto function = symbols.lookup<func::FuncOp>(call.getCallee());
  Block &body = function.getBody().front();
  Frame inner;
  auto layer = call->getAttrOfType<StringAttr>(graph::kLayer);
  inner.function = layer ? layer.str() : function.getSymName().str();
  inner.phase = phaseOf(call, frame.phase);
  inner.microBatch = frame.microBatch;
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), call.getOperands()))
    inner.buffers[argument] = deviceBuffer(operand, frame);
  for (auto [result, returned] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands())) {
    if (auto at = frame.destinations.find(result); at != frame.destinations.end())
      inner.destinations[returned] = at->second;
    if (auto cls = frame.classes.find(result); cls != frame.classes.end())
      inner.classes[returned] = cls->second;
  }
  if (failed(lowerBlock(body, inner)))
    return failure();
  for (auto [result, returned] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    frame.buffers[result] = inner.buffers.lookup(returned);
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void SectionLowering::launch(func::FuncOp kernel, ValueRange inputs, ValueRange outputs, int64_t end,
                             OriginAttr at) {
  SmallVector<Value> scratch;
  if (dist::isLibraryKernel(kernel))
    scratch.push_back(use(symbols.lookup<HomeOp>(kScratchHome)));
  if (options.phases)
    for (int64_t bytes : graph::partialBytes(kernel))
      scratch.push_back(AllocOp::create(builder, kernel.getLoc(),
                                        BufferType::get(builder.getContext(), bytes, Tier::Device),
                                        "partial sums", BufferClass::Workspace, /*offset=*/-1, TierAttr()));
  LaunchOp::create(builder, kernel.getLoc(), kernel.getSymName(), inputs, outputs, scratch, 0, end, at,
                   ArrayAttr());
}

LogicalResult SectionLowering::lowerLaunch(dist::LaunchOp op, Frame &frame) {
  if (auto bucket = op->getAttrOfType<FlatSymbolRefAttr>(dist::kUpdateOf)) {
    lowerUpdate(op, bucket.getValue(), frame);
    return success();
  }
  auto kernel = symbols.lookup<func::FuncOp>(op.getKernel());
  FailureOr<Operation *> computation = graph::computationOf(kernel);
  if (failed(computation))
    return failure();
  StringRef what = (*computation)->getName().stripDialect();
  SmallVector<Value> inputs, outputs;
  for (Value input : op.getInputs())
    inputs.push_back(deviceBuffer(input, frame));
  if (std::optional<unsigned> onto = dist::ontoArgument(kernel))
    outputs.push_back(inputs[*onto] = ontoBuffer(op, *onto, what, frame));
  else
    for (Value result : op.getResults())
      outputs.push_back(resultBuffer(result, what, frame));
  launch(kernel, inputs, outputs, graph::extentOf(*computation), origin(frame, what, op));
  return success();
}

/// The kernel adds in place of the argument `onto`, if no other op reads the argument and neither value has a
/// destination. Else the argument is copied to the result's buffer first.
Value SectionLowering::ontoBuffer(dist::LaunchOp op, unsigned onto, StringRef what, Frame &frame) {
  Value before = op.getInputs()[onto], result = op.getResult(0);
  bool isFree =
      before.getDefiningOp<dist::LaunchOp>() && before.hasOneUse() && !frame.destinations.contains(before);
  if (isFree && !frame.destinations.contains(result) && !frame.classes.contains(result))
    return frame.buffers[result] = deviceBuffer(before, frame);
  RankedTensorType type = tensorOf(result);
  int64_t elements = type.getNumElements();
  Value buffer = resultBuffer(result, what, frame);
  Value from = deviceBuffer(before, frame);
  launch(kernels.convert(type.clone(ArrayRef(elements)), type.getElementType()), {from}, {buffer}, elements,
         origin(frame, "copy", op));
  return buffer;
}

/// An update runs in place, on the homes of its states, which have no tier yet.
void SectionLowering::lowerUpdate(dist::LaunchOp op, StringRef bucket, Frame &frame) {
  auto owner = symbols.lookup<dist::BucketOp>(bucket);
  SmallVector<Value> buffers;
  SmallVector<int64_t> counts, elementBytes;
  SmallVector<bool> whole;
  ArrayAttr over; // the axes over which this rank's parts of whole units are cut
  auto add = [&](ValueRange values, bool isWhole, RankedTensorType type) {
    llvm::append_range(buffers, values);
    counts.push_back(values.size());
    whole.push_back(isWhole);
    elementBytes.push_back(type.getRank() == 0 ? 0 : bytesOf(type.getElementType()));
  };
  for (Value input : op.getInputs()) {
    if (auto own = input.getDefiningOp<dist::OwnShardOp>(); own && !frame.buffers.contains(input)) {
      SmallVector<Value> units;
      for (Value unit : own.getUnits())
        units.push_back(frame.buffers.lookup(unit));
      over = own.getOverAttr();
      add(units, true, tensorOf(input));
      continue;
    }
    add(frame.buffers.lookup(input), false, tensorOf(input));
  }
  for (Value result : op.getResults()) {
    auto at = frame.destinations.find(result);
    Value buffer;
    if (at != frame.destinations.end())
      buffer = at->second.slot->buffer;
    else if (homeOf(frame.buffers.lookup(op.getInputs().front()), graph::Role::Gradient))
      buffer = frame.buffers.lookup(
          op.getInputs().front()); // a sum of gradients takes the place of its first term
    else {
      int64_t bytes = bytesOf(tensorOf(result)), padded = roundUp(bytes, kShardGranule);
      buffer = alloc("updated " + bucket.str(), BufferClass::Staging, padded, Tier::Device, frame);
      zero(buffer, bytes, padded, frame);
    }
    frame.buffers[result] = buffer;
    add(buffer, false, tensorOf(result));
  }
  UpdateOp::create(builder, op.getLoc(), op.getKernel(), buffers, counts, whole, op.getInputs().size(),
                   owner.getParts(), elementBytes, over, origin(frame, "update " + bucket.str(), op),
                   ArrayAttr());
}

//===----------------------------------------------------------------------===//
// States, feeds, reports
//===----------------------------------------------------------------------===//

void SectionLowering::lowerRead(dist::ReadOp read, Frame &frame) {
  auto bucket = symbols.lookup<dist::BucketOp>(read.getBucket());
  const graph::Role role = read.getRole();
  bool sharded = bucket.isSharded(role);
  for (auto [i, value] : llvm::enumerate(read.getValues()))
    frame.buffers[value] = use(homes.of(bucket, role, sharded ? -1 : i));
}

void SectionLowering::lowerFeed(graph::FeedOp feed, Frame &frame) {
  Value buffer =
      alloc(feed.getItem(), BufferClass::Feed, bytesOf(tensorOf(feed.getValue())), Tier::Host, frame);
  FeedOp::create(builder, feed.getLoc(), feed.getItemAttr(), buffer,
                 origin(frame, "feed " + feed.getItem().str(), feed), ArrayAttr());
  frame.buffers[feed.getValue()] = buffer;
}

void SectionLowering::lowerReport(graph::ReportOp report, Frame &frame) {
  Value source = deviceBuffer(report.getValue(), frame);
  OriginAttr at = origin(frame, "report " + report.getItem().str(), report);
  Value host = alloc(report.getItem(), BufferClass::Feed, bufferType(source).getBytes(), Tier::Host, frame);
  TransferOp::create(builder, report.getLoc(), TransferKind::Offload, source, host, at, ArrayAttr());
  ReportOp::create(builder, report.getLoc(), report.getItemAttr(), host, at, ArrayAttr());
}

void SectionLowering::lowerSend(dist::SendOp send, Frame &frame) {
  if (!options.stores && dist::isBeforeMicroBatches(send))
    return;
  SendOp::create(builder, send.getLoc(), send.getItemAttr(), deviceBuffer(send.getValue(), frame),
                 send.getFrom(), send.getTo(), origin(frame, "send " + send.getItem().str(), send),
                 ArrayAttr());
}

/// What comes once in a step, in the section of the first micro-batch, stays in a home for the others.
void SectionLowering::lowerRecv(dist::RecvOp recv, Frame &frame) {
  Value buffer;
  if (dist::isBeforeMicroBatches(recv)) {
    buffer = frame.buffers[recv.getValue()] = use(symbols.lookup<HomeOp>(receivedHome(recv)));
    if (!options.stores)
      return;
  } else
    buffer = resultBuffer(recv.getValue(), recv.getItem(), frame);
  RecvOp::create(builder, recv.getLoc(), recv.getItemAttr(), buffer, recv.getFrom(), recv.getTo(),
                 origin(frame, "recv " + recv.getItem().str(), recv), ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value SectionLowering::deviceBuffer(Value value, Frame &frame) {
  Value buffer = frame.buffers.lookup(value);
  assert(buffer && "a value is lowered before its uses");
  if (bufferType(buffer).getTier() == Tier::Host) {
    Value &copy = deviceCopies[buffer];
    if (!copy) {
      auto host = buffer.getDefiningOp<AllocOp>();
      copy = alloc(host.getName(), BufferClass::Feed, bufferType(buffer).getBytes(), Tier::Device, frame);
      TransferOp::create(builder, value.getLoc(), TransferKind::Upload, buffer, copy,
                         origin(frame, "upload " + host.getName().str()), ArrayAttr());
    }
    buffer = copy;
  }
  return view(buffer, 0, bytesOf(tensorOf(value)));
}

Value SectionLowering::alloc(StringRef what, BufferClass cls, int64_t bytes, Tier tier, Frame &frame,
                             int64_t owner) {
  std::string name = (frame.function.empty() ? "" : frame.function + ".") + what.str();
  return AllocOp::create(builder, section.getLoc(), BufferType::get(builder.getContext(), bytes, tier, owner),
                         name, cls, /*offset=*/-1, TierAttr());
}

Value SectionLowering::use(HomeOp home) {
  assert(home && "homes are declared before sections are lowered");
  Value &value = uses[home];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&section.getBody().front());
    value = UseOp::create(builder, section.getLoc(), typeOf(home), home.getSymName());
  }
  return value;
}

Value SectionLowering::view(Value buffer, int64_t offset, int64_t bytes, ArrayRef<int64_t> strides) {
  return viewOf(builder, section.getLoc(), buffer, offset, bytes, strides);
}

OriginAttr SectionLowering::origin(const Frame &frame, StringRef what, Operation *op) {
  Phase phase = op ? phaseOf(op, frame.phase) : frame.phase;
  return OriginAttr::get(builder.getContext(), builder.getStringAttr(frame.function),
                         builder.getStringAttr(what), phase, frame.microBatch);
}

} // namespace windlass::flow
