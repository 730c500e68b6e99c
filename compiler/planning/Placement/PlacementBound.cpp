#include "compiler/planning/Placement/PlacementBound.h"

#include "compiler/planning/Placement/LinearProgram.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace windlass::planning {
namespace {

/// Column of a kind's share in a tier; the last column is the length of the step.
size_t column(size_t kind, size_t tier) { return kind * kTiers + tier; }

/// What scales seconds, and bytes of each tier, to about one.
struct Units {
  double second = 0;
  std::array<double, kTiers> byte{};

  explicit Units(const PlacementKinds &model) {
    for (size_t t = 0; t < kTiers; ++t)
      byte[t] = static_cast<double>(std::max<int64_t>(1, model.capacity[t]));
    std::array<double, kResources> seconds = model.emptyLoad().seconds;
    for (const PlacementKind &kind : model.kinds)
      for (size_t r = 0; r < kResources; ++r) {
        double most = 0;
        for (const PlacementKind::Home &home : kind.home)
          most = std::max(most, home.allowed ? home.seconds[r] : 0);
        seconds[r] += most * static_cast<double>(kind.count());
      }
    second = std::max(1e-30, *std::max_element(seconds.begin(), seconds.end()));
    for (size_t t = 0; t < kTiers; ++t)
      for (const PlacementKind &kind : model.kinds)
        for (const PlacementKind::Home &home : kind.home)
          byte[t] = std::max(byte[t], static_cast<double>(home.resident[t] * kind.count()));
  }
};

/// Shares of kinds per tier; rows: resources, tiers, then one per kind (its shares are at least one together,
/// which costs of zero or more make exactly one).
LinearProgram relaxation(const PlacementKinds &model, const Units &unit) {
  size_t columns = model.kinds.size() * kTiers + 1;
  LinearProgram program;
  program.cost.assign(columns, 0);
  program.cost.back() = 1;
  program.rows.assign(kResources + kTiers + model.kinds.size(), std::vector<double>(columns, 0));
  std::array<double, kResources> base = model.emptyLoad().seconds;
  for (size_t r = 0; r < kResources; ++r) {
    program.rows[r].back() = -1;
    program.right.push_back(-base[r] / unit.second);
  }
  for (size_t t = 0; t < kTiers; ++t)
    program.right.push_back(static_cast<double>(model.capacity[t]) / unit.byte[t]);
  for (size_t k = 0; k < model.kinds.size(); ++k) {
    program.right.push_back(-1);
    double count = static_cast<double>(model.kinds[k].count());
    for (size_t tier = 0; tier < kTiers; ++tier) {
      const PlacementKind::Home &home = model.kinds[k].home[tier];
      if (!home.allowed)
        continue;
      for (size_t r = 0; r < kResources; ++r) {
        program.rows[r][column(k, tier)] = home.seconds[r] * count / unit.second;
        program.cost[column(k, tier)] += kWeight[r] * home.seconds[r] * count / unit.second;
      }
      for (size_t t = 0; t < kTiers; ++t)
        program.rows[kResources + t][column(k, tier)] =
            static_cast<double>(home.resident[t]) * count / unit.byte[t];
      program.rows[kResources + kTiers + k][column(k, tier)] = -1;
    }
  }
  return program;
}

} // namespace

PlacementBound::PlacementBound(const PlacementKinds &model) : model(model) {
  Units unit(model);
  LinearSolution solution = solveLinear(relaxation(model, unit));
  feasible = solution.feasible;
  double sum = 0;
  for (size_t r = 0; r < kResources; ++r)
    sum += second[r] = std::max(0.0, solution.price[r]);
  for (double &price : second)
    price /= std::max(1.0, sum);
  for (size_t t = 0; t < kTiers; ++t)
    byte[t] = std::max(0.0, solution.price[kResources + t]) * unit.second / unit.byte[t];
  round(solution.x);
}

/// Whole items, the largest remainders first.
void PlacementBound::round(const std::vector<double> &share) {
  start.assign(model.kinds.size(), {});
  for (size_t k = 0; k < model.kinds.size(); ++k) {
    int64_t left = model.kinds[k].count();
    std::array<double, kTiers> rest{};
    for (size_t tier = 0; tier < kTiers; ++tier) {
      double wanted =
          std::clamp(share[column(k, tier)], 0.0, 1.0) * static_cast<double>(model.kinds[k].count());
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

double PlacementBound::price(const PlacementKind &kind, size_t tier) const {
  double sum = 0;
  for (size_t r = 0; r < kResources; ++r)
    sum += (second[r] + kWeight[r]) * kind.home[tier].seconds[r];
  for (size_t t = 0; t < kTiers; ++t)
    sum += byte[t] * static_cast<double>(kind.home[tier].resident[t]);
  return sum;
}

double PlacementBound::constant() const {
  PlacementLoad empty = model.emptyLoad();
  double sum = 0;
  for (size_t r = 0; r < kResources; ++r)
    sum += (second[r] + kWeight[r]) * empty.seconds[r];
  for (size_t t = 0; t < kTiers; ++t)
    sum -= byte[t] * static_cast<double>(model.capacity[t]);
  return sum;
}

double PlacementBound::bound() const {
  double sum = constant();
  for (const PlacementKind &kind : model.kinds) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t tier = 0; tier < kTiers; ++tier)
      if (kind.home[tier].allowed)
        least = std::min(least, price(kind, tier));
    sum += least * static_cast<double>(kind.count());
  }
  return sum;
}

} // namespace windlass::planning
