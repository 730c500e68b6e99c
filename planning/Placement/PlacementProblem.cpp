// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementProblem.h"

#include "planning/TextForm.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace windlass::planning {
namespace {

using plan::Tier;

size_t at(Resource resource) { return static_cast<size_t>(resource); }
std::string tierName(size_t tier) { return std::string(plan::textOf(static_cast<Tier>(tier))); }
std::string resourceName(size_t resource) {
  return std::string(plan::textOf(static_cast<Resource>(resource)));
}

/// Sets the seconds of the cores, which lanes share.
Loads withCores(const PlacementProblem &problem, Loads loads) {
  for (size_t span = 0; span < kSpans; ++span) {
    const auto first = loads.begin() + static_cast<ptrdiff_t>(span * kResources);
    first[at(Resource::Cores)] =
        std::inner_product(first, first + at(Resource::Cores), problem.sharedWeight.begin(), 0.0);
  }
  return loads;
}

void spend(const PlacementProblem &problem, Span span, const PlacementWork &work, Loads &loads) {
  if (!problem.updatesWait)
    span = Span::Passes;
  auto over = [](int64_t bytes, const LinkRate &link) {
    return bytes > 0 ? static_cast<double>(bytes) / link.bytesPerSecond : 0;
  };
  loads[loadOf(span, Resource::Compute)] += work.compute;
  loads[loadOf(span, Resource::CgIn)] += over(work.cgIn, problem.cgIn);
  loads[loadOf(span, Resource::CgOut)] += over(work.cgOut, problem.cgOut);
  loads[loadOf(span, Resource::NcIn)] += over(work.ncIn, problem.ncIn);
  loads[loadOf(span, Resource::NcOut)] += over(work.ncOut, problem.ncOut);
  loads[loadOf(span, Resource::HostCompute)] += work.hostCompute;
}

} // namespace

PlacementWork UpdateTraffic::work(bool isWorkerOnDevice) const {
  PlacementWork work;
  work.cgIn = isWorkerOnDevice ? reads : writes;
  work.cgOut = isWorkerOnDevice ? writes : reads;
  return work;
}

Loads loadsOf(const PlacementProblem &problem, const TierCost &cost) {
  Loads loads{};
  spend(problem, Span::Passes, cost.passes, loads);
  spend(problem, Span::Updates, cost.updates, loads);
  return withCores(problem, loads);
}

Loads loadsOf(const PlacementProblem &problem, const UpdateTraffic &update, bool isWorkerOnDevice) {
  Loads loads{};
  spend(problem, Span::Updates, update.work(isWorkerOnDevice), loads);
  return withCores(problem, loads);
}

Loads baseLoads(const PlacementProblem &problem) {
  Loads loads = problem.base;
  for (size_t r = 0; r < kResources && !problem.updatesWait; ++r)
    loads[r] += std::exchange(loads[kResources + r], 0);
  return withCores(problem, loads);
}

double placementCost(const Loads &loads) {
  double cost = 0;
  for (auto span = loads.begin(); span != loads.end(); span += kResources)
    cost += *std::max_element(span, span + kResources) +
            std::inner_product(span, span + kResources, kWeight.begin(), 0.0);
  return cost;
}

/// In no span a resource takes longer than the busiest.
double leastSeconds(double cost) { return cost / (1 + std::accumulate(kWeight.begin(), kWeight.end(), 0.0)); }

PlacementUse usePlacement(const PlacementProblem &problem, const std::vector<Tier> &home) {
  PlacementUse use;
  Loads loads = baseLoads(problem);
  auto add = [&](const Loads &more) {
    for (size_t load = 0; load < kLoads; ++load)
      loads[load] += more[load];
  };
  std::map<std::string, std::array<int64_t, kTiers>> staging;
  for (size_t i = 0; i < home.size(); ++i) {
    const TierCost &cost = problem.items[i].cost[static_cast<size_t>(home[i])];
    add(loadsOf(problem, cost));
    std::array<int64_t, kTiers> &most = staging[problem.items[i].cls];
    for (size_t t = 0; t < kTiers; ++t) {
      use.bytes[t] += cost.resident[t];
      most[t] = std::max(most[t], cost.staging[t]);
    }
  }
  for (const UpdateTraffic &update : problem.updates) {
    const bool isHere = home[update.worker] == Tier::Device;
    if (isHere != (home[update.operand] == Tier::Device))
      add(loadsOf(problem, update, isHere));
  }
  for (const auto &[cls, most] : staging)
    for (size_t t = 0; t < kTiers; ++t)
      use.bytes[t] += most[t];
  use.cost = placementCost(loads);
  for (size_t load = 0; load < kLoads; ++load)
    use.seconds[load % kResources] += loads[load];
  use.bottleneck =
      static_cast<Resource>(std::max_element(use.seconds.begin(), use.seconds.end()) - use.seconds.begin());
  return use;
}

namespace {

std::string printTiers(const char *prefix, const std::array<int64_t, kTiers> &bytes) {
  std::string text;
  for (size_t tier = 0; tier < kTiers; ++tier)
    if (bytes[tier] != 0)
      text += " " + (prefix + tierName(tier)) + "=" + std::to_string(bytes[tier]);
  return text;
}

/// The words of updates open with this.
constexpr std::string_view kUpdates = "updates.";

std::string printWork(const std::string &prefix, const PlacementWork &work) {
  std::string text;
  auto add = [&](const char *key, double value) {
    if (value != 0)
      text += " " + prefix + key + "=" + shortest(value);
  };
  add("cg_in", static_cast<double>(work.cgIn));
  add("cg_out", static_cast<double>(work.cgOut));
  add("nc_in", static_cast<double>(work.ncIn));
  add("nc_out", static_cast<double>(work.ncOut));
  add("compute", work.compute);
  add("host_compute", work.hostCompute);
  return text;
}

std::string printHome(size_t tier, const TierCost &cost) {
  return "  home " + tierName(tier) + printTiers("", cost.resident) + printTiers("staging.", cost.staging) +
         printWork("", cost.passes) + printWork(std::string(kUpdates), cost.updates) + "\n";
}

void readTiers(TextLine &line, const std::string &prefix, std::array<int64_t, kTiers> &bytes) {
  for (size_t tier = 0; tier < kTiers; ++tier)
    bytes[tier] = line.integer(prefix + tierName(tier));
}

std::string printResources(const std::string &prefix, const double *values) {
  std::string text;
  for (size_t r = 0; r < at(Resource::Cores); ++r)
    if (values[r] != 0)
      text += " " + prefix + resourceName(r) + "=" + shortest(values[r]);
  return text;
}

void readResources(TextLine &line, const std::string &prefix, double *values) {
  for (size_t r = 0; r < at(Resource::Cores); ++r)
    values[r] = line.real(prefix + resourceName(r));
}

PlacementWork readWork(TextLine &line, const std::string &prefix) {
  PlacementWork work;
  work.cgIn = line.integer(prefix + "cg_in");
  work.cgOut = line.integer(prefix + "cg_out");
  work.ncIn = line.integer(prefix + "nc_in");
  work.ncOut = line.integer(prefix + "nc_out");
  work.compute = line.real(prefix + "compute");
  work.hostCompute = line.real(prefix + "host_compute");
  return work;
}

void readHome(TextLine &line, PlacementProblem &problem) {
  std::optional<Tier> tier = plan::fromText<Tier>(line.name());
  if (!tier || problem.items.empty()) {
    line.fail("home", tier ? "stands before the first item" : "must name a tier");
    return;
  }
  TierCost &cost = problem.items.back().cost[static_cast<size_t>(*tier)];
  cost.allowed = true;
  readTiers(line, "", cost.resident);
  readTiers(line, "staging.", cost.staging);
  cost.passes = readWork(line, "");
  cost.updates = readWork(line, std::string(kUpdates));
}

void readUpdate(TextLine &line, PlacementProblem &problem) {
  auto item = [&](const char *key) {
    const int64_t index = line.integer(key);
    if (index < 0 || index >= static_cast<int64_t>(problem.items.size()))
      line.fail(key, "no item " + std::to_string(index) + " before it");
    return static_cast<uint32_t>(index);
  };
  UpdateTraffic update{item("worker"), item("operand")};
  update.reads = line.integer("reads");
  update.writes = line.integer("writes");
  problem.updates.push_back(update);
}

} // namespace

std::string printPlacement(const PlacementProblem &problem) {
  std::string text = "capacity" + printTiers("", problem.capacity) + "\n";
  text += "rates cg_in=" + shortest(problem.cgIn.bytesPerSecond) +
          " cg_out=" + shortest(problem.cgOut.bytesPerSecond) +
          " nc_in=" + shortest(problem.ncIn.bytesPerSecond) +
          " nc_out=" + shortest(problem.ncOut.bytesPerSecond) + "\n";
  text += "base" + printResources("", problem.base.data()) +
          printResources(std::string(kUpdates), problem.base.data() + kResources) + "\n";
  text += "cores" + printResources("", problem.sharedWeight.data()) + "\n";
  text += problem.updatesWait ? "updates wait=1\n" : "";
  for (const PlacementItem &item : problem.items) {
    text += "item " + item.id + " class=" + item.cls + "\n";
    for (size_t tier = 0; tier < kTiers; ++tier)
      if (item.cost[tier].allowed)
        text += printHome(tier, item.cost[tier]);
  }
  for (const UpdateTraffic &update : problem.updates)
    text += "update worker=" + std::to_string(update.worker) + " operand=" + std::to_string(update.operand) +
            " reads=" + std::to_string(update.reads) + " writes=" + std::to_string(update.writes) + "\n";
  return text;
}

Result<PlacementProblem> parsePlacement(std::string_view text) {
  PlacementProblem problem;
  for (TextLine &line : textLines(text)) {
    if (line.word() == "capacity") {
      readTiers(line, "", problem.capacity);
    } else if (line.word() == "rates") {
      for (auto [key, link] : {std::pair("cg_in", &problem.cgIn), std::pair("cg_out", &problem.cgOut),
                               std::pair("nc_in", &problem.ncIn), std::pair("nc_out", &problem.ncOut)}) {
        link->bytesPerSecond = line.real(key);
        link->quote = {key, link->bytesPerSecond, "B"};
      }
    } else if (line.word() == "base") {
      readResources(line, "", problem.base.data());
      readResources(line, std::string(kUpdates), problem.base.data() + kResources);
    } else if (line.word() == "cores") {
      readResources(line, "", problem.sharedWeight.data());
    } else if (line.word() == "updates") {
      problem.updatesWait = line.integer("wait") != 0;
    } else if (line.word() == "item") {
      PlacementItem item;
      item.id = line.name();
      item.cls = line.take("class");
      problem.items.push_back(std::move(item));
    } else if (line.word() == "home") {
      readHome(line, problem);
    } else if (line.word() == "update") {
      readUpdate(line, problem);
    } else {
      line.fail(line.word(),
                "a placement problem has capacity, rates, base, cores, updates, item, home and update");
    }
    WINDLASS_TRY(line.finish());
  }
  return problem;
}

} // namespace windlass::planning
