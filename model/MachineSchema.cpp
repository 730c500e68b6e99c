// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/MachineSchema.h"

#include "model/Machine.h"
#include "runtime/base/UnitPatterns.h"
#include "runtime/plan/Device.h"
#include <nlohmann/json.hpp>

namespace windlass::model {
namespace {

using json = nlohmann::ordered_json;

/// A machine to fill in, with every key; docs/hardware.md shows it.
constexpr const char *kTemplate = R"json({
  "format": "windlass.hardware/1",
  "name": "four small ranks on one computer",
  "backend": "cpu",
  "ranks": 4,
  "device": {
    "capacity": "12MiB",
    "flops": {"f32": "100GFLOP/s", "bf16": "200GFLOP/s", "f16": "100GFLOP/s", "vector": "80GFLOP/s"},
    "bandwidth": "20GB/s",
    "launch_overhead": "5us",
    "matmul_multiple": 1,
    "fused_attention": false
  },
  "host": {"capacity": "32MiB", "bandwidth": "20GB/s", "adamw": "1.4e9"},
  "nvme": {"capacity": "256MiB", "read": "1.3GB/s", "write": "1GB/s", "both": "1.6GB/s", "latency": "100us", "request_work": "25us", "request_time": "8us", "depth": 4},
  "links": {
    "cg": {"in": "20GB/s", "out": "20GB/s", "latency": "5us"},
    "gg": {"bandwidth": "20GB/s", "latency": "3us", "hop": "1us"},
    "nodes": {"bandwidth": "20GB/s", "latency": "3us", "hop": "5us"},
    "host": {"bandwidth": "40GB/s"},
    "collectives": "ring"
  },
  "shared_cores": 2
}
)json";

json amount(const char *description, const char *pattern, double least) {
  return {{"description", description},
          {"anyOf", {{{"type", "number"}, {"minimum", least}}, {{"type", "string"}, {"pattern", pattern}}}}};
}
json capacity() { return amount("bytes, or with a unit: \"80GB\"", kBytesPattern, 1); }
json seconds() { return amount("seconds, or with a unit: \"5us\"", kSecondsPattern, 0); }
json whole(int64_t least) { return {{"type", "integer"}, {"minimum", least}}; }

/// Makes the object at a path of the schema, "links.cg", and gives its properties.
json &propertiesOf(json &schema, std::string_view path) {
  json *place = &schema;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    place = &(*place)["properties"][std::string(path.substr(begin, end - begin))];
    (*place)["type"] = "object";
    (*place)["additionalProperties"] = false;
    begin = end + 1;
  }
  return (*place)["properties"];
}

} // namespace

std::string hardwareTemplate() { return kTemplate; }

std::string hardwareSchema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "windlass.hardware/1"},
                 {"description", "What a machine has and how fast it is: docs/hardware.md."},
                 {"type", "object"},
                 {"required", {"format", "device", "host", "links"}},
                 {"additionalProperties", false}};
  json &top = propertiesOf(schema, "");
  top["format"] = {{"const", "windlass.hardware/1"}};
  top["name"] = {{"type", "string"}};
  top["backend"] = {{"description", "kind of the devices, unless a plan names another"},
                    {"enum", json::array()}};
  for (const plan::DeviceRow &device : plan::deviceRows())
    top["backend"]["enum"].push_back(device.backend);
  top["sources"] = {{"description", "where values come from, by a key or an object of keys: \"links.gg\""},
                    {"type", "object"},
                    {"additionalProperties", {{"type", "string"}}}};
  for (const char *count : {"ranks", "nodes", "devices_per_node", "shared_cores"})
    top[count] = whole(1);
  for (const char *owner : {"device", "host", "nvme"})
    propertiesOf(schema, owner)["capacity"] = capacity();
  propertiesOf(schema, "device")["launch_overhead"] = seconds();
  propertiesOf(schema, "device")["matmul_multiple"] = whole(1);
  propertiesOf(schema, "device")["fused_attention"] = {
      {"description", "predictions assume a library that has attention as one kernel"}, {"type", "boolean"}};
  for (const char *owner : {"nvme", "links.cg", "links.gg", "links.nodes"})
    propertiesOf(schema, owner)["latency"] = seconds();
  for (const char *level : {"links.gg", "links.nodes"})
    propertiesOf(schema, level)["hop"] = seconds();
  propertiesOf(schema,
               "links")["collectives"] = {{"description", "algorithm of collectives over several nodes"},
                                          {"enum", {"ring", "hierarchical", "tree", "switch", "fastest"}}};
  for (const char *cost : {"request_work", "request_time"})
    propertiesOf(schema, "nvme")[cost] = seconds();
  propertiesOf(schema, "nvme")["depth"] = whole(1);
  json &measured = propertiesOf(schema, "measured");
  measured["shared_cores"] = whole(1);
  measured["kernels"] = {
      {"description",
       "seconds of one launch, with shared_cores those of a core, by the name of the kernel in a plan"},
      {"type", "object"},
      {"additionalProperties", seconds()}};
  auto addRate = [&](const std::string &path, const char *description) {
    const size_t dot = path.rfind('.');
    const json rate = amount(description, kRatePattern, 1);
    propertiesOf(schema, path.substr(0, dot))[path.substr(dot + 1)] = rate;
    propertiesOf(schema, "measured")[path] = rate;
  };
  for (const LatencyKey &latency : latencyKeys())
    propertiesOf(schema, "measured")[std::string(latency.path)] = seconds();
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) addRate(Path, Doc);
#include "model/Rates.def"
  return schema.dump(2) + "\n";
}

} // namespace windlass::model
