// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the backward pass of every micro-batch so many runs behind its forward pass.

#include "passes/Flow/Passes.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionLowering.h"
#include "passes/Flow/waits/Schedules.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_DELAYBACKWARD
#include "passes/Flow/Passes.h.inc"

namespace {

/// The instructions of a section by pass. The backward pass begins with its first instruction; what stands
/// behind that, and is no update, belongs to it.
struct Passes {
  SmallVector<InstructionOpInterface> forward, backward, update;

  explicit Passes(SectionOp section) {
    bool isBehind = false;
    for (auto op : section.getBody().front().getOps<InstructionOpInterface>()) {
      const Phase phase = op.origin().getPhase();
      isBehind |= phase == Phase::Backward || phase == Phase::Recompute;
      (phase == Phase::Update ? update : isBehind ? backward : forward).push_back(op);
    }
  }
};

/// The buffers that the forward pass leaves to those behind it, in program order.
SmallVector<AllocOp> waitingBuffers(SectionOp section) {
  const Passes passes(section);
  llvm::DenseSet<Value> forward, waiting;
  for (InstructionOpInterface op : passes.forward)
    for (Value operand : op->getOperands())
      forward.insert(resolveBuffer(operand).root);
  for (const auto *behind : {&passes.backward, &passes.update})
    for (InstructionOpInterface op : *behind)
      for (Value operand : op->getOperands())
        if (Value root = resolveBuffer(operand).root; forward.contains(root))
          waiting.insert(root);
  SmallVector<AllocOp> buffers;
  for (auto alloc : section.getBody().front().getOps<AllocOp>())
    if (waiting.contains(alloc.getBuffer()))
      buffers.push_back(alloc);
  return buffers;
}

void erase(ArrayRef<InstructionOpInterface> instructions) {
  for (InstructionOpInterface op : instructions)
    op->erase();
}

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

/// Moves an instruction, and the definitions of its buffers that stand behind that place, before `place`.
void moveBefore(Operation *op, Operation *place) {
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp(); !definition->isBeforeInBlock(place))
      moveBefore(definition, place);
  op->moveBefore(place);
}

class Delayer {
public:
  Delayer(ScheduleOp schedule, int64_t lag, int64_t nextLag, int64_t alignment)
      : schedule(schedule), module(schedule->getParentOfType<ModuleOp>()), lag(lag), nextLag(nextLag),
        alignment(std::max(alignment, kOperandAlignment)), builder(module.getContext()) {}

  LogicalResult run() {
    for (auto [section, times] : trainingSchedule(module)) {
      sections.push_back(section);
      microBatches += times;
    }
    if (sections.size() < 2 || lag >= microBatches)
      return schedule.emitError("delay-backward: a lag of ")
             << lag << " needs more micro-batches than that, each in a run of its own, found " << microBatches
             << " in " << sections.size() << " sections";
    for (SectionOp section : sections)
      if (failed(keepInSlots(section)))
        return failure();
    for (SectionOp section : sections)
      markMicroBatches(section);
    arrange();
    return success();
  }

private:
  /// Sections see the same forward pass, so that they have the same buffers in the same order.
  LogicalResult keepInSlots(SectionOp section) {
    SmallVector<AllocOp> waiting = waitingBuffers(section);
    if (slots.empty())
      for (AllocOp alloc : waiting)
        slots.push_back(declareSlots(alloc));
    if (waiting.size() != slots.size())
      return section.emitError("delay-backward: a forward pass leaves ")
             << waiting.size() << " buffers to the backward pass, that of the first section " << slots.size();
    for (auto [alloc, home] : llvm::zip_equal(waiting, slots)) {
      builder.setInsertionPoint(alloc);
      const BufferType type = bufferType(alloc.getBuffer());
      if (slotBytes(alloc) != static_cast<int64_t>(home.getBytes()) ||
          alloc.getBufferClass() != home.getBufferClass())
        return alloc.emitError("delay-backward: waits in '")
               << home.getSymName() << "', which is of " << typeOf(home);
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

  /// An activation checkpoint may rest on any tier, so that its slots are whole blocks of a disk.
  static bool isCheckpoint(AllocOp alloc) { return alloc.getBufferClass() == BufferClass::Checkpoint; }
  int64_t slotBytes(AllocOp alloc) const {
    return roundUp(bufferType(alloc.getBuffer()).getBytes(),
                   isCheckpoint(alloc) ? std::max(kShardGranule, alignment) : alignment);
  }

  HomeOp declareSlots(AllocOp alloc) {
    builder.setInsertionPoint(schedule);
    const std::string base = alloc.getName().str() + ".slots";
    const int64_t number = names[base]++;
    return HomeOp::create(
        builder, alloc.getLoc(), number == 0 ? base : base + "." + std::to_string(number), slotBytes(alloc),
        alloc.getBufferClass(), isCheckpoint(alloc) ? std::optional<Tier>() : tierOf(alloc.getBuffer()),
        FlatSymbolRefAttr(), graph::RoleAttr(), /*unit=*/-1, /*use=*/0, TypeAttr(), /*offset=*/-1,
        /*owner=*/-1, lag + 1);
  }

  /// What stands behind the forward pass is of an earlier micro-batch.
  void markMicroBatches(SectionOp section) {
    const Passes passes(section);
    for (const auto *behind : {&passes.backward, &passes.update})
      for (InstructionOpInterface op : *behind) {
        const OriginAttr origin = op.origin();
        op->setAttr("origin", OriginAttr::get(op.getContext(), origin.getFunction(), origin.getWhat(),
                                              origin.getPhase(), origin.getMicroBatch() - lag));
      }
  }

  /// Forward passes alone, both, backward passes alone.
  void arrange() {
    SectionOp first = sections.front(), last = sections.back();
    SectionOp middle = sections.size() > 2 ? sections[1] : SectionOp();
    builder.setInsertionPoint(first);
    SectionOp warm = copyOf(first, "warm"), drain;
    erase(Passes(warm).backward);
    const int64_t both = microBatches - lag - 1, behind = lag - 1; // but for the first and the last of each
    if (behind > 0) {
      builder.setInsertionPointAfter(middle);
      drain = copyOf(middle, "drain");
      erase(Passes(drain).forward);
    }
    erase(Passes(last).forward);
    add(warm, lag);
    add(first, 1);
    if (both > 0)
      add(middle, both);
    else if (middle)
      middle.erase();
    if (behind > 0)
      add(drain, behind);
    add(last, 1);
    builder.setInsertionPoint(schedule);
    ScheduleOp::create(builder, schedule.getLoc(), schedule.getPurpose(), builder.getArrayAttr(symbols),
                       times);
    schedule.erase();
  }

  SectionOp copyOf(SectionOp section, StringRef name) {
    auto copy = cast<SectionOp>(builder.clone(*section));
    copy.setSymName(name);
    return copy;
  }

  void add(SectionOp section, int64_t runs) {
    tidy(section);
    meetNextFirst(section);
    symbols.push_back(FlatSymbolRefAttr::get(section.getSymNameAttr()));
    times.push_back(runs);
  }

  /// Where the next stage is a micro-batch nearer to its backward pass, it sends a gradient before it takes
  /// the activation of this run: so this stage receives the one before it sends the other.
  void meetNextFirst(SectionOp section) {
    const Passes passes(section);
    if (nextLag >= lag || passes.forward.empty())
      return;
    SmallVector<RecvOp> gradients;
    for (InstructionOpInterface op : passes.backward)
      if (auto recv = dyn_cast<RecvOp>(op.getOperation()); recv && recv.getFrom() > recv.getTo())
        gradients.push_back(recv);
    SmallVector<SendOp> sends;
    Operation *place = nullptr; // of the sends: behind what this stage receives
    for (InstructionOpInterface op : passes.forward) {
      if (auto send = dyn_cast<SendOp>(op.getOperation())) {
        sends.push_back(send);
        place = place ? place : send;
      }
      if (isa<RecvOp>(op.getOperation()))
        place = op->getNextNode();
    }
    if (!place)
      return;
    for (RecvOp recv : gradients)
      moveBefore(recv, place);
    for (SendOp send : sends)
      if (send != place && send->isBeforeInBlock(place))
        moveBefore(send, place);
    tidy(section);
  }

  ScheduleOp schedule;
  ModuleOp module;
  int64_t lag, nextLag, alignment, microBatches = 0;
  OpBuilder builder;
  SmallVector<SectionOp> sections;
  SmallVector<HomeOp> slots;
  llvm::StringMap<int64_t> names;
  SmallVector<Attribute> symbols;
  SmallVector<int64_t> times;
};

struct DelayBackwardPass : impl::DelayBackwardBase<DelayBackwardPass> {
  using DelayBackwardBase::DelayBackwardBase;

  void runOnOperation() override {
    if (lag == 0)
      return;
    for (auto schedule : llvm::make_early_inc_range(getOperation().getOps<ScheduleOp>()))
      if (schedule.getPurpose() == Purpose::Train && failed(Delayer(schedule, lag, nextLag, alignment).run()))
        signalPassFailure();
  }
};

} // namespace
} // namespace windlass::flow
