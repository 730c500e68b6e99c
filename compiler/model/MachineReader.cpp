// Reads a hardware file into a Machine: the other half of Machine.h.
#include "compiler/model/KeyReader.h"
#include "compiler/model/Machine.h"
#include <fstream>
#include <sstream>

namespace windlass::model {
namespace {

constexpr std::string_view kFormat = "windlass.hardware/1";
constexpr int64_t kMostRanks = 1 << 20;

bool isRequired(RateId id) {
  switch (id) {
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc)                                                         \
  case RateId::Id:                                                                                           \
    return Required;
#include "compiler/model/Rates.def"
  }
  return false;
}

/// Reads the declared rate whose path ends in `key` below `object`.
void readRate(KeyReader &object, std::string_view key, RateId id, Machine &machine) {
  if (isRequired(id) || object.has(key))
    machine.rates[static_cast<size_t>(id)] = {object.rate(key), false};
}

void readRanks(KeyReader &top, Machine &machine) {
  if (top.has("ranks")) {
    if (top.has("nodes") || top.has("devices_per_node"))
      top.fail("ranks", "stands beside \"nodes\" or \"devices_per_node\"; give one or the other");
    machine.ranksPerNode = top.integer("ranks", 1, kMostRanks);
    return;
  }
  machine.nodes = top.integer("nodes", 1, kMostRanks, 1);
  machine.ranksPerNode = top.integer("devices_per_node", 1, kMostRanks, 1);
  if (top.isOk() && machine.nodes > kMostRanks / machine.ranksPerNode)
    top.fail("nodes", std::to_string(machine.nodes) + " nodes of " + std::to_string(machine.ranksPerNode) +
                          " devices are more than " + std::to_string(kMostRanks) + " ranks");
}

void readDevice(KeyReader device, Machine &machine) {
  machine.deviceCapacity = device.bytes("capacity");
  KeyReader flops = device.object("flops");
  readRate(flops, "f32", RateId::MatmulF32, machine);
  readRate(flops, "bf16", RateId::MatmulBF16, machine);
  readRate(flops, "vector", RateId::Vector, machine);
  flops.finish();
  readRate(device, "bandwidth", RateId::DeviceBandwidth, machine);
  machine.launchOverhead = device.seconds("launch_overhead", 0.0);
  device.finish();
}

void readHost(KeyReader host, Machine &machine) {
  machine.hostCapacity = host.bytes("capacity");
  readRate(host, "bandwidth", RateId::HostBandwidth, machine);
  readRate(host, "adamw", RateId::AdamW, machine);
  host.finish();
}

void readNvme(KeyReader nvme, Machine &machine) {
  machine.nvmeCapacity = nvme.bytes("capacity");
  readRate(nvme, "read", RateId::NvmeRead, machine);
  readRate(nvme, "write", RateId::NvmeWrite, machine);
  machine.nvmeLatency = nvme.seconds("latency", 0.0);
  machine.nvmeDepth = nvme.integer("depth", 1, 256, 4);
  nvme.finish();
}

void readLinks(KeyReader links, Machine &machine) {
  KeyReader cg = links.object("cg");
  readRate(cg, "in", RateId::CgIn, machine);
  readRate(cg, "out", RateId::CgOut, machine);
  machine.cgLatency = cg.seconds("latency", 0.0);
  cg.finish();
  if (machine.ranks() > 1 || links.has("gg")) {
    KeyReader gg = links.object("gg");
    readRate(gg, "bandwidth", RateId::Gg, machine);
    machine.ggLatency = gg.seconds("latency", 0.0);
    gg.finish();
  }
  links.finish();
}

/// Measured rates take the place of declared ones; flat keys, as in Rates.def.
void readMeasured(KeyReader measured, Machine &machine) {
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc)                                                         \
  if (measured.has(Path))                                                                                    \
    machine.rates[static_cast<size_t>(RateId::Id)] = {measured.rate(Path), true};
#include "compiler/model/Rates.def"
  measured.finish();
}

} // namespace

Result<Machine> parseMachine(std::string_view text, const std::string &file) {
  Result<nlohmann::json> json = KeyReader::parse(text, file);
  if (!json)
    return json.status();
  Status failure;
  KeyReader top(*json, file, "", failure);
  std::string format = top.text("format");
  if (top.isOk() && format != kFormat)
    top.fail("format", "must be \"" + std::string(kFormat) + "\", is \"" + format.substr(0, 60) + "\"");
  Machine machine;
  machine.name = top.text("name", file);
  readRanks(top, machine);
  readDevice(top.object("device"), machine);
  readHost(top.object("host"), machine);
  if (top.has("nvme"))
    readNvme(top.object("nvme"), machine);
  readLinks(top.object("links"), machine);
  machine.sharedCores = top.integer("shared_cores", 1, 1 << 16, 0);
  if (top.has("measured"))
    readMeasured(top.object("measured"), machine);
  top.finish();
  if (!failure)
    return failure;
  return machine;
}

Result<Machine> readMachine(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (!stream || !(text << stream.rdbuf()))
    return Status::badInput(file + ": cannot be read as a hardware file");
  return parseMachine(text.str(), file);
}

} // namespace windlass::model
