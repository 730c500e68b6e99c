#include "compiler/planning/Placement/PlacementKinds.h"

#include <algorithm>
#include <map>

namespace windlass::planning {

void PlacementLoad::add(const PlacementKind &kind, const Counts &counts) {
  for (size_t tier = 0; tier < kTiers; ++tier) {
    if (counts[tier] == 0)
      continue;
    const PlacementKind::Home &home = kind.home[tier];
    for (size_t r = 0; r < kResources; ++r)
      seconds[r] += home.seconds[r] * static_cast<double>(counts[tier]);
    for (size_t t = 0; t < kTiers; ++t) {
      resident[t] += home.resident[t] * counts[tier];
      staging[kind.cls][t] = std::max(staging[kind.cls][t], home.staging[t]);
    }
  }
}

int64_t PlacementLoad::bytes(size_t tier) const {
  int64_t sum = resident[tier];
  for (const auto &most : staging)
    sum += most[tier];
  return sum;
}

PlacementKinds::PlacementKinds(const PlacementProblem &problem)
    : capacity(problem.capacity), items(problem.items.size()), base(baseSeconds(problem)) {
  std::map<std::string, size_t> classOf;
  std::vector<uint32_t> representative;
  for (uint32_t i = 0; i < problem.items.size(); ++i) {
    const PlacementItem &item = problem.items[i];
    auto same = std::find_if(representative.begin(), representative.end(), [&](uint32_t other) {
      return problem.items[other].cls == item.cls && problem.items[other].cost == item.cost;
    });
    if (same != representative.end()) {
      kinds[static_cast<size_t>(same - representative.begin())].members.push_back(i);
      continue;
    }
    representative.push_back(i);
    PlacementKind kind;
    kind.cls = classOf.emplace(item.cls, classOf.size()).first->second;
    kind.members = {i};
    for (size_t tier = 0; tier < kTiers; ++tier)
      kind.home[tier] = {item.cost[tier].allowed, item.cost[tier].resident, item.cost[tier].staging,
                         secondsOf(problem, item.cost[tier])};
    kinds.push_back(std::move(kind));
  }
  classes = classOf.size();
}

PlacementLoad PlacementKinds::emptyLoad() const {
  PlacementLoad load;
  load.seconds = base;
  load.staging.resize(classes);
  return load;
}

PlacementLoad PlacementKinds::load(const std::vector<Counts> &counts) const {
  PlacementLoad load = emptyLoad();
  for (size_t k = 0; k < kinds.size(); ++k)
    load.add(kinds[k], counts[k]);
  return load;
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
