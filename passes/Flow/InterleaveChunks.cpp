// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the passes of a stage's chunks of layers in the order of interleaved 1F1B.

#include "passes/Dist/Stages.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/lowering/StepPasses.h"
#include "passes/Flow/lowering/WaitingSlots.h"
#include "passes/Flow/waits/Schedules.h"
#include "planning/Pipeline/ChunkOrder.h"
#include <map>
#include <set>

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_INTERLEAVECHUNKS
#include "passes/Flow/Passes.h.inc"

namespace {

using planning::ChunkedPipeline;
using planning::ChunkEvent;
using planning::ChunkPass;
using Instructions = SmallVector<InstructionOpInterface>;

/// The event of a micro-batch that an instruction belongs to: kind of event, direction and chunk.
using Place = std::tuple<ChunkEvent::Kind, bool, int64_t>;
/// The messages that come once in a step, before all events, and the update, behind them.
const Place kBegin{ChunkEvent::Receive, true, -1}, kUpdate{ChunkEvent::Send, false, -1};
bool isEvent(const Place &place) { return place != kBegin && place != kUpdate; }
Place placeOf(const ChunkEvent &event) { return {event.kind, event.pass.isForward, event.pass.chunk}; }

/// The instructions of a micro-batch by place, in program order. An instruction without a chunk joins the
/// pass of the next instruction that has a chunk; if there is none, it joins the last pass. A message without
/// a chunk goes to kBegin, an update to kUpdate.
std::map<Place, Instructions> instructionsByPlace(SectionOp section, const ChunkedPipeline &pipeline) {
  std::map<Place, Instructions> places;
  ChunkPass pass; // the first
  const auto isBefore = [&](const ChunkPass &other) {
    const int64_t way = pass.isForward ? 1 : -1;
    return pass.isForward != other.isForward ? pass.isForward : way * pass.chunk < way * other.chunk;
  };
  Instructions open;
  const auto close = [&](const ChunkPass &its) {
    for (InstructionOpInterface op : std::exchange(open, {}))
      places[{ChunkEvent::Compute, its.isForward, its.chunk}].push_back(op);
  };
  const StepPasses all(section);
  const llvm::DenseSet<Operation *> forward(all.forward.begin(), all.forward.end());
  for (auto op : section.getBody().front().getOps<InstructionOpInterface>()) {
    auto part = op->getAttrOfType<IntegerAttr>(dist::kStage);
    if (op.origin().getPhase() == Phase::Update) {
      places[kUpdate].push_back(op);
      continue;
    }
    if (!part) {
      (isa<RecvOp, SendOp>(op.getOperation()) ? places[kBegin] : open).push_back(op);
      continue;
    }
    const ChunkPass its{forward.contains(op), part.getInt() / pipeline.stages, 0};
    if (isBefore(its))
      pass = its;
    close(its);
    const ChunkEvent::Kind kind = isa<RecvOp>(op.getOperation())   ? ChunkEvent::Receive
                                  : isa<SendOp>(op.getOperation()) ? ChunkEvent::Send
                                                                   : ChunkEvent::Compute;
    places[{kind, its.isForward, its.chunk}].push_back(op);
  }
  close(pass);
  return places;
}

/// When a micro-batch reaches a place: the number of the event, and the run of the event.
struct Moment {
  int64_t event = 0, run = 0;
};

class Interleaver {
public:
  Interleaver(ScheduleOp schedule, const ChunkedPipeline &pipeline, int64_t stage, int64_t alignment)
      : schedule(schedule), pipeline(pipeline), events(planning::eventsOf(pipeline, stage)),
        alignment(alignment), builder(schedule.getContext()) {
    for (auto [number, event] : llvm::enumerate(events)) {
      auto &moments = momentsOf[placeOf(event)];
      moments.resize(pipeline.microBatches);
      moments[event.pass.microBatch] = {static_cast<int64_t>(number), event.run};
    }
  }

  LogicalResult run() {
    for (auto [section, times] : trainingSchedule(schedule->getParentOfType<ModuleOp>()))
      sections.push_back(section);
    WaitingSlots slots(schedule, alignment);
    for (SectionOp section : sections)
      if (failed(checkPlaces(section)))
        return failure();
    for (SectionOp section : sections)
      if (failed(slots.keep(section, waitingBuffers(section))))
        return failure();
    for (SectionOp section : sections)
      places[section] = instructionsByPlace(section, pipeline);
    arrange();
    return success();
  }

private:
  /// Checks that the stage has the event of every instruction.
  LogicalResult checkPlaces(SectionOp section) {
    for (const auto &[place, instructions] : instructionsByPlace(section, pipeline))
      if (isEvent(place) && !momentsOf.contains(place))
        return instructions.front()->emitOpError("is of chunk ")
               << std::get<int64_t>(place) << ", which has no such event on this stage";
    return success();
  }

  /// Buffers that are used in several runs, in program order.
  SmallVector<WaitingBuffer> waitingBuffers(SectionOp section) {
    llvm::DenseMap<Value, std::set<Place>> used;
    for (const auto &[place, instructions] : instructionsByPlace(section, pipeline))
      for (InstructionOpInterface op : isEvent(place) ? instructions : Instructions())
        for (Value operand : op->getOperands())
          used[resolveBuffer(operand).root].insert(place);
    SmallVector<WaitingBuffer> buffers;
    for (auto alloc : section.getBody().front().getOps<AllocOp>())
      if (const int64_t slots = slotsOf(used[alloc.getBuffer()]); slots > 0)
        buffers.push_back({alloc, slots});
    return buffers;
  }

  /// The most micro-batches that are between the first and the last of these places at a time; 0: every
  /// micro-batch passes them within one run.
  int64_t slotsOf(const std::set<Place> &used) {
    if (used.size() < 2)
      return 0;
    bool waits = false;
    SmallVector<std::pair<int64_t, int64_t>> lives; // by micro-batch: the first and the last event
    for (int64_t microBatch = 0; microBatch < pipeline.microBatches; ++microBatch) {
      SmallVector<Moment> moments;
      for (const Place &place : used)
        moments.push_back(momentsOf.at(place)[microBatch]);
      const auto [first, last] = std::ranges::minmax_element(moments, {}, &Moment::event);
      waits |= first->run != last->run;
      lives.push_back({first->event, last->event});
    }
    if (!waits)
      return 0;
    int64_t slots = 1;
    for (const auto &[first, last] : lives) // lives that begin during this one
      slots =
          std::max<int64_t>(slots, llvm::count_if(lives, [&, end = last, begin = first](const auto &other) {
                              return other.first >= begin && other.first < end;
                            }));
    return slots;
  }

  /// A section holds the first micro-batch of a step, the last, or another one.
  SectionOp sectionOf(int64_t microBatch) const {
    return microBatch == 0                           ? sections.front()
           : microBatch + 1 == pipeline.microBatches ? sections.back()
                                                     : sections[1];
  }

  /// A step of a run. Equal runs share a section.
  struct Step {
    Place place;
    int64_t microBatch; ///< counted from the first micro-batch of the run
    Operation *section; ///< the section whose instructions the step has
    bool operator==(const Step &) const = default;
  };
  using Run = std::vector<Step>;

  void arrange() {
    std::vector<Run> runs(events.back().run + 1);
    if (places[sectionOf(0)].contains(kBegin))
      runs.front().push_back({kBegin, 0, sectionOf(0)});
    for (const ChunkEvent &event : events)
      runs[event.run].push_back({placeOf(event), event.pass.microBatch - event.run * pipeline.stages,
                                 sectionOf(event.pass.microBatch)});
    const int64_t last = pipeline.microBatches - 1;
    runs.back().push_back({kUpdate, last - events.back().run * pipeline.stages, sectionOf(last)});
    builder.setInsertionPoint(sections.front());
    SmallVector<Attribute> symbols;
    SmallVector<int64_t> times;
    for (size_t first = 0, behind = 0; first < runs.size(); first = behind) {
      for (behind = first; behind < runs.size() && runs[behind] == runs[first]; ++behind)
        ;
      SectionOp made = makeSection(runs[first]);
      made.setSymName(behind == runs.size() ? "drain" : "round." + std::to_string(first));
      symbols.push_back(FlatSymbolRefAttr::get(made.getSymNameAttr()));
      times.push_back(static_cast<int64_t>(behind - first));
    }
    for (SectionOp section : sections)
      section.erase();
    builder.setInsertionPoint(schedule);
    ScheduleOp::create(builder, schedule.getLoc(), schedule.getPurpose(), builder.getArrayAttr(symbols),
                       times);
    schedule.erase();
  }

  /// Instructions of one micro-batch share buffers.
  SectionOp makeSection(const Run &run) {
    SectionCopy copy(builder, schedule.getLoc(), pipeline.stages);
    std::map<int64_t, IRMapping> buffers;
    for (const Step &step : run)
      for (InstructionOpInterface op : places[step.section][step.place]) {
        InstructionOpInterface made = copy.add(op, buffers[step.microBatch]);
        const OriginAttr origin = op.origin();
        made->setAttr("origin", OriginAttr::get(op.getContext(), origin.getFunction(), origin.getWhat(),
                                                origin.getPhase(), step.microBatch));
      }
    return copy.finish();
  }

  ScheduleOp schedule;
  const ChunkedPipeline pipeline;
  const std::vector<ChunkEvent> events;
  const int64_t alignment;
  OpBuilder builder;
  SmallVector<SectionOp> sections; ///< the first micro-batch's, perhaps the others', the last's
  std::map<Place, std::vector<Moment>> momentsOf; ///< by micro-batch
  llvm::DenseMap<Operation *, std::map<Place, Instructions>> places;
};

struct InterleaveChunksPass : impl::InterleaveChunksBase<InterleaveChunksPass> {
  using InterleaveChunksBase::InterleaveChunksBase;

  void runOnOperation() override {
    for (auto schedule : llvm::make_early_inc_range(getOperation().getOps<ScheduleOp>())) {
      if (schedule.getPurpose() != Purpose::Train)
        continue;
      int64_t microBatches = 0;
      for (auto [section, times] : trainingSchedule(getOperation()))
        microBatches += times;
      if (microBatches < 2 || microBatches % stages != 0) {
        schedule.emitError("interleave-chunks: ")
            << stages.getValue()
            << " stages take as many micro-batches at a time, each in a run of its own, found "
            << microBatches;
        return signalPassFailure();
      }
      if (failed(Interleaver(schedule, {stages, chunks, microBatches}, stage, alignment).run()))
        return signalPassFailure();
    }
    getOperation().walk([](Operation *op) { op->removeAttr(dist::kStage); });
  }
};

} // namespace
} // namespace windlass::flow
