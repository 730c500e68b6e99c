// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/ChangeMachine.h"

#include "runtime/base/NearestName.h"
#include "runtime/base/Units.h"
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace windlass::model {
namespace {

using nlohmann::json;

/// A key that may be set, the machine's value (0: none), and an example of a value; an empty example is for
/// numbers without a unit.
struct Key {
  std::string_view path;
  double now = 0;
  std::string_view example = {};
  bool isWord = false;    ///< a word of the file's, or true or false, in place of a number
  bool mayBeZero = false; ///< of numbers with a unit
};

std::vector<Key> keysOf(const Machine &machine) {
  auto count = [](int64_t n) { return static_cast<double>(n); };
  std::vector<Key> keys = {{"ranks", count(machine.ranks()), ""},
                           {"nodes", count(machine.nodes), ""},
                           {"devices_per_node", count(machine.ranksPerNode), ""},
                           {"shared_cores", count(machine.sharedCores), ""},
                           {"nvme.depth", count(machine.nvmeDepth), ""},
                           {"device.matmul_multiple", count(machine.matmulMultiple), ""},
                           {.path = "device.fused_attention", .isWord = true},
                           {.path = "links.collectives", .isWord = true},
                           {"device.capacity", count(machine.deviceCapacity), "80GB"},
                           {"host.capacity", count(machine.hostCapacity), "80GB"},
                           {"nvme.capacity", count(machine.nvmeCapacity), "80GB"}};
  for (size_t i = 0; i < kRates; ++i) {
    const RateId id = static_cast<RateId>(i);
    const std::string_view unit = rateUnit(id);
    keys.push_back({ratePath(id), machine.rate(id).perSecond,
                    unit == "FLOP" ? "100TFLOP/s"
                    : unit == "B"  ? "3.8GB/s"
                                   : ""});
  }
  for (const LatencyKey &latency : latencyKeys())
    keys.push_back({.path = latency.path,
                    .now = std::max(0.0, machine.*latency.seconds),
                    .example = "5us",
                    .mayBeZero = true});
  return keys;
}

/// A value that replaces another: a number, a text with its unit, or a word.
Result<json> valueOf(const Key &key, const std::string &text) {
  if (key.isWord)
    return text == "true" || text == "false" ? json(text == "true") : json(text);
  double number = 0;
  const char *end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || !std::isfinite(number))
    return Status::badInput("must be a number" + std::string(key.example.empty() ? "" : " with its unit") +
                            ", or a multiple such as 2x, is \"" + text + "\"");
  const bool isMultiple = std::string_view(stop, static_cast<size_t>(end - stop)) == "x";
  if (isMultiple && !(key.now > 0))
    return Status::badInput("the machine has no value there to take a multiple of");
  if (isMultiple && !(number > 0))
    return Status::badInput("a multiple must be above 0, is \"" + text + "\"");
  if (isMultiple)
    number = key.path.ends_with(".capacity") ? std::floor(number * key.now) : number * key.now;
  else if (!key.example.empty() && stop == end)
    return Status::badInput("must " +
                            std::string(number > 0 || key.mayBeZero ? "have a unit, such as "
                                                                    : "be above 0 with a unit, such as ") +
                            std::string(key.example) +
                            (number > 0 && key.path.ends_with(".capacity") ? " or " + text + "B" : "") +
                            ", or be a multiple such as 2x, is \"" + text + "\"");
  else if (stop != end)
    return json(text);
  return number == std::floor(number) && std::abs(number) < 1e18 ? json(static_cast<int64_t>(number))
                                                                 : json(number);
}

/// Makes the objects that a path such as "links.gg.bandwidth" runs through.
void put(json &document, std::string_view path, json value) {
  json *place = &document;
  for (size_t dot; (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1))
    place = &(*place)[std::string(path.substr(0, dot))];
  (*place)[std::string(path)] = std::move(value);
}

/// Sets ranks, which a file gives as "ranks", or as "nodes" and "devices_per_node".
void putRanks(json &document, std::string_view path, json value, const Machine &machine) {
  if (path == "ranks") {
    for (const char *other : {"nodes", "devices_per_node"}) {
      document.erase(other);
      if (document.contains("sources"))
        document["sources"].erase(other);
    }
  } else if (document.erase("ranks") > 0) {
    document["devices_per_node"] = machine.ranksPerNode;
    if (document.contains("sources"))
      document["sources"].erase("ranks");
  }
  document[std::string(path)] = std::move(value);
}

Status apply(json &document, const std::string &change, const Machine &machine) {
  const size_t equals = change.find('=');
  if (equals == std::string::npos || equals == 0)
    return Status::badInput("must be KEY=VALUE, such as nvme.read=2x, is \"" + change + "\"");
  const std::string path = change.substr(0, equals);
  const std::vector<Key> keys = keysOf(machine);
  const auto key = std::ranges::find(keys, path, &Key::path);
  if (key == keys.end()) {
    std::vector<std::string_view> known;
    for (const Key &each : keys)
      known.push_back(each.path);
    return Status::badInput(path + ": unknown key" + didYouMean(path, known));
  }
  Result<json> value = valueOf(*key, change.substr(equals + 1));
  if (!value)
    return value.status().in(path);
  if (path == "ranks" || path == "nodes" || path == "devices_per_node")
    putRanks(document, path, value.take(), machine);
  else
    put(document, path, value.take());
  if (path != "ranks")
    document["sources"][path] = "set: " + change;
  if (document.contains("measured"))
    document["measured"].erase(path);
  return Status::ok();
}

/// Of a change of these keys: whether measured times of kernels on the device, and on the host, still count.
bool keepsDeviceKernels(const std::set<std::string> &changed) {
  return std::ranges::none_of(changed, [](const std::string &path) {
    return (path.starts_with("device.") && path != "device.capacity") || path == "shared_cores";
  });
}
bool keepsHostKernels(const std::set<std::string> &changed) {
  return std::ranges::none_of(changed, [](const std::string &path) {
    return path == "host.bandwidth" || path == "device.launch_overhead" || path == "shared_cores";
  });
}

/// Refuses to set a rate of both directions of the disk below that of reads and writes that take turns.
Status checkBothDirections(const std::set<std::string> &changed, const Machine &machine) {
  constexpr double threeDigits = 0.995; // as rates are written
  const double both = machine.rate(RateId::NvmeBoth).perSecond,
               turns = 2 / (1 / machine.rate(RateId::NvmeRead).perSecond +
                            1 / machine.rate(RateId::NvmeWrite).perSecond);
  if (!changed.contains("nvme.both") || both >= threeDigits * turns)
    return Status::ok();
  return Status::badInput("nvme.both: is " + formatRate(both, "B") +
                          ", but reads and writes that take turns already reach " + formatRate(turns, "B") +
                          " together");
}

/// Refuses "ranks" beside what it stands for: whichever is set last would undo the other.
Status checkOneWayOfRanks(const std::set<std::string> &changed) {
  if (changed.contains("ranks"))
    for (const char *other : {"nodes", "devices_per_node"})
      if (changed.contains(other))
        return Status::badInput("ranks: is set beside " + std::string(other) + ", which says the same");
  return Status::ok();
}

} // namespace

Result<Machine> changeMachine(const Machine &machine, std::span<const std::string> changes) {
  json document = json::parse(machine.text);
  std::string all;
  std::set<std::string> changed;
  for (const std::string &change : changes) {
    WINDLASS_TRY(apply(document, change, machine));
    if (const std::string path = change.substr(0, change.find('=')); !changed.insert(path).second)
      return Status::badInput(path + ": is set twice");
    all += (all.empty() ? "" : ", ") + change;
  }
  WINDLASS_TRY(checkOneWayOfRanks(changed));
  document["name"] = machine.name;
  Result<Machine> other = parseMachine(document.dump(), all);
  WINDLASS_TRY(other.status());
  WINDLASS_TRY(checkBothDirections(changed, *other));
  other->threadsPerRank = machine.threadsPerRank;
  other->deviceKernelsCount = machine.deviceKernelsCount;
  other->hostKernelsCount = machine.hostKernelsCount;
  dropMeasuredKernels(*other, changes);
  return other;
}

void dropMeasuredKernels(Machine &machine, std::span<const std::string> changes) {
  std::set<std::string> changed;
  for (const std::string &change : changes)
    changed.insert(change.substr(0, change.find('=')));
  machine.deviceKernelsCount &= keepsDeviceKernels(changed);
  machine.hostKernelsCount &= keepsHostKernels(changed);
}

Result<Machine> withRanks(const Machine &machine, int64_t ranks) {
  const bool fillsNodes = ranks % machine.ranksPerNode == 0;
  if (ranks > machine.ranksPerNode && !fillsNodes)
    return Status::badInput(std::to_string(ranks) + " ranks fill no whole nodes of " +
                            std::to_string(machine.ranksPerNode));
  const std::vector<std::string> changes = {
      "nodes=" + std::to_string(fillsNodes ? ranks / machine.ranksPerNode : 1),
      "devices_per_node=" + std::to_string(fillsNodes ? machine.ranksPerNode : ranks)};
  return changeMachine(machine, changes);
}

} // namespace windlass::model
