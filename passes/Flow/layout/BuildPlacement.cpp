// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/BuildPlacement.h"

#include "passes/Flow/homes/BorrowedParameters.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/layout/GradientWork.h"
#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/waits/LaneOrder.h"
#include "passes/Flow/waits/Schedules.h"
#include "planning/Placement/PlacementRates.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace mlir;

namespace windlass::flow {
namespace {

using planning::PlacementItem;
using planning::TierCost;

constexpr size_t kDevice = 0, kHost = 1, kNvme = 2;

/// An item of the problem: the homes of one class of a bucket, or an activation checkpoint.
struct Subject {
  plan::PlacementClass cls = {};
  std::string name;          ///< of the bucket or checkpoint
  SmallVector<HomeOp> homes; ///< empty for a checkpoint
  int64_t bytes = 0;
  HomeOp slots; ///< of a checkpoint that waits from one run to another: micro-batches have a share of the
                ///< bytes each
  double reads = 0, writes = 0; ///< times a step that its bytes are read, or written, on the device
  double leaves = 0;            ///< bytes a step of gradients that rest elsewhere than on the device

  /// What works on it where it rests, a step.
  struct Work {
    /// Bytes of it, which move where it rests on NVMe.
    double reads = 0, writes = 0;
    /// Bytes of device buffers, which move where it rests elsewhere.
    double deviceReads = 0, deviceWrites = 0;
    double deviceSeconds = 0, hostSeconds = 0; ///< if it runs there
  };
  Work passes, updates;
};

std::optional<plan::Tier> pinOf(const Subject &subject, const TierPins &pins) {
  auto cls = pins.find(subject.cls);
  if (cls == pins.end())
    return std::nullopt;
  auto item = cls->second.of.find(subject.name);
  return item == cls->second.of.end() ? cls->second.others : item->second;
}

/// The first buffer of each argument. The buffers of one argument lie in homes of one item.
SmallVector<Value> firstBuffers(UpdateOp update) {
  SmallVector<Value> first;
  int64_t at = 0;
  for (int64_t count : update.getCounts()) {
    first.push_back(update.getBuffers()[at]);
    at += count;
  }
  return first;
}

/// Whether a buffer is a scalar that the update computes: by what the norm of all gradients scales them.
bool isComputedScalar(Value buffer) {
  return bufferType(buffer).getBytes() == sizeof(float) &&
         llvm::any_of(buffer.getUsers(), [&](Operation *user) {
           auto launch = dyn_cast<LaunchOp>(user);
           return launch && cast<InstructionOpInterface>(user).origin().getPhase() == Phase::Update &&
                  llvm::is_contained(launch.getOutputs(), buffer);
         });
}

class ProblemBuilder {
public:
  ProblemBuilder(ModuleOp module, const model::Machine &machine, const PlacementRequest &request)
      : module(module), machine(machine), request(request), cost(module, machine), homes(module),
        gradients(module, homes) {
    for (auto [section, times] : trainingSchedule(module))
      timesRun[section] += static_cast<double>(times);
  }

  BuiltPlacement build() {
    collectHomes();
    collectCheckpoints();
    countUses();
    for (auto &[id, subject] : subjects)
      problem.items.push_back(itemOf(id, subject));
    for (auto &[joined, bytes] : updates)
      problem.updates.push_back({subjectAt(joined.first), subjectAt(joined.second),
                                 static_cast<int64_t>(bytes.first), static_cast<int64_t>(bytes.second)});
    planning::setRates(problem, machine);
    countBase();
    BuiltPlacement built{std::move(problem), {}};
    for (auto &[id, subject] : subjects)
      built.names.emplace_back(subject.cls, subject.name);
    return built;
  }

private:
  void collectHomes() {
    for (auto home : module.getOps<HomeOp>()) {
      if (home.getTier() || !home.getRole())
        continue;
      const auto [cls, bucket] = placementItem(home);
      Subject &subject = subjects[bucket + "." + std::string(plan::textOf(cls))];
      subject.cls = cls;
      subject.name = bucket;
      subject.homes.push_back(home);
      subject.bytes += home.getBytes();
    }
  }

  /// A checkpoint is one item: that of all sections, and of all micro-batches of a section, or all its slots.
  void collectCheckpoints() {
    for (auto home : module.getOps<HomeOp>()) {
      if (home.getTier() || home.getRole())
        continue;
      const auto [cls, name] = placementItem(home);
      Subject &subject = subjects["checkpoint " + name];
      subject.cls = cls;
      subject.name = name;
      subject.bytes = heldBytes(home);
      subject.slots = home;
    }
    for (auto section : module.getOps<SectionOp>()) {
      llvm::MapVector<StringRef, int64_t> bytes;
      for (AllocOp alloc : checkpointsOf(section))
        bytes[alloc.getName()] += bufferType(alloc.getBuffer()).getBytes();
      for (auto &[name, held] : bytes) {
        Subject &subject = subjects["checkpoint " + name.str()];
        subject.cls = plan::PlacementClass::Checkpoint;
        subject.name = name.str();
        subject.bytes = held;
      }
    }
  }

  double runs(SectionOp section) const { return timesRun.lookup(section); }

  void countUses() {
    for (auto &[id, subject] : subjects)
      for (HomeOp home : subject.homes)
        byHome[home] = &subject;
    for (auto section : module.getOps<SectionOp>()) {
      auto count = [&](Value buffer, double Subject::*counter) {
        if (HomeOp home = homes.behind(buffer); Subject *subject = byHome.lookup(home))
          subject->*counter +=
              runs(section) * static_cast<double>(home.getBytes()) / static_cast<double>(subject->bytes);
      };
      BorrowedParameters borrowed(homes);
      for (Operation &op : section.getBody().front()) {
        if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
          bool brings = collective.bringsUnits();
          count(collective.getShard(), brings ? &Subject::reads : &Subject::writes);
          for (Value unit : collective.getUnits())
            count(unit, brings ? &Subject::writes : &Subject::reads);
        }
        if (auto launch = dyn_cast<LaunchOp>(op)) {
          for (Value home : borrowed.firstReadBy(launch))
            count(home, &Subject::reads);
          countWork(launch, runs(section));
        }
        if (auto update = dyn_cast<UpdateOp>(op))
          countUpdate(update, runs(section));
      }
    }
    for (auto section : module.getOps<SectionOp>()) {
      training += runs(section);
      for (auto &[id, subject] : subjects)
        for (HomeOp home : subject.homes)
          subject.leaves += runs(section) * gradients.bytesLeaving(section, home);
    }
    for (auto &[id, subject] : subjects)
      if (subject.cls == plan::PlacementClass::Checkpoint)
        subject.reads = subject.writes = timesUsed(subject);
  }

  /// How often a step all bytes of a checkpoint move: those in slots, one micro-batch after the other.
  double timesUsed(Subject &checkpoint) {
    if (!checkpoint.slots)
      return training;
    double written = 0;
    for (auto section : module.getOps<SectionOp>()) {
      std::set<int64_t> microBatches;
      for (auto op : section.getBody().front().getOps<InstructionOpInterface>())
        if (llvm::any_of(op.getWrites(), [&](Value to) { return homes.behind(to) == checkpoint.slots; }))
          microBatches.insert(op.origin().getMicroBatch());
      written += runs(section) * static_cast<double>(microBatches.size());
    }
    return written / static_cast<double>(checkpoint.slots.getSlots());
  }

  /// Adds the bytes that an update moves of each state, and the seconds that it computes.
  void countUpdate(UpdateOp update, double times) {
    double elements = 0;
    for (int64_t piece : update.getPieces())
      elements += static_cast<double>(piece);
    Subject *worker = byHome.lookup(homes.ofUpdate(update));
    for (auto [i, buffer] : llvm::enumerate(firstBuffers(update))) {
      const bool isRead = static_cast<int64_t>(i) < static_cast<int64_t>(update.getNumInputs());
      problem.updatesWait |= isRead && isComputedScalar(buffer);
      countOperand(worker, &Subject::updates, buffer, isRead,
                   times * elements * static_cast<double>(update.getElementBytes()[i]));
    }
    if (worker)
      addWork(*worker, &Subject::updates, update.getKernel(), elements, times);
  }

  /// Adds what a launch on a home takes: a sum of gradients, a part of the norm, or an update of a whole
  /// state.
  void countWork(LaunchOp launch, double times) {
    Subject *worker = restingUnder(launch);
    if (!worker)
      return;
    Subject::Work Subject::*work = &Subject::passes;
    if (cast<InstructionOpInterface>(launch.getOperation()).origin().getPhase() == Phase::Update) {
      if (llvm::any_of(launch.getOutputs(), [&](Value to) { return byHome.lookup(homes.behind(to)); }))
        work = &Subject::updates;
      for (bool isRead : {true, false})
        for (Value buffer : isRead ? launch.getInputs() : launch.getOutputs()) {
          problem.updatesWait |= work == &Subject::updates && isRead && isComputedScalar(buffer);
          countOperand(worker, work, buffer, isRead,
                       times * static_cast<double>(bufferType(buffer).getBytes()));
        }
    }
    addWork(*worker, work, launch.getKernel(), static_cast<double>(launch.getEnd() - launch.getBegin()),
            times);
  }

  /// Adds the bytes of an operand of work that runs where its worker rests.
  void countOperand(Subject *worker, Subject::Work Subject::*work, Value buffer, bool isRead, double bytes) {
    Subject *subject = byHome.lookup(homes.behind(buffer));
    if (subject)
      (isRead ? (subject->*work).reads : (subject->*work).writes) += bytes;
    if (worker && !subject && bufferType(buffer).getTier() == Tier::Device)
      (isRead ? (worker->*work).deviceReads : (worker->*work).deviceWrites) += bytes;
    if (worker && subject && worker != subject) {
      auto &[reads, writes] = updates[{worker, subject}];
      (isRead ? reads : writes) += bytes / static_cast<double>(holdersOf(*subject));
    }
  }

  void addWork(Subject &subject, Subject::Work Subject::*work, StringRef kernel, double elements,
               double times) {
    // Owners launch for their own buckets alone: the mean over ranks counts.
    elements /= static_cast<double>(holdersOf(subject));
    (subject.*work).deviceSeconds += times * cost.launchSeconds(kernel, elements, Lane::Compute);
    (subject.*work).hostSeconds += times * cost.launchSeconds(kernel, elements, Lane::HostCompute);
  }

  /// The item whose home decides where a launch runs; null where none does. Parameters that are borrowed come
  /// to the device.
  Subject *restingUnder(LaunchOp launch) const {
    if (gradients.isOnDevice(launch))
      return nullptr;
    const bool borrows = BorrowedParameters::borrows(launch);
    for (Value operand : launch.getOperands())
      if (HomeOp home = homes.behind(operand); home && !(borrows && home.getRole() == graph::Role::Parameter))
        if (Subject *subject = byHome.lookup(home))
          return subject;
    return nullptr;
  }

  /// The divisor of bytes and seconds for the mean over ranks: the bytes of an owner rest on one rank alone.
  int64_t holdersOf(const Subject &subject) const {
    bool isOwned =
        !subject.homes.empty() && static_cast<int64_t>(HomeOp(subject.homes.front()).getOwner()) >= 0;
    return isOwned ? dataRanksOf(module) : 1;
  }

  PlacementItem itemOf(const std::string &id, Subject &subject) {
    PlacementItem item;
    item.id = id;
    item.cls = plan::textOf(subject.cls);
    // Different owners' links work at the same time: the busiest link is busy for the mean at least.
    const int64_t holders = holdersOf(subject), resident = (subject.bytes + holders - 1) / holders;
    auto moved = [&](double bytes) { return static_cast<int64_t>(bytes / static_cast<double>(holders)); };
    const double bytes = static_cast<double>(subject.bytes), reads = subject.reads * bytes,
                 writes = subject.writes * bytes;
    const double leaves = subject.cls == plan::PlacementClass::Grad ? subject.leaves : writes;
    TierCost &device = item.cost[kDevice], &host = item.cost[kHost], &nvme = item.cost[kNvme];
    device.resident[kDevice] = host.resident[kHost] = nvme.resident[kNvme] = resident;
    for (auto [work, span] :
         {std::pair(&subject.passes, &TierCost::passes), std::pair(&subject.updates, &TierCost::updates)}) {
      (device.*span).compute = work->deviceSeconds;
      (host.*span) = {.cgIn = moved(work->deviceWrites),
                      .cgOut = moved(work->deviceReads),
                      .hostCompute = work->hostSeconds};
      (nvme.*span) = host.*span;
      (nvme.*span).ncIn = moved(work->reads);
      (nvme.*span).ncOut = moved(work->writes);
    }
    for (planning::PlacementWork *passes : {&host.passes, &nvme.passes}) {
      passes->cgIn += moved(reads);
      passes->cgOut += moved(leaves);
    }
    nvme.passes.ncIn += moved(reads);
    nvme.passes.ncOut += moved(writes);
    std::optional<plan::Tier> pin = pinOf(subject, request.pins);
    bool whole = !subject.homes.empty() && static_cast<int64_t>(subject.homes.front().getUnit()) >= 0;
    if (!pin && request.wholeOnDevice && whole && subject.cls == plan::PlacementClass::Param)
      pin = plan::Tier::Device;
    for (size_t tier = 0; tier < planning::kTiers; ++tier)
      item.cost[tier].allowed =
          pin ? static_cast<size_t>(*pin) == tier : machine.has(static_cast<Tier>(tier));
    return item;
  }

  uint32_t subjectAt(const Subject *subject) const {
    auto isIt = [&](const auto &pair) { return &pair.second == subject; };
    return static_cast<uint32_t>(std::distance(subjects.begin(), llvm::find_if(subjects, isIt)));
  }

  /// The base: seconds of launches and collectives that no placement changes. Collectives of one rank become
  /// views, wherever homes are.
  void countBase() {
    struct Collectives {
      double inside = 0, across = 0; ///< seconds inside groups of ranks, and between them
    };
    std::array<Collectives, planning::kSpans> collectives;
    for (auto section : module.getOps<SectionOp>())
      for (Operation &op : section.getBody().front()) {
        auto instruction = dyn_cast<InstructionOpInterface>(op);
        if (!instruction || isa<UpdateOp>(op))
          continue;
        const planning::Span span = instruction.origin().getPhase() == Phase::Update ? planning::Span::Updates
                                                                                     : planning::Span::Passes;
        double seconds = runs(section) * cost.seconds(instruction);
        auto &[inside, across] = collectives[static_cast<size_t>(span)];
        if (auto collective = dyn_cast<CollectiveOpInterface>(op); collective && !isOfOneRank(collective))
          (*instruction.deriveLane() == Lane::Nodes ? across : inside) += seconds;
        else if (auto launch = dyn_cast<LaunchOp>(op); launch && !restingUnder(launch))
          problem.base[planning::loadOf(span, planning::Resource::Compute)] += seconds;
      }
    // Two lanes with hardware of their own overlap; two lanes that share cores do not.
    const bool overlap = machine.sharedWeight(plan::Lane::Gg) <= 0;
    for (planning::Span span : {planning::Span::Passes, planning::Span::Updates}) {
      const auto [inside, across] = collectives[static_cast<size_t>(span)];
      problem.base[planning::loadOf(span, planning::Resource::Gg)] =
          overlap ? std::max(inside, across) : inside + across;
    }
  }

  llvm::MapVector<std::string, Subject, std::map<std::string, unsigned>> subjects;
  ModuleOp module;
  const model::Machine &machine;
  const PlacementRequest &request;
  InstructionCost cost;
  HomeTable homes;
  GradientWork gradients;
  llvm::DenseMap<Operation *, double> timesRun; ///< a step, by section
  llvm::DenseMap<Operation *, Subject *> byHome;
  /// Bytes a step that updates read and write, by worker (whose home decides where the update runs) and
  /// operand.
  llvm::MapVector<std::pair<Subject *, Subject *>, std::pair<double, double>> updates;
  double training = 0; ///< runs of sections in a step
  planning::PlacementProblem problem;
};

} // namespace

BuiltPlacement buildPlacement(ModuleOp module, const model::Machine &machine,
                              const PlacementRequest &request) {
  return ProblemBuilder(module, machine, request).build();
}

} // namespace windlass::flow
