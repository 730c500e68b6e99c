// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the backward pass of every micro-batch so many runs behind its forward pass.

#include "passes/Flow/Passes.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/StepPasses.h"
#include "passes/Flow/lowering/WaitingSlots.h"
#include "passes/Flow/waits/Schedules.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_DELAYBACKWARD
#include "passes/Flow/Passes.h.inc"

namespace {

using Instructions = SmallVector<InstructionOpInterface>;

bool isMessage(InstructionOpInterface op) { return isa<SendOp, RecvOp>(op.getOperation()); }

/// How many runs of a section a part of a micro-batch stands behind its forward pass.
struct Lags {
  int64_t received = 0; ///< the gradients that the next stage sends
  int64_t backward = 0;
  int64_t behind = 0; ///< gradients of weights, where they are split off; the update
};

/// The parts of a section, one for each lag, in program order.
struct Parts {
  Instructions forward, received, backward, behind;

  Parts(SectionOp section, const Lags &lags) {
    StepPasses passes(section);
    forward = std::move(passes.forward);
    behind = std::move(passes.behind);
    for (InstructionOpInterface op : passes.backward)
      (lags.received != lags.backward && isOfNextStage(op) ? received : backward).push_back(op);
  }

  static bool isOfNextStage(InstructionOpInterface op) {
    auto recv = dyn_cast<RecvOp>(op.getOperation());
    return recv && recv.getFrom() > recv.getTo();
  }
};

/// The parts of a run, and whether each belongs to the first micro-batch of a step, the last, or one between.
struct Run {
  enum Of { None, First, Middle, Last };
  bool received = false;
  Of forward = None; ///< First: with the messages that come once in a step; all others are alike
  Of backward = None, behind = None;

  bool operator==(const Run &) const = default;
};

class Delayer {
public:
  Delayer(ScheduleOp schedule, const Lags &lags, bool meetsNextFirst, int64_t alignment)
      : schedule(schedule), module(schedule->getParentOfType<ModuleOp>()), lags(lags),
        meetsNextFirst(meetsNextFirst), alignment(alignment), builder(module.getContext()) {}

  LogicalResult run() {
    for (auto [section, times] : trainingSchedule(module)) {
      sections.push_back(section);
      microBatches += times;
    }
    if (sections.size() < 2 || lags.behind >= microBatches)
      return schedule.emitError("delay-backward: a lag of ")
             << lags.behind << " needs more micro-batches than that, each in a run of its own, found "
             << microBatches << " in " << sections.size() << " sections";
    if (failed(checkSums()))
      return failure();
    comesOnce = countMessages(sections.front()) != countMessages(sections[1]);
    WaitingSlots slots(schedule, alignment);
    for (SectionOp section : sections)
      if (failed(slots.keep(section, waitingBuffers(section))))
        return failure();
    for (SectionOp section : sections)
      markMicroBatches(section);
    arrange();
    return success();
  }

private:
  template <typename Visit> void forEachPart(SectionOp section, Visit visit) const {
    const Parts parts(section, lags);
    visit(parts.forward, 0);
    visit(parts.received, lags.received);
    visit(parts.backward, lags.backward);
    visit(parts.behind, lags.behind);
  }

  int64_t countMessages(SectionOp section) const {
    return llvm::count_if(Parts(section, lags).forward, isMessage);
  }

  /// If the two parts of the backward pass have different lags, only one of them may add to a sum over
  /// micro-batches: else the terms would be added in another order.
  LogicalResult checkSums() {
    if (lags.backward == lags.behind)
      return success();
    const HomeTable homes(module);
    llvm::SetVector<HomeOp> before, behind;
    const auto addSums = [&](const Instructions &part, llvm::SetVector<HomeOp> &sums) {
      for (InstructionOpInterface op : part)
        for (Value buffer : op.getWrites())
          if (HomeOp home = homes.behind(buffer); home && op.origin().getPhase() != Phase::Update &&
                                                  home.getBufferClass() != BufferClass::Workspace)
            sums.insert(home);
    };
    for (SectionOp section : sections) {
      const Parts parts(section, lags);
      addSums(parts.backward, before);
      addSums(parts.behind, behind);
    }
    backwardSums = !before.empty();
    for (HomeOp home : before)
      if (behind.contains(home))
        return home.emitError("delay-backward: both parts of the backward pass add to '")
               << home.getSymName() << "'";
    return success();
  }

  /// The buffers that parts of different lags use, in program order, with a slot for each run from the first
  /// use to the last. The buffer of a message has one slot more: the next message is received or made while
  /// the one before is still read or sent.
  SmallVector<WaitingBuffer> waitingBuffers(SectionOp section) const {
    llvm::DenseMap<Value, std::pair<int64_t, int64_t>> used; // least and most lag
    llvm::DenseSet<Value> messages;
    forEachPart(section, [&](const Instructions &part, int64_t lag) {
      for (InstructionOpInterface op : part)
        for (Value operand : op->getOperands()) {
          if (isMessage(op) && op.origin().getPhase() != Phase::Update)
            messages.insert(resolveBuffer(operand).root);
          auto &[least, most] =
              used.try_emplace(resolveBuffer(operand).root, std::pair(lag, lag)).first->second;
          least = std::min(least, lag);
          most = std::max(most, lag);
        }
    });
    SmallVector<WaitingBuffer> buffers;
    for (auto alloc : section.getBody().front().getOps<AllocOp>()) {
      const auto [least, most] = used.lookup(alloc.getBuffer());
      const int64_t slots = most - least + (messages.contains(alloc.getBuffer()) ? 2 : 1);
      if (slots > 1)
        buffers.push_back({alloc, slots});
    }
    return buffers;
  }

  /// Instructions behind the forward pass belong to an earlier micro-batch, by their lag.
  void markMicroBatches(SectionOp section) {
    forEachPart(section, [](const Instructions &part, int64_t lag) {
      for (InstructionOpInterface op : part) {
        const OriginAttr origin = op.origin();
        op->setAttr("origin", OriginAttr::get(op.getContext(), origin.getFunction(), origin.getWhat(),
                                              origin.getPhase(), origin.getMicroBatch() - lag));
      }
    });
  }

  Run runAt(int64_t number) const {
    const auto has = [&](int64_t lag) { return number >= lag && number < microBatches + lag; };
    const auto which = [&](int64_t lag) {
      return !has(lag)                          ? Run::None
             : number == lag                    ? Run::First
             : number + 1 == microBatches + lag ? Run::Last
                                                : Run::Middle;
    };
    const bool isOther = comesOnce && number == 0;
    const Run::Of forward = !has(0) ? Run::None : isOther ? Run::First : Run::Middle;
    Run run{has(lags.received), forward, which(lags.backward), which(lags.behind)};
    if (lags.backward == lags.behind || run.backward == Run::None || (isOther && lags.backward == 0))
      return run;
    // A backward pass without the gradients of weights is the same for all micro-batches, unless it stores
    // the first term of a sum and adds the others.
    if (run.backward == Run::Last || !backwardSums)
      run.backward = sections.size() > 2 ? Run::Middle : Run::Last;
    return run;
  }

  /// Runs that are alike share a section.
  void arrange() {
    builder.setInsertionPoint(sections.front());
    std::vector<std::pair<Run, int64_t>> runs;
    for (int64_t number = 0; number < microBatches + lags.behind; ++number)
      if (const Run run = runAt(number); !runs.empty() && runs.back().first == run)
        ++runs.back().second;
      else
        runs.push_back({run, 1});
    SmallVector<SectionOp> made;
    for (auto [run, times] : runs)
      made.push_back(makeSection(run));
    for (SectionOp section : sections)
      section.erase();
    SmallVector<Attribute> symbols;
    SmallVector<int64_t> times;
    for (auto [section, run] : llvm::zip_equal(made, runs)) {
      section.setSymName(nameOf(run.first));
      symbols.push_back(FlatSymbolRefAttr::get(section.getSymNameAttr()));
      times.push_back(run.second);
    }
    builder.setInsertionPoint(schedule);
    ScheduleOp::create(builder, schedule.getLoc(), schedule.getPurpose(), builder.getArrayAttr(symbols),
                       times);
    schedule.erase();
  }

  /// For people.
  std::string nameOf(const Run &run) {
    const std::string name = run.behind == Run::Last    ? "last"
                             : run.behind == Run::First ? "first"
                             : run.behind == Run::None  ? "warm"
                             : run.forward != Run::None ? "middle"
                                                        : "drain";
    const int64_t number = names[name]++;
    return number == 0 ? name : name + "." + std::to_string(number);
  }

  SectionOp sectionOf(Run::Of which) const {
    return which == Run::First ? sections.front() : which == Run::Last ? sections.back() : sections[1];
  }

  /// Passes with one lag share buffers, and are those of one section.
  SectionOp makeSection(const Run &run) {
    const bool hasBackward = run.backward != Run::None, hasBehind = run.behind != Run::None;
    const SectionOp behind = sectionOf(hasBehind ? run.behind : Run::First);
    const Parts parts(hasBackward ? sectionOf(run.backward) : behind, lags);
    const Instructions gradients = hasBackward ? parts.backward : Instructions();
    const bool hasForward = run.forward != Run::None;
    Instructions order = !hasForward                       ? Instructions()
                         : comesOnce && lags.backward != 0 ? Parts(sectionOf(run.forward), lags).forward
                                                           : parts.forward;
    Instructions first = run.received ? parts.received : Instructions();
    if (hasForward && meetsNextFirst) {
      llvm::copy_if(gradients, std::back_inserter(first), Parts::isOfNextStage);
      order = receivingFirst(order, first);
    } else
      order.append(first);
    for (InstructionOpInterface op : gradients)
      if (!llvm::is_contained(first, op))
        order.push_back(op);
    if (hasBehind)
      order.append(Parts(behind, lags).behind);
    return copyOf(order);
  }

  /// If the next stage has a smaller lag, it sends a gradient before it receives the activation of this run.
  /// So this stage receives the gradient before it sends the activation.
  static Instructions receivingFirst(const Instructions &forward, const Instructions &gradients) {
    const auto isSend = [](InstructionOpInterface op) { return isa<SendOp>(op.getOperation()); };
    auto place = llvm::find_if(forward, isSend); // the place of the sends: after all receives of this stage
    if (place == forward.end())
      return llvm::to_vector(llvm::concat<const InstructionOpInterface>(forward, gradients));
    for (auto at = place; at != forward.end(); ++at)
      if (InstructionOpInterface op = *at; isa<RecvOp>(op.getOperation()))
        place = std::next(at);
    Instructions order, sends;
    for (InstructionOpInterface op : llvm::make_range(forward.begin(), place))
      (isSend(op) ? sends : order).push_back(op);
    order.append(gradients);
    order.append(sends);
    order.append(place, forward.end());
    return order;
  }

  SectionOp copyOf(const Instructions &instructions) {
    SectionCopy copy(builder, schedule.getLoc(), /*advance=*/1);
    IRMapping buffers;
    for (InstructionOpInterface op : instructions)
      copy.add(op, buffers)->removeAttr(kWeights);
    return copy.finish();
  }

  ScheduleOp schedule;
  ModuleOp module;
  const Lags lags;
  const bool meetsNextFirst;
  const int64_t alignment;
  int64_t microBatches = 0;
  bool comesOnce = false;    ///< the first forward pass has messages that the others have not
  bool backwardSums = false; ///< the part of the backward pass that is not split off adds to a home
  OpBuilder builder;
  SmallVector<SectionOp> sections; ///< the first micro-batch's, perhaps the others', the last's
  llvm::StringMap<int64_t> names;
};

struct DelayBackwardPass : impl::DelayBackwardBase<DelayBackwardPass> {
  using DelayBackwardBase::DelayBackwardBase;

  void runOnOperation() override {
    const bool meetsNextFirst = nextLag < lag;
    const Lags lags{meetsNextFirst ? nextLag + 1 : lag, lag, std::max<int64_t>(lag, weightsLag)};
    for (auto schedule : llvm::make_early_inc_range(getOperation().getOps<ScheduleOp>()))
      if (schedule.getPurpose() == Purpose::Train &&
          failed(Delayer(schedule, lags, meetsNextFirst, alignment).run()))
        signalPassFailure();
  }
};

} // namespace
} // namespace windlass::flow
