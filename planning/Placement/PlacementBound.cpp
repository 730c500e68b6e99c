// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementBound.h"

#include "planning/Placement/LinearProgram.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace windlass::planning {
namespace {

/// The linear program. Columns: the share of each kind in each tier; per traffic, the shares of pairs that
/// are apart in one and in the other direction; the length of each span. Rows: one per resource in each span;
/// one per tier; one per kind, whose shares have a sum of at least one (exactly one, since costs are zero or
/// more); two per traffic, for no fewer pairs are apart than the shares of both kinds on the device differ.
class Layout {
public:
  explicit Layout(const PlacementKinds &model) : kinds(model.kinds.size()), traffic(model.traffic.size()) {}

  static size_t column(size_t kind, size_t tier) { return kind * kTiers + tier; }
  size_t apartColumn(size_t each, bool isWorkerHere) const {
    return kinds * kTiers + 2 * each + isWorkerHere;
  }
  size_t lengthColumn(size_t span) const { return kinds * kTiers + 2 * traffic + span; }
  size_t columns() const { return lengthColumn(kSpans); }
  static size_t tierRow(size_t tier) { return kLoads + tier; }
  static size_t kindRow(size_t kind) { return kLoads + kTiers + kind; }
  size_t apartRow(size_t each, bool isWorkerHere) const { return kindRow(kinds) + 2 * each + isWorkerHere; }
  size_t rows() const { return kindRow(kinds) + 2 * traffic; }

private:
  size_t kinds, traffic;
};

/// Factors that scale seconds, and bytes of each tier, to about one.
struct Units {
  double second = 0;
  std::array<double, kTiers> byte{};

  explicit Units(const PlacementKinds &model) {
    for (size_t t = 0; t < kTiers; ++t)
      byte[t] = static_cast<double>(std::max<int64_t>(1, model.capacity[t]));
    Loads loads = model.emptyLoad().loads;
    for (const PlacementKind &kind : model.kinds)
      for (size_t at = 0; at < kLoads; ++at) {
        double most = 0;
        for (const PlacementKind::Home &home : kind.home)
          most = std::max(most, home.allowed ? home.loads[at] : 0);
        loads[at] += most * static_cast<double>(kind.count());
      }
    for (const KindTraffic &traffic : model.traffic)
      for (size_t at = 0; at < kLoads; ++at)
        loads[at] += std::max(traffic.loads[0][at], traffic.loads[1][at]) *
                     static_cast<double>(model.kinds[traffic.worker].count());
    second = std::max(1e-30, *std::max_element(loads.begin(), loads.end()));
    for (size_t t = 0; t < kTiers; ++t)
      for (const PlacementKind &kind : model.kinds)
        for (const PlacementKind::Home &home : kind.home)
          byte[t] = std::max(byte[t], static_cast<double>(home.resident[t] * kind.count()));
  }
};

class Relaxation {
public:
  Relaxation(const PlacementKinds &model, const Units &unit) : model(model), unit(unit), layout(model) {
    program.cost.assign(layout.columns(), 0);
    for (size_t span = 0; span < kSpans; ++span)
      program.cost[layout.lengthColumn(span)] = 1;
    program.rows.assign(layout.rows(), std::vector<double>(layout.columns(), 0));
    program.right.assign(layout.rows(), 0);
    Loads base = model.emptyLoad().loads;
    for (size_t at = 0; at < kLoads; ++at) {
      program.rows[at][layout.lengthColumn(at / kResources)] = -1;
      program.right[at] = -base[at] / unit.second;
    }
    for (size_t t = 0; t < kTiers; ++t)
      program.right[Layout::tierRow(t)] = static_cast<double>(model.capacity[t]) / unit.byte[t];
    for (size_t k = 0; k < model.kinds.size(); ++k)
      addKind(k);
    for (size_t each = 0; each < model.traffic.size(); ++each)
      addTraffic(each);
  }

  LinearProgram program;

private:
  void spend(size_t column, const Loads &loads, double count) {
    for (size_t at = 0; at < kLoads; ++at) {
      program.rows[at][column] = loads[at] * count / unit.second;
      program.cost[column] += weightOf(at) * loads[at] * count / unit.second;
    }
  }

  void addKind(size_t k) {
    const double count = static_cast<double>(model.kinds[k].count());
    program.right[Layout::kindRow(k)] = -1;
    for (size_t tier = 0; tier < kTiers; ++tier) {
      const PlacementKind::Home &home = model.kinds[k].home[tier];
      if (!home.allowed)
        continue;
      spend(Layout::column(k, tier), home.loads, count);
      for (size_t t = 0; t < kTiers; ++t)
        program.rows[Layout::tierRow(t)][Layout::column(k, tier)] =
            static_cast<double>(home.resident[t]) * count / unit.byte[t];
      program.rows[Layout::kindRow(k)][Layout::column(k, tier)] = -1;
    }
  }

  void addTraffic(size_t each) {
    const KindTraffic &traffic = model.traffic[each];
    for (bool isWorkerHere : {false, true}) {
      spend(layout.apartColumn(each, isWorkerHere), traffic.loads[isWorkerHere],
            static_cast<double>(model.kinds[traffic.worker].count()));
      std::vector<double> &row = program.rows[layout.apartRow(each, isWorkerHere)];
      row[layout.apartColumn(each, isWorkerHere)] = -1;
      for (auto [kind, sign] : {std::pair(traffic.worker, 1.0), std::pair(traffic.operand, -1.0)})
        if (model.kinds[kind].home.front().allowed)
          row[Layout::column(kind, 0)] += isWorkerHere ? sign : -sign;
    }
  }

  const PlacementKinds &model;
  const Units &unit;
  Layout layout;
};

} // namespace

PlacementBound::PlacementBound(const PlacementKinds &model) : model(model) {
  Units unit(model);
  LinearSolution solution = solveLinear(Relaxation(model, unit).program);
  feasible = solution.feasible;
  for (size_t span = 0; span < kSpans; ++span) {
    double sum = 0;
    for (size_t at = span * kResources; at < (span + 1) * kResources; ++at)
      sum += second[at] = std::max(0.0, solution.price[at]);
    for (size_t at = span * kResources; at < (span + 1) * kResources; ++at)
      second[at] /= std::max(1.0, sum);
  }
  for (size_t t = 0; t < kTiers; ++t)
    byte[t] = std::max(0.0, solution.price[Layout::tierRow(t)]) * unit.second / unit.byte[t];
  joinPrices(solution.price, unit.second);
  round(solution.x);
}

/// The prices of traffic, capped by the cost of a pair that is apart, so that rest() is zero or more.
void PlacementBound::joinPrices(const std::vector<double> &prices, double second) {
  const Layout layout(model);
  onDevice.assign(model.kinds.size(), 0);
  for (size_t each = 0; each < model.traffic.size(); ++each) {
    const KindTraffic &traffic = model.traffic[each];
    std::array<double, 2> apart{};
    for (bool isWorkerHere : {false, true})
      apart[isWorkerHere] = std::clamp(prices[layout.apartRow(each, isWorkerHere)] * second /
                                           static_cast<double>(model.kinds[traffic.worker].count()),
                                       0.0, price(traffic.loads[isWorkerHere]));
    joined.push_back(apart[true] - apart[false]);
    onDevice[traffic.worker] += joined.back();
    onDevice[traffic.operand] -= joined.back();
  }
}

/// Rounds shares to whole items by the method of largest remainders.
void PlacementBound::round(const std::vector<double> &share) {
  start.assign(model.kinds.size(), {});
  for (size_t k = 0; k < model.kinds.size(); ++k) {
    int64_t left = model.kinds[k].count();
    std::array<double, kTiers> rest{};
    for (size_t tier = 0; tier < kTiers; ++tier) {
      double wanted =
          std::clamp(share[Layout::column(k, tier)], 0.0, 1.0) * static_cast<double>(model.kinds[k].count());
      start[k][tier] = std::min(left, static_cast<int64_t>(wanted + 1e-9));
      left -= start[k][tier];
      rest[tier] = model.kinds[k].home[tier].allowed ? wanted - static_cast<double>(start[k][tier]) : -2;
    }
    for (; left > 0; --left) {
      size_t most = static_cast<size_t>(std::max_element(rest.begin(), rest.end()) - rest.begin());
      ++start[k][most];
      rest[most] = std::max(-1.0, rest[most] - 1);
    }
  }
}

double PlacementBound::price(const Loads &loads) const {
  double sum = 0;
  for (size_t at = 0; at < kLoads; ++at)
    sum += (second[at] + weightOf(at)) * loads[at];
  return sum;
}

double PlacementBound::price(size_t kind, size_t tier) const {
  const PlacementKind::Home &home = model.kinds[kind].home[tier];
  double sum = price(home.loads) + (tier == 0 ? onDevice[kind] : 0);
  for (size_t t = 0; t < kTiers; ++t)
    sum += byte[t] * static_cast<double>(home.resident[t]);
  return sum;
}

double PlacementBound::rest(size_t traffic, int64_t apart) const {
  const double pairs = static_cast<double>(apart);
  return price(model.traffic[traffic].loads[apart > 0]) * std::abs(pairs) - joined[traffic] * pairs;
}

double PlacementBound::constant() const {
  double sum = price(model.emptyLoad().loads);
  for (size_t t = 0; t < kTiers; ++t)
    sum -= byte[t] * static_cast<double>(model.capacity[t]);
  return sum;
}

double PlacementBound::bound() const {
  double sum = constant();
  for (size_t kind = 0; kind < model.kinds.size(); ++kind) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t tier = 0; tier < kTiers; ++tier)
      if (model.kinds[kind].home[tier].allowed)
        least = std::min(least, price(kind, tier));
    sum += least * static_cast<double>(model.kinds[kind].count());
  }
  return sum;
}

} // namespace windlass::planning
