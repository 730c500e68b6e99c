// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/PlaceStates.h"

#include "dialects/Flow/IR/FlowDialect.h"
#include "passes/Flow/homes/BorrowedParameters.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/homes/Staging.h"
#include "passes/Flow/layout/GradientWork.h"
#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/waits/LaneOrder.h"
#include "passes/Flow/waits/Schedules.h"
#include "planning/Placement/PlacementChecker.h"
#include "planning/Placement/PlacementRates.h"
#include "planning/Placement/PlacementSolver.h"
#include "runtime/base/NearestName.h"
#include "runtime/plan/PlacementClass.h"
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
  std::string cls, name;     ///< class; name of the bucket or checkpoint
  SmallVector<HomeOp> homes; ///< empty for a checkpoint
  int64_t bytes = 0;
  HomeOp slots; ///< of a checkpoint that waits from one run to another: micro-batches have a share of the
                ///< bytes each
  double reads = 0, writes = 0; ///< times a step that its bytes are read, or written, on the device
  double updateReads = 0, updateWrites = 0; ///< bytes a step that updates read and write of it
  double leaves = 0;                    ///< bytes a step of gradients that rest elsewhere than on the device
  double workReads = 0, workWrites = 0; ///< bytes a step of device buffers that its update reads and writes
  double deviceSeconds = 0, hostSeconds = 0; ///< a step, of updates and norms if they run there
};

std::string wordOf(plan::PlacementClass cls) { return std::string(plan::textOf(cls)); }

SmallVector<AllocOp> checkpointsOf(SectionOp section) {
  SmallVector<AllocOp> checkpoints;
  for (auto alloc : section.getBody().front().getOps<AllocOp>())
    if (alloc.getBufferClass() == BufferClass::Checkpoint)
      checkpoints.push_back(alloc);
  return checkpoints;
}

/// The class and the name of the item that a home without a tier is of. Without a role it holds an activation
/// checkpoint in slots.
std::pair<std::string, std::string> placedItem(HomeOp home) {
  if (!home.getRole())
    return {wordOf(plan::PlacementClass::Checkpoint), home.getSymName().str()};
  return {wordOf(plan::placedAs(*home.getRole())), home.getBucket()->str()};
}

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

class ProblemBuilder {
public:
  ProblemBuilder(ModuleOp module, const model::Machine &machine, const PlacementRequest &request)
      : module(module), machine(machine), request(request), cost(module, machine), homes(module),
        gradients(module, homes) {
    for (auto [section, times] : trainingSchedule(module))
      timesRun[section] += static_cast<double>(times);
  }

  /// The problem without its capacities.
  planning::PlacementProblem build() {
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
    return std::move(problem);
  }

  llvm::MapVector<std::string, Subject, std::map<std::string, unsigned>> subjects;

private:
  void collectHomes() {
    for (auto home : module.getOps<HomeOp>()) {
      if (home.getTier() || !home.getRole())
        continue;
      const auto [cls, bucket] = placedItem(home);
      Subject &subject = subjects[bucket + "." + cls];
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
      const auto [cls, name] = placedItem(home);
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
        subject.cls = wordOf(plan::PlacementClass::Checkpoint);
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
      if (subject.cls == plan::textOf(plan::PlacementClass::Checkpoint))
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
      const double bytes = times * elements * static_cast<double>(update.getElementBytes()[i]);
      Subject *subject = byHome.lookup(homes.behind(buffer));
      if (subject)
        (isRead ? subject->updateReads : subject->updateWrites) += bytes;
      if (worker && !subject && bufferType(buffer).getTier() == Tier::Device)
        (isRead ? worker->workReads : worker->workWrites) += bytes;
      if (worker && subject && worker != subject) {
        auto &[reads, writes] = updates[{worker, subject}];
        (isRead ? reads : writes) += bytes / static_cast<double>(holdersOf(*subject));
      }
    }
    if (worker)
      addWork(*worker, update.getKernel(), elements, times);
  }

  /// Adds the seconds of a launch on a home: part of a norm.
  void countWork(LaunchOp launch, double times) {
    if (Subject *subject = restingUnder(launch))
      addWork(*subject, launch.getKernel(), static_cast<double>(launch.getEnd() - launch.getBegin()), times);
  }

  void addWork(Subject &subject, StringRef kernel, double elements, double times) {
    // Owners launch for their own buckets alone: the mean over ranks counts.
    elements /= static_cast<double>(holdersOf(subject));
    subject.deviceSeconds += times * cost.launchSeconds(kernel, elements, Lane::Compute);
    subject.hostSeconds += times * cost.launchSeconds(kernel, elements, Lane::HostCompute);
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
    item.cls = subject.cls;
    // Different owners' links work at the same time: the busiest link is busy for the mean at least.
    const int64_t holders = holdersOf(subject), resident = (subject.bytes + holders - 1) / holders;
    auto moved = [&](double bytes) { return static_cast<int64_t>(bytes / static_cast<double>(holders)); };
    const double bytes = static_cast<double>(subject.bytes), reads = subject.reads * bytes,
                 writes = subject.writes * bytes;
    const double leaves = subject.cls == plan::textOf(plan::PlacementClass::Grad) ? subject.leaves : writes;
    TierCost &device = item.cost[kDevice], &host = item.cost[kHost], &nvme = item.cost[kNvme];
    device.resident[kDevice] = host.resident[kHost] = nvme.resident[kNvme] = resident;
    host.cgIn = nvme.cgIn = moved(reads + subject.workWrites);
    host.cgOut = nvme.cgOut = moved(leaves + subject.workReads);
    nvme.ncIn = moved(reads + subject.updateReads);
    nvme.ncOut = moved(writes + subject.updateWrites);
    device.compute = subject.deviceSeconds;
    host.hostCompute = nvme.hostCompute = subject.hostSeconds;
    std::optional<plan::Tier> pin = pinOf(subject, request.pins);
    bool whole = !subject.homes.empty() && static_cast<int64_t>(subject.homes.front().getUnit()) >= 0;
    if (!pin && request.wholeOnDevice && whole && subject.cls == plan::textOf(plan::PlacementClass::Param))
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
    double inside = 0, across = 0; // seconds of collectives inside groups of ranks, and between them
    for (auto section : module.getOps<SectionOp>())
      for (Operation &op : section.getBody().front()) {
        auto instruction = dyn_cast<InstructionOpInterface>(op);
        if (!instruction || isa<UpdateOp>(op))
          continue;
        double seconds = runs(section) * cost.seconds(instruction);
        if (auto collective = dyn_cast<CollectiveOpInterface>(op); collective && !isOfOneRank(collective))
          (*instruction.deriveLane() == Lane::Nodes ? across : inside) += seconds;
        else if (auto launch = dyn_cast<LaunchOp>(op); launch && !restingUnder(launch))
          problem.base[static_cast<size_t>(planning::Resource::Compute)] += seconds;
      }
    // Two lanes with hardware of their own overlap; two lanes that share cores do not.
    problem.base[static_cast<size_t>(planning::Resource::Gg)] =
        machine.sharedWeight(plan::Lane::Gg) > 0 ? inside + across : std::max(inside, across);
  }

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

/// Refuses pins of items that the module lacks, as a strategy for another model or bucket size may have.
Status checkItems(const TierPins &pins, const TierPins &items) {
  for (const auto &[cls, pinned] : pins)
    for (const auto &[name, tier] : pinned.of) {
      auto known = items.find(cls);
      if (known != items.end() && known->second.of.count(name))
        continue;
      std::vector<std::string_view> names;
      if (known != items.end())
        for (const auto &[item, home] : known->second.of)
          names.push_back(item);
      return Status::badInput("placement." + cls + ": no \"" + name + "\" in this model" +
                              didYouMean(name, names));
    }
  return Status::ok();
}

/// Refuses pins to a tier that the machine lacks.
Status checkTiers(const TierPins &pins, const model::Machine &machine) {
  for (const auto &[cls, pinned] : pins) {
    std::map<std::string, plan::Tier> all = pinned.of;
    if (pinned.others)
      all[""] = *pinned.others;
    for (const auto &[name, tier] : all)
      if (!machine.has(tier))
        return Status::cannotFit("placement." + cls + (name.empty() ? "" : "." + name) + " asks for tier \"" +
                                 stringifyEnum(tier).str() + "\", which the machine does not have");
  }
  return Status::ok();
}

} // namespace

std::vector<std::pair<std::string, std::string>> placedItems(ModuleOp module) {
  std::vector<std::pair<std::string, std::string>> items;
  for (auto home : module.getOps<HomeOp>())
    if (!home.getTier())
      items.push_back(placedItem(home));
  for (auto section : module.getOps<SectionOp>())
    for (AllocOp alloc : checkpointsOf(section))
      items.emplace_back(wordOf(plan::PlacementClass::Checkpoint), alloc.getName().str());
  return items;
}

TierPins itemsOf(ModuleOp module) {
  TierPins items;
  for (const auto &[cls, name] : placedItems(module))
    items[cls].of[name] = Tier::Device;
  return items;
}

StatePlacer::StatePlacer(ModuleOp module, const model::Machine &machine, const PlacementRequest &request)
    : machine(machine), request(request) {
  ProblemBuilder builder(module, machine, request);
  problem = builder.build();
  for (auto &[id, subject] : builder.subjects)
    names.emplace_back(subject.cls, subject.name);
}

void StatePlacer::reserve(const std::array<int64_t, 3> &reserved) {
  for (auto [tier, bytes] : llvm::enumerate(reserved))
    problem.capacity[tier] = std::max<int64_t>(0, machine.capacity(static_cast<Tier>(tier)) - bytes);
}

plan::Shortage StatePlacer::shortage(const std::array<int64_t, 3> &reserved) {
  reserve(reserved);
  return planning::findShortage(problem);
}

Status StatePlacer::checkPins() const {
  WINDLASS_TRY(checkTiers(request.pins, machine));
  TierPins items;
  for (const auto &[cls, name] : names)
    items[cls].of[name] = plan::Tier::Device;
  return checkItems(request.pins, items);
}

Result<Placement> StatePlacer::place(const std::array<int64_t, 3> &reserved) {
  reserve(reserved);
  if (auto placed = known.find(problem.capacity); placed != known.end())
    return placed->second;
  Placement placement;
  Result<planning::PlacementSolution> solution = planning::solvePlacement(problem, {.explains = false});
  if (!solution)
    return solution.status();
  WINDLASS_TRY(planning::checkPlacement(problem, *solution));
  rest(placement, solution.take());
  return known.emplace(problem.capacity, std::move(placement)).first->second;
}

Result<double> StatePlacer::leastSeconds() {
  Result<Placement> placement = place({});
  return placement ? Result<double>(planning::leastSeconds(placement->solution.lowerBound))
                   : Result<double>(placement.status());
}

Result<Placement> StatePlacer::placeOnDevice(const std::array<int64_t, 3> &reserved) {
  Result<Placement> placement = place(reserved);
  if (!placement)
    return placement;
  planning::PlacementSolution solution = placement->solution;
  for (auto [item, home] : llvm::zip_equal(problem.items, solution.home))
    if (item.cost[kDevice].allowed)
      home = plan::Tier::Device;
  solution.use = planning::usePlacement(problem, solution.home);
  solution.optimal &= solution.home == placement->solution.home;
  for (size_t tier = 0; tier < planning::kTiers; ++tier)
    if (solution.use.bytes[tier] > problem.capacity[tier])
      return Status::cannotFit("the device does not hold everything");
  WINDLASS_TRY(planning::checkPlacement(problem, solution));
  rest(*placement, std::move(solution));
  return placement;
}

void StatePlacer::rest(Placement &placement, planning::PlacementSolution solution) const {
  for (auto [item, home] : llvm::zip_equal(names, solution.home))
    placement.homes[item.first].of[item.second] = home;
  placement.solution = std::move(solution);
}

std::vector<plan::Reason> StatePlacer::explain(const Placement &placement,
                                               const std::array<int64_t, 3> &reserved) {
  reserve(reserved);
  std::vector<plan::Reason> all = planning::explainPlacement(problem, placement.solution.home);
  for (plan::Reason &reason : all)
    if (auto pin = request.pins.find(reason.subject); pin != request.pins.end() && pin->second.others)
      reason.basis = plan::Basis::Asked;
  return all;
}

bool allOnDevice(const TierPins &homes) {
  return llvm::all_of(homes, [](const auto &cls) {
    return llvm::all_of(cls.second.of, [](const auto &item) { return item.second == plan::Tier::Device; });
  });
}

void applyPlacement(ModuleOp module, const TierPins &homes) {
  for (auto home : module.getOps<HomeOp>())
    if (!home.getTier())
      home.setTier(homes.at(placedItem(home).first).of.at(placedItem(home).second));
  for (auto section : module.getOps<SectionOp>())
    for (AllocOp alloc : checkpointsOf(section))
      alloc.setCheckpointHomeAttr(
          TierAttr::get(module.getContext(),
                        homes.at(wordOf(plan::PlacementClass::Checkpoint)).of.at(alloc.getName().str())));
}

} // namespace windlass::flow
