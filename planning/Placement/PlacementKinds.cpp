// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementKinds.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace windlass::planning {
namespace {

/// In the order of their first items.
std::vector<PlacementCluster> clustersOf(const PlacementProblem &problem) {
  std::vector<uint32_t> first(problem.items.size()); // item of the cluster that an item is in
  std::iota(first.begin(), first.end(), 0u);
  auto find = [&](uint32_t item) {
    while (first[item] != item)
      item = first[item] = first[first[item]];
    return item;
  };
  for (const UpdateTraffic &update : problem.updates) {
    const auto [low, high] = std::minmax({find(update.worker), find(update.operand)});
    first[high] = low;
  }
  std::vector<PlacementCluster> clusters;
  std::vector<size_t> clusterOf(first.size()), place(first.size());
  for (uint32_t item = 0; item < first.size(); ++item) {
    const uint32_t root = find(item);
    if (root == item) {
      clusterOf[item] = clusters.size();
      clusters.emplace_back();
    }
    PlacementCluster &cluster = clusters[clusterOf[item] = clusterOf[root]];
    place[item] = cluster.items.size();
    cluster.items.push_back(item);
  }
  for (UpdateTraffic update : problem.updates) {
    PlacementCluster &cluster = clusters[clusterOf[update.worker]];
    update.worker = static_cast<uint32_t>(place[update.worker]);
    update.operand = static_cast<uint32_t>(place[update.operand]);
    cluster.updates.push_back(update);
  }
  return clusters;
}

bool isEqual(const PlacementProblem &problem, const PlacementCluster &a, const PlacementCluster &b) {
  return a.updates == b.updates && std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                                              [&](uint32_t one, uint32_t other) {
                                                return problem.items[one].cls == problem.items[other].cls &&
                                                       problem.items[one].cost == problem.items[other].cost;
                                              });
}

} // namespace

void PlacementLoad::add(const PlacementKind &kind, const Counts &counts) {
  for (size_t tier = 0; tier < kTiers; ++tier) {
    if (counts[tier] == 0)
      continue;
    const PlacementKind::Home &home = kind.home[tier];
    for (size_t at = 0; at < kLoads; ++at)
      loads[at] += home.loads[at] * static_cast<double>(counts[tier]);
    for (size_t t = 0; t < kTiers; ++t) {
      resident[t] += home.resident[t] * counts[tier];
      staging[kind.cls][t] = std::max(staging[kind.cls][t], home.staging[t]);
    }
  }
}

void PlacementLoad::add(const KindTraffic &traffic, int64_t apart, double times) {
  for (size_t at = 0; at < kLoads; ++at)
    loads[at] += times * traffic.loads[apart > 0][at] * static_cast<double>(std::abs(apart));
}

int64_t PlacementLoad::bytes(size_t tier) const {
  int64_t sum = resident[tier];
  for (const auto &most : staging)
    sum += most[tier];
  return sum;
}

PlacementKinds::PlacementKinds(const PlacementProblem &problem)
    : capacity(problem.capacity), items(problem.items.size()), base(baseLoads(problem)) {
  std::map<std::string, size_t> classOf;
  for (const PlacementItem &item : problem.items)
    classOf.emplace(item.cls, classOf.size());
  classes = classOf.size();
  std::vector<std::pair<PlacementCluster, size_t>> known; // the first of its like, and its first kind
  for (PlacementCluster &cluster : clustersOf(problem)) {
    auto same = std::find_if(known.begin(), known.end(),
                             [&](const auto &other) { return isEqual(problem, cluster, other.first); });
    if (same == known.end()) {
      known.emplace_back(cluster, kinds.size());
      same = std::prev(known.end());
      addKinds(problem, cluster, classOf);
    }
    for (size_t i = 0; i < cluster.items.size(); ++i)
      kinds[same->second + i].members.push_back(cluster.items[i]);
  }
  ofClass.resize(classes);
  for (size_t k = 0; k < kinds.size(); ++k)
    ofClass[kinds[k].cls].push_back(k);
  joins.resize(kinds.size());
  for (size_t each = 0; each < traffic.size(); ++each)
    for (size_t kind : {traffic[each].worker, traffic[each].operand})
      joins[kind].push_back(each);
}

void PlacementKinds::addKinds(const PlacementProblem &problem, const PlacementCluster &cluster,
                              const std::map<std::string, size_t> &classOf) {
  const size_t first = kinds.size();
  for (uint32_t i : cluster.items) {
    const PlacementItem &item = problem.items[i];
    PlacementKind kind;
    kind.cls = classOf.at(item.cls);
    for (size_t tier = 0; tier < kTiers; ++tier)
      kind.home[tier] = {item.cost[tier].allowed, item.cost[tier].resident, item.cost[tier].staging,
                         loadsOf(problem, item.cost[tier])};
    kinds.push_back(std::move(kind));
  }
  for (const UpdateTraffic &update : cluster.updates)
    traffic.push_back({first + update.worker,
                       first + update.operand,
                       {loadsOf(problem, update, false), loadsOf(problem, update, true)}});
}

PlacementLoad PlacementKinds::emptyLoad() const {
  PlacementLoad load;
  load.loads = base;
  load.staging.resize(classes);
  return load;
}

PlacementLoad PlacementKinds::load(const std::vector<Counts> &counts) const {
  PlacementLoad load = emptyLoad();
  for (size_t k = 0; k < kinds.size(); ++k)
    load.add(kinds[k], counts[k]);
  for (const KindTraffic &each : traffic)
    load.add(each, KindTraffic::apart(counts[each.worker], counts[each.operand]));
  return load;
}

void PlacementKinds::make(const PlacementMove &move, std::vector<Counts> &counts, PlacementLoad &load) const {
  const PlacementKind &kind = kinds[move.kind];
  const PlacementKind::Home &from = kind.home[move.from], &to = kind.home[move.to];
  for (size_t at = 0; at < kLoads; ++at)
    load.loads[at] += to.loads[at] - from.loads[at];
  for (size_t t = 0; t < kTiers; ++t)
    load.resident[t] += to.resident[t] - from.resident[t];
  auto addTraffic = [&](double sign) {
    for (size_t each : joins[move.kind]) {
      const KindTraffic &joined = traffic[each];
      load.add(joined, KindTraffic::apart(counts[joined.worker], counts[joined.operand]), sign);
    }
  };
  addTraffic(-1);
  --counts[move.kind][move.from];
  ++counts[move.kind][move.to];
  addTraffic(1);
  auto &most = load.staging[kind.cls];
  most = {};
  for (size_t k : ofClass[kind.cls])
    for (size_t tier = 0; tier < kTiers; ++tier)
      for (size_t t = 0; counts[k][tier] > 0 && t < kTiers; ++t)
        most[t] = std::max(most[t], kinds[k].home[tier].staging[t]);
}

double PlacementKinds::excess(const PlacementLoad &load) const {
  double sum = 0;
  for (size_t tier = 0; tier < kTiers; ++tier)
    if (int64_t over = load.bytes(tier) - capacity[tier]; over > 0)
      sum += static_cast<double>(over) / static_cast<double>(std::max<int64_t>(1, capacity[tier]));
  return sum;
}

std::vector<plan::Tier> PlacementKinds::homes(const std::vector<Counts> &counts) const {
  std::vector<plan::Tier> home(items);
  for (size_t k = 0; k < kinds.size(); ++k) {
    size_t next = 0;
    for (size_t tier = 0; tier < kTiers; ++tier)
      for (int64_t i = 0; i < counts[k][tier]; ++i)
        home[kinds[k].members[next++]] = static_cast<plan::Tier>(tier);
  }
  return home;
}

} // namespace windlass::planning
