// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/PlaceStates.h"

#include "planning/Placement/PlacementChecker.h"
#include "planning/Placement/PlacementSolver.h"
#include "planning/Tolerances.h"
#include "runtime/base/NearestName.h"

using namespace mlir;

namespace windlass::flow {
namespace {

constexpr size_t kDevice = static_cast<size_t>(plan::Tier::Device);

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
      return Status::badInput("placement." + std::string(plan::textOf(cls)) + ": no \"" + name +
                              "\" in this model" + didYouMean(name, names));
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
        return Status::cannotFit("placement." + std::string(plan::textOf(cls)) +
                                 (name.empty() ? "" : "." + name) + " asks for tier \"" +
                                 stringifyEnum(tier).str() + "\", which the machine does not have");
  }
  return Status::ok();
}

} // namespace

StatePlacer::StatePlacer(ModuleOp module, const model::Machine &machine, const PlacementRequest &request)
    : machine(machine), request(request) {
  BuiltPlacement built = buildPlacement(module, machine, request);
  problem = std::move(built.problem);
  names = std::move(built.names);
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

Result<Placement> StatePlacer::place(const std::array<int64_t, 3> &reserved, UpdateTiming timing) {
  reserve(reserved);
  const auto key = std::pair(problem.updatesWait ? timing : UpdateTiming::Overlapped, problem.capacity);
  if (auto placed = known.find(key); placed != known.end())
    return placed->second;
  planning::PlacementProblem asked = problem;
  asked.updatesWait &= timing == UpdateTiming::AfterPasses;
  Placement placement;
  Result<planning::PlacementSolution> solution = planning::solvePlacement(asked, {.explains = false});
  if (!solution)
    return solution.status();
  planning::PlacementSolution near = *solution;
  if (restOnDevice(asked, near) &&
      (request.isStage || near.use.cost * (1 - planning::kWorthLeaving) <= solution->use.cost))
    solution = std::move(near);
  WINDLASS_TRY(planning::checkPlacement(asked, *solution));
  rest(placement, solution.take());
  return known.emplace(key, std::move(placement)).first->second;
}

/// What updates read may come ahead of the passes' end, where memory allows: the bound is of one span.
Result<double> StatePlacer::leastSeconds() {
  Result<Placement> placement = place({}, UpdateTiming::Overlapped);
  return placement ? Result<double>(planning::leastSeconds(placement->solution.lowerBound))
                   : Result<double>(placement.status());
}

/// Moves all items to the device that may rest there; false: they do not fit.
bool StatePlacer::restOnDevice(const planning::PlacementProblem &problem,
                               planning::PlacementSolution &solution) {
  const std::vector<plan::Tier> solved = solution.home;
  for (auto [item, home] : llvm::zip_equal(problem.items, solution.home))
    if (item.cost[kDevice].allowed)
      home = plan::Tier::Device;
  solution.use = planning::usePlacement(problem, solution.home);
  solution.optimal &= solution.home == solved;
  for (size_t tier = 0; tier < planning::kTiers; ++tier)
    if (solution.use.bytes[tier] > problem.capacity[tier])
      return false;
  return true;
}

Result<Placement> StatePlacer::placeOnDevice(const std::array<int64_t, 3> &reserved) {
  Result<Placement> placement = place(reserved);
  if (!placement)
    return placement;
  planning::PlacementSolution solution = placement->solution;
  if (!restOnDevice(problem, solution))
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
    if (const std::optional<plan::PlacementClass> cls = plan::placementClassOf(reason.subject))
      if (auto pin = request.pins.find(*cls); pin != request.pins.end() && pin->second.others)
        reason.basis = plan::Basis::Asked;
  return all;
}

} // namespace windlass::flow
