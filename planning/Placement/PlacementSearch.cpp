// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementSearch.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace windlass::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Costs that differ by a smaller share are equal, up to rounding.
constexpr double kGrain = 1e-10;
/// A placement that costs at most so much more than the bound is searched on for a `kFewer`th of the nodes.
constexpr double kNearBound = 1e-3;
constexpr int64_t kFewer = 25;
/// Kinds with more members than this are placed by exchange only.
constexpr int64_t kMostMembers = 400;

/// Visits every move that counts allow. A visitor that changes the counts changes them back.
template <typename Visit>
void forMoves(const PlacementKinds &model, const std::vector<Counts> &counts, Visit visit) {
  for (size_t k = 0; k < counts.size(); ++k)
    for (size_t from = 0; from < kTiers; ++from)
      for (size_t to = 0; to < kTiers; ++to)
        if (from != to && counts[k][from] > 0 && model.kinds[k].home[to].allowed)
          visit(PlacementMove{k, from, to});
}

void takeBack(const PlacementMove &move, std::vector<Counts> &counts) {
  ++counts[move.kind][move.from];
  --counts[move.kind][move.to];
}

} // namespace

PlacementSearch::PlacementSearch(const PlacementProblem &problem, int64_t nodeLimit)
    : model(problem), nodeLimit(nodeLimit), nodesLeft(nodeLimit), bestCost(kInfinity) {}

void PlacementSearch::offer(const std::vector<Counts> &counts) {
  PlacementLoad load = model.load(counts);
  double cost = placementCost(load.loads);
  if (model.excess(load) == 0 && cost < bestCost * (1 - kGrain)) {
    bestCost = cost;
    bestCounts = counts;
  }
}

/// Repairs by one move: the one that removes the most excess per second that it costs.
bool PlacementSearch::repairStep(std::vector<Counts> &counts) {
  const PlacementLoad load = model.load(counts);
  PlacementLoad moved;
  double excess = model.excess(load), cost = placementCost(load.loads), bestWorth = 0;
  std::optional<PlacementMove> best;
  forMoves(model, counts, [&](const PlacementMove &move) {
    --trialsLeft;
    moved = load;
    model.make(move, counts, moved);
    takeBack(move, counts);
    double gain = excess - model.excess(moved);
    double worth = gain / (std::max(0.0, placementCost(moved.loads) - cost) + 1e-6 * cost + 1e-12);
    if (gain > 0 && worth > bestWorth) {
      bestWorth = worth;
      best = move;
    }
  });
  if (!best)
    return false;
  --counts[best->kind][best->from];
  ++counts[best->kind][best->to];
  return true;
}

/// Improves by the best move that fits and costs less, or else by the best pair of moves.
bool PlacementSearch::improveStep(std::vector<Counts> &counts) {
  const PlacementLoad load = model.load(counts);
  double best = placementCost(load.loads) * (1 - kGrain);
  std::vector<Counts> next;
  PlacementLoad first, moved; // by the first move of a pair, and by both
  auto consider = [&](const PlacementLoad &from, const PlacementMove &move) {
    --trialsLeft;
    moved = from;
    model.make(move, counts, moved);
    double cost = placementCost(moved.loads);
    if (cost < best && model.excess(moved) == 0) {
      best = cost;
      next = counts;
    }
    takeBack(move, counts);
  };
  forMoves(model, counts, [&](const PlacementMove &move) { consider(load, move); });
  if (next.empty())
    forMoves(model, counts, [&](const PlacementMove &move) {
      if (trialsLeft <= 0)
        return;
      first = load;
      model.make(move, counts, first);
      forMoves(model, counts, [&](const PlacementMove &second) { consider(first, second); });
      takeBack(move, counts);
    });
  if (next.empty())
    return false;
  counts = std::move(next);
  return true;
}

void PlacementSearch::repairAndImprove(std::vector<Counts> counts) {
  while (trialsLeft > 0 && model.excess(model.load(counts)) > 0)
    if (!repairStep(counts))
      return;
  offer(counts);
  while (trialsLeft > 0 && bestCost > least * (1 + kGrain) && model.excess(model.load(counts)) == 0 &&
         improveStep(counts))
    offer(counts);
}

void PlacementSearch::prepare() {
  sequence.resize(model.kinds.size());
  std::iota(sequence.begin(), sequence.end(), 0u);
  auto weight = [&](size_t k) {
    int64_t most = 0;
    for (const PlacementKind::Home &home : model.kinds[k].home)
      most = std::max(most, *std::max_element(home.resident.begin(), home.resident.end()));
    return static_cast<double>(most) * static_cast<double>(model.kinds[k].count());
  };
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](size_t a, size_t b) { return weight(a) > weight(b); });
  size_t depths = sequence.size();
  choices.assign(depths, {});
  reached.assign(depths + 1, model.emptyLoad());
  restPrice.assign(depths + 1, 0);
  std::vector<size_t> depthOf(depths);
  for (size_t depth = 0; depth < depths; ++depth)
    depthOf[sequence[depth]] = depth;
  joins.assign(depths, {});
  for (size_t each = 0; each < model.traffic.size(); ++each)
    joins[std::max(depthOf[model.traffic[each].worker], depthOf[model.traffic[each].operand])].push_back(
        each);
  PlacementLoad nothing;
  rest.assign(depths + 1, nothing);
  for (size_t depth = depths; depth-- > 0;) {
    const PlacementKind &kind = model.kinds[sequence[depth]];
    for (int64_t device = 0; device <= kind.count(); ++device)
      for (int64_t host = 0; device + host <= kind.count(); ++host) {
        Choice choice{{device, host, kind.count() - device - host}, 0};
        bool allowed = true;
        for (size_t tier = 0; tier < kTiers; ++tier) {
          allowed &= choice.counts[tier] == 0 || kind.home[tier].allowed;
          choice.price += bound->price(sequence[depth], tier) * static_cast<double>(choice.counts[tier]);
        }
        if (allowed)
          choices[depth].push_back(choice);
      }
    std::stable_sort(choices[depth].begin(), choices[depth].end(),
                     [](const Choice &a, const Choice &b) { return a.price < b.price; });
    rest[depth] = rest[depth + 1];
    restPrice[depth] = restPrice[depth + 1] + choices[depth].front().price;
    auto least = [&](auto member, size_t index) {
      double smallest = kInfinity;
      for (const PlacementKind::Home &home : kind.home)
        if (home.allowed)
          smallest = std::min(smallest, static_cast<double>((home.*member)[index]));
      return smallest;
    };
    for (size_t at = 0; at < kLoads; ++at)
      rest[depth].loads[at] += least(&PlacementKind::Home::loads, at) * static_cast<double>(kind.count());
    for (size_t t = 0; t < kTiers; ++t)
      rest[depth].resident[t] +=
          static_cast<int64_t>(least(&PlacementKind::Home::resident, t)) * kind.count();
  }
}

int64_t PlacementSearch::nodesToGo() const {
  return bestCost <= least * (1 + kNearBound) ? nodeLimit / kFewer : nodeLimit;
}

void PlacementSearch::descend(size_t depth, double price) {
  const PlacementLoad &load = reached[depth];
  if (depth == sequence.size()) {
    double cost = placementCost(load.loads);
    if (cost < bestCost * (1 - kGrain)) {
      bestCost = cost;
      bestCounts = current;
      nodesLeft = nodesToGo();
    }
    return;
  }
  const PlacementKind &kind = model.kinds[sequence[depth]];
  for (const Choice &choice : choices[depth]) {
    if (price + choice.price + restPrice[depth + 1] >= bestCost * (1 - kGrain))
      return; // and so are all later choices
    if (--nodesLeft < 0 || (firstWillDo && bestCost < kInfinity))
      return;
    PlacementLoad &next = reached[depth + 1];
    next = load;
    next.add(kind, choice.counts);
    current[sequence[depth]] = choice.counts;
    double spent = price + choice.price;
    for (size_t each : joins[depth]) {
      const KindTraffic &traffic = model.traffic[each];
      const int64_t apart = KindTraffic::apart(current[traffic.worker], current[traffic.operand]);
      next.add(traffic, apart);
      spent += bound->rest(each, apart);
    }
    bool fits = true;
    Loads loads = next.loads;
    for (size_t at = 0; at < kLoads; ++at)
      loads[at] += rest[depth + 1].loads[at];
    for (size_t t = 0; t < kTiers; ++t)
      fits &= next.bytes(t) + rest[depth + 1].resident[t] <= model.capacity[t];
    const double limit = bestCost * (1 - kGrain);
    if (!fits || placementCost(loads) >= limit || spent + restPrice[depth + 1] >= limit)
      continue;
    descend(depth + 1, spent);
  }
}

std::optional<PlacementFound> PlacementSearch::best() {
  for (const PlacementKind &kind : model.kinds)
    if (std::none_of(kind.home.begin(), kind.home.end(), [](const auto &home) { return home.allowed; }))
      return std::nullopt;
  bound.emplace(model);
  if (!bound->isFeasible())
    return std::nullopt;
  least = bound->bound();
  repairAndImprove(bound->rounded());
  current.assign(model.kinds.size(), {});
  bool small = std::all_of(model.kinds.begin(), model.kinds.end(),
                           [](const PlacementKind &kind) { return kind.count() <= kMostMembers; });
  if (small && !(firstWillDo && bestCost < kInfinity)) {
    prepare();
    nodesLeft = nodesToGo();
    descend(0, bound->constant());
  }
  if (bestCost == kInfinity)
    return std::nullopt;
  bool proven = small && nodesLeft >= 0;
  return PlacementFound{model.homes(bestCounts), proven ? bestCost : std::min(least, bestCost), proven};
}

bool PlacementSearch::fits() {
  firstWillDo = true;
  return best().has_value();
}

} // namespace windlass::planning
