// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a hardware file into a Machine: the other half of Machine.h.
#include "model/Machine.h"
#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/Units.h"
#include "runtime/base/UnknownKeys.h"
#include "runtime/plan/Device.h"
#include <vector>

namespace windlass::model {
namespace {

constexpr std::string_view kFormat = "windlass.hardware/1";
constexpr int64_t kMostRanks = 1 << 20;
constexpr int64_t kMostBytes = int64_t(1) << 60;
constexpr int64_t kMostCores = 1 << 16;
constexpr int64_t kMostMultiple = 1 << 16;

/// Every key that a hardware file may have, those of `measured` last.
const std::vector<std::string_view> &knownKeys() {
  static const std::vector<std::string> measured = [] {
    std::vector<std::string> keys = {"measured.shared_cores", "measured.kernels"};
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) keys.push_back("measured." Path);
#include "model/Rates.def"
    for (const LatencyKey &latency : latencyKeys())
      keys.push_back("measured." + std::string(latency.path));
    return keys;
  }();
  static const std::vector<std::string_view> known = [] {
    std::vector<std::string_view> keys = {"format",
                                          "name",
                                          "backend",
                                          "ranks",
                                          "nodes",
                                          "devices_per_node",
                                          "shared_cores",
                                          "device.capacity",
                                          "host.capacity",
                                          "nvme.capacity",
                                          "nvme.depth",
                                          "sources",
                                          "links.collectives",
                                          "device.fused_attention",
                                          "device.matmul_multiple"};
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) keys.push_back(Path);
#include "model/Rates.def"
    for (const LatencyKey &latency : latencyKeys())
      keys.push_back(latency.path);
    keys.insert(keys.end(), measured.begin(), measured.end());
    return keys;
  }();
  return known;
}

double readRate(JsonReader value, std::string_view unit) {
  double perSecond = 0;
  if (value.isText()) {
    Result<double> parsed = parseRateOf(unit, value.text());
    if (!parsed)
      value.fail(parsed.status().message());
    perSecond = parsed ? *parsed : 0;
  } else {
    perSecond = value.number(0, 1e21);
  }
  if (!(perSecond >= 1 && perSecond < 1e21)) // slower and a sum of times may leave the doubles
    value.failRule("must be at least 1 and below 1e21 per second");
  return perSecond;
}

double readSeconds(JsonReader &object, std::string_view key) {
  if (!object.has(key))
    return 0;
  JsonReader value = object.at(key);
  if (!value.isText())
    return value.number(0, 1000);
  Result<double> parsed = parseSeconds(value.text());
  if (!parsed)
    value.fail(parsed.status().message());
  else if (*parsed > 1000)
    value.failRule("must be at most 1000 s");
  return parsed ? *parsed : 0;
}

int64_t readCount(JsonReader &object, std::string_view key, int64_t most, int64_t otherwise) {
  return object.has(key) ? object.at(key).integer(1, most) : otherwise;
}

/// Reads every declared rate whose path is `prefix`.KEY.
void readRates(JsonReader &object, std::string_view prefix, Machine &machine) {
  auto read = [&](std::string_view path, bool isRequired, RateId id) {
    if (!path.starts_with(prefix) || path.size() <= prefix.size() || path[prefix.size()] != '.')
      return;
    std::string_view key = path.substr(prefix.size() + 1);
    if (key.find('.') == std::string_view::npos && (isRequired || object.has(key)))
      machine.rates[static_cast<size_t>(id)] = {readRate(object.at(key), rateUnit(id)), false};
  };
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) read(Path, Required, RateId::Id);
#include "model/Rates.def"
}

void readBackend(JsonReader value, Machine &machine) {
  machine.backend = value.text();
  if (!plan::findDevice(machine.backend))
    value.failRule("must be " + plan::backendNames());
}

void readRanks(JsonReader &top, Machine &machine) {
  if (top.has("ranks")) {
    if (top.has("nodes") || top.has("devices_per_node"))
      top.at("ranks").fail("stands beside \"nodes\" or \"devices_per_node\", which say the same");
    machine.ranksPerNode = readCount(top, "ranks", kMostRanks, 1);
    return;
  }
  machine.nodes = readCount(top, "nodes", kMostRanks, 1);
  machine.ranksPerNode = readCount(top, "devices_per_node", kMostRanks, 1);
  if (top.isOk() && machine.nodes > kMostRanks / machine.ranksPerNode)
    top.at("nodes").failRule("must make at most " + std::to_string(kMostRanks) +
                             " ranks with \"devices_per_node\" " + std::to_string(machine.ranksPerNode));
}

void readDevice(JsonReader device, Machine &machine) {
  machine.deviceCapacity = device.at("capacity").bytes(1, kMostBytes);
  JsonReader flops = device.at("flops");
  readRates(flops, "device.flops", machine);
  readRates(device, "device", machine);
  machine.launchOverhead = readSeconds(device, "launch_overhead");
  machine.matmulMultiple = readCount(device, "matmul_multiple", kMostMultiple, machine.matmulMultiple);
  machine.fusedAttention = device.has("fused_attention") && device.at("fused_attention").boolean();
}

void readHost(JsonReader host, Machine &machine) {
  machine.hostCapacity = host.at("capacity").bytes(1, kMostBytes);
  readRates(host, "host", machine);
}

void readNvme(JsonReader nvme, Machine &machine) {
  machine.nvmeCapacity = nvme.at("capacity").bytes(1, kMostBytes);
  readRates(nvme, "nvme", machine);
  machine.nvmeLatency = readSeconds(nvme, "latency");
  machine.nvmeRequestWork = readSeconds(nvme, "request_work");
  machine.nvmeRequestTime = readSeconds(nvme, "request_time");
  machine.nvmeDepth = readCount(nvme, "depth", 256, machine.nvmeDepth);
}

void readRoute(JsonReader value, Machine &machine) {
  const std::string word = value.text();
  for (Route route : {Route::Ring, Route::Hierarchical, Route::Tree, Route::Switch, Route::Fastest})
    if (word == textOf(route)) {
      machine.route = route;
      return;
    }
  value.failRule("must be \"ring\", \"hierarchical\", \"tree\", \"switch\" or \"fastest\"");
}

void readLinks(JsonReader links, Machine &machine) {
  JsonReader cg = links.at("cg");
  readRates(cg, "links.cg", machine);
  machine.cgLatency = readSeconds(cg, "latency");
  if (links.has("host")) {
    JsonReader host = links.at("host");
    readRates(host, "links.host", machine);
  }
  if (links.has("collectives"))
    readRoute(links.at("collectives"), machine);
  if (machine.ranks() == 1 && !links.has("gg"))
    return;
  JsonReader gg = links.at("gg");
  readRates(gg, "links.gg", machine);
  machine.ggLatency = readSeconds(gg, "latency");
  machine.ggHop = readSeconds(gg, "hop");
  if (!links.has("nodes"))
    return;
  JsonReader nodes = links.at("nodes");
  readRates(nodes, "links.nodes", machine);
  if (nodes.has("latency"))
    machine.nodesLatency = readSeconds(nodes, "latency");
  machine.nodesHop = readSeconds(nodes, "hop");
}

/// By name; any name may be there, also of a kernel that no plan has.
void readKernels(JsonReader kernels, Machine &machine) {
  for (const std::string &name : kernels.keys())
    machine.kernels[name] = readSeconds(kernels, name);
}

/// Refuses measured values of a disk that the file does not have.
void checkDisk(JsonReader &measured, const Machine &machine) {
  if (machine.has(plan::Tier::Nvme))
    return;
  for (const std::string &key : measured.keys())
    if (key.starts_with("nvme."))
      measured.at(key).fail("is measured of a disk, but the file has no \"nvme\"");
}

/// What was measured takes the place of what was declared; flat keys, as in Rates.def.
void readMeasured(JsonReader measured, Machine &machine) {
  checkDisk(measured, machine);
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc)                                                         \
  if (measured.has(Path))                                                                                    \
    machine.rates[static_cast<size_t>(RateId::Id)] = {readRate(measured.at(Path), Unit), true};
#include "model/Rates.def"
  for (const LatencyKey &latency : latencyKeys())
    if (measured.has(latency.path))
      machine.*latency.seconds = readSeconds(measured, latency.path);
  machine.sharedCores = readCount(measured, "shared_cores", kMostCores, machine.sharedCores);
  if (measured.has("kernels"))
    readKernels(measured.at("kernels"), machine);
  measured.finish();
}

/// Whether the file says anything at a path such as "links.gg".
bool says(const nlohmann::json &file, std::string_view path) {
  const nlohmann::json *place = &file;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    auto found = place->find(path.substr(begin, end - begin));
    if (found == place->end())
      return false;
    place = &*found;
    begin = end + 1;
  }
  return true;
}

/// Texts for people: where a value, or what stands in an object, comes from.
void readSources(JsonReader sources, const nlohmann::json &file, Machine &machine) {
  for (const std::string &path : sources.keys()) {
    JsonReader source = sources.at(path);
    machine.sources[path] = source.text();
    if (!says(file, path))
      source.fail("is the source of a key that this file does not have");
  }
}

} // namespace

Result<Machine> parseMachine(std::string_view text, const std::string &file) {
  Result<nlohmann::json> json = JsonReader::parse(text, file);
  if (!json)
    return json.status();
  Status failure;
  JsonReader top(*json, file, failure);
  JsonReader format = top.at("format");
  if (format.text() != kFormat)
    format.failRule("must be \"" + std::string(kFormat) + "\"");
  if (Status unknown = refuseUnknownKeys(*json, file, knownKeys()); !unknown && top.isOk())
    return unknown; // before anything is read, so that a misspelt key is not called missing
  Machine machine;
  machine.name = top.has("name") ? top.at("name").text() : file;
  machine.text = text;
  if (top.has("backend"))
    readBackend(top.at("backend"), machine);
  readRanks(top, machine);
  readDevice(top.at("device"), machine);
  readHost(top.at("host"), machine);
  if (top.has("nvme"))
    readNvme(top.at("nvme"), machine);
  readLinks(top.at("links"), machine);
  machine.sharedCores = readCount(top, "shared_cores", kMostCores, 0);
  if (top.has("measured"))
    readMeasured(top.at("measured"), machine);
  if (top.has("sources"))
    readSources(top.at("sources"), *json, machine);
  if (!failure)
    return failure;
  return machine;
}

Result<Machine> readMachine(const std::string &file) {
  Result<std::string> text = readFile(file);
  if (!text)
    return text.status();
  return parseMachine(*text, file);
}

} // namespace windlass::model
