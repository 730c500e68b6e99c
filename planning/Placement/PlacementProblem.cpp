// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementProblem.h"

#include "planning/TextForm.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace windlass::planning {
namespace {

using plan::Tier;

size_t at(Resource resource) { return static_cast<size_t>(resource); }
std::string tierName(size_t tier) { return std::string(plan::textOf(static_cast<Tier>(tier))); }
std::string resourceName(size_t resource) {
  return std::string(plan::textOf(static_cast<Resource>(resource)));
}

double weighted(const std::array<double, kResources> &seconds, const std::array<double, kResources> &weight) {
  return std::inner_product(seconds.begin(), seconds.begin() + at(Resource::Cores), weight.begin(), 0.0);
}

} // namespace

TierCost UpdateTraffic::cost(bool isWorkerOnDevice) const {
  TierCost cost;
  cost.cgIn = isWorkerOnDevice ? reads : writes;
  cost.cgOut = isWorkerOnDevice ? writes : reads;
  return cost;
}

std::array<double, kResources> secondsOf(const PlacementProblem &problem, const TierCost &cost) {
  auto over = [](int64_t bytes, const LinkRate &link) {
    return bytes > 0 ? static_cast<double>(bytes) / link.bytesPerSecond : 0;
  };
  std::array<double, kResources> seconds{};
  seconds[at(Resource::Compute)] = cost.compute;
  seconds[at(Resource::CgIn)] = over(cost.cgIn, problem.cgIn);
  seconds[at(Resource::CgOut)] = over(cost.cgOut, problem.cgOut);
  seconds[at(Resource::NcIn)] = over(cost.ncIn, problem.ncIn);
  seconds[at(Resource::NcOut)] = over(cost.ncOut, problem.ncOut);
  seconds[at(Resource::HostCompute)] = cost.hostCompute;
  seconds[at(Resource::Cores)] = weighted(seconds, problem.sharedWeight);
  return seconds;
}

std::array<double, kResources> baseSeconds(const PlacementProblem &problem) {
  std::array<double, kResources> seconds = problem.base;
  seconds[at(Resource::Cores)] = weighted(seconds, problem.sharedWeight);
  return seconds;
}

double placementCost(const std::array<double, kResources> &seconds) {
  return *std::max_element(seconds.begin(), seconds.end()) +
         std::inner_product(seconds.begin(), seconds.end(), kWeight.begin(), 0.0);
}

/// No resource takes longer than the busiest.
double leastSeconds(double cost) { return cost / (1 + std::accumulate(kWeight.begin(), kWeight.end(), 0.0)); }

PlacementUse usePlacement(const PlacementProblem &problem, const std::vector<Tier> &home) {
  PlacementUse use;
  use.seconds = baseSeconds(problem);
  auto spend = [&](const TierCost &cost) {
    std::array<double, kResources> seconds = secondsOf(problem, cost);
    for (size_t r = 0; r < kResources; ++r)
      use.seconds[r] += seconds[r];
  };
  std::map<std::string, std::array<int64_t, kTiers>> staging;
  for (size_t i = 0; i < home.size(); ++i) {
    const TierCost &cost = problem.items[i].cost[static_cast<size_t>(home[i])];
    spend(cost);
    std::array<int64_t, kTiers> &most = staging[problem.items[i].cls];
    for (size_t t = 0; t < kTiers; ++t) {
      use.bytes[t] += cost.resident[t];
      most[t] = std::max(most[t], cost.staging[t]);
    }
  }
  for (const UpdateTraffic &update : problem.updates) {
    const bool isHere = home[update.worker] == Tier::Device;
    if (isHere != (home[update.operand] == Tier::Device))
      spend(update.cost(isHere));
  }
  for (const auto &[cls, most] : staging)
    for (size_t t = 0; t < kTiers; ++t)
      use.bytes[t] += most[t];
  use.cost = placementCost(use.seconds);
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

std::string printHome(size_t tier, const TierCost &cost) {
  std::string text =
      "  home " + tierName(tier) + printTiers("", cost.resident) + printTiers("staging.", cost.staging);
  auto add = [&](const char *key, double value) {
    if (value != 0)
      text += std::string(" ") + key + "=" + shortest(value);
  };
  add("cg_in", static_cast<double>(cost.cgIn));
  add("cg_out", static_cast<double>(cost.cgOut));
  add("nc_in", static_cast<double>(cost.ncIn));
  add("nc_out", static_cast<double>(cost.ncOut));
  add("compute", cost.compute);
  add("host_compute", cost.hostCompute);
  return text + "\n";
}

void readTiers(TextLine &line, const std::string &prefix, std::array<int64_t, kTiers> &bytes) {
  for (size_t tier = 0; tier < kTiers; ++tier)
    bytes[tier] = line.integer(prefix + tierName(tier));
}

std::string printResources(const char *word, const std::array<double, kResources> &values) {
  std::string text = word;
  for (size_t r = 0; r < at(Resource::Cores); ++r)
    if (values[r] != 0)
      text += " " + resourceName(r) + "=" + shortest(values[r]);
  return text + "\n";
}

void readResources(TextLine &line, std::array<double, kResources> &values) {
  for (size_t r = 0; r < at(Resource::Cores); ++r)
    values[r] = line.real(resourceName(r));
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
  cost.cgIn = line.integer("cg_in");
  cost.cgOut = line.integer("cg_out");
  cost.ncIn = line.integer("nc_in");
  cost.ncOut = line.integer("nc_out");
  cost.compute = line.real("compute");
  cost.hostCompute = line.real("host_compute");
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
  text += printResources("base", problem.base) + printResources("cores", problem.sharedWeight);
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
      readResources(line, problem.base);
    } else if (line.word() == "cores") {
      readResources(line, problem.sharedWeight);
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
      line.fail(line.word(), "a placement problem has capacity, rates, base, cores, item, home and update");
    }
    WINDLASS_TRY(line.finish());
  }
  return problem;
}

} // namespace windlass::planning
