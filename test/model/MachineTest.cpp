// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Machine.h"
#include "model/MachineSchema.h"
#include "runtime/plan/Words.h"
#include "runtime/plan/file/Schema.h"
#include "test/support/Folders.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace windlass;
using namespace windlass::model;
using plan::ElementType;
using plan::Tier;

namespace {

constexpr std::string_view kMachine = R"({
  "format": "windlass.hardware/1", "name": "test", "ranks": 4,
  "device": {"capacity": "12MiB", "flops": {"f32": "100GFLOP/s", "bf16": 2e11}, "bandwidth": "20GB/s",
             "launch_overhead": "5us"},
  "host": {"capacity": "32MiB", "bandwidth": "40GB/s", "adamw": 1.4e9},
  "nvme": {"capacity": "256MiB", "read": "4GB/s", "write": "2GB/s", "latency": "100us", "request_work": "30us"},
  "links": {"cg": {"in": "10GB/s", "out": "5GB/s"}, "gg": {"bandwidth": "8GB/s", "latency": 0.001}}
})";

nlohmann::json valid() { return nlohmann::json::parse(kMachine); }

Machine read(const nlohmann::json &json) {
  Result<Machine> machine = parseMachine(json.dump(), "m.json");
  EXPECT_TRUE(machine.isOk()) << machine.status().message();
  return machine ? machine.take() : Machine();
}

std::string refusal(const nlohmann::json &json) {
  return parseMachine(json.dump(), "m.json").status().message();
}

/// The error after one value of the valid file is replaced.
std::string refusalOf(const char *pointer, const nlohmann::json &value) {
  nlohmann::json json = valid();
  json[nlohmann::json::json_pointer(pointer)] = value;
  return refusal(json);
}

} // namespace

TEST(Machine, CapacitiesArePerRank) {
  Machine machine = read(valid());
  EXPECT_EQ(machine.ranks(), 4);
  EXPECT_EQ(machine.capacity(Tier::Device), 12 << 20);
  EXPECT_EQ(machine.capacity(Tier::Host), 8 << 20);
  EXPECT_EQ(machine.capacity(Tier::Nvme), 64 << 20);
  EXPECT_EQ(machine.requestSeconds(4096), 0); // each link has hardware of its own
}

/// The reader accepts larger capacities, but no plan has so large an arena.
TEST(Machine, CapacitiesAreThoseOfArenas) {
  Machine machine;
  machine.deviceCapacity = machine.hostCapacity = int64_t(1) << 59;
  EXPECT_EQ(machine.capacity(plan::Tier::Device), plan::kLargest);
  EXPECT_EQ(machine.capacity(plan::Tier::Host), plan::kLargest);
}

TEST(Machine, CapacitiesAreWholePages) {
  nlohmann::json json = valid();
  json["host"]["capacity"] = 4 * 4096 + 4 * 100;
  EXPECT_EQ(read(json).capacity(Tier::Host), 4096);
}

TEST(Machine, DevicesOfTheirOwnAreNotSharedButNodesAre) {
  Machine machine = read(valid());
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::F32), 1 + 5e-6);
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::BF16), 0.5 + 5e-6);
  EXPECT_DOUBLE_EQ(machine.kernelSeconds(20e9), 1 + 5e-6);
  EXPECT_DOUBLE_EQ(machine.kernelSeconds(20e9, 100e9), 2 + 5e-6); // vector rate: half of f32
  EXPECT_DOUBLE_EQ(machine.hostKernelSeconds(10e9), 1 + 5e-6);
  EXPECT_DOUBLE_EQ(machine.readSeconds(1e9), 1 + 1e-4);
  EXPECT_DOUBLE_EQ(machine.writeSeconds(1e9), 2 + 1e-4);
  EXPECT_DOUBLE_EQ(machine.uploadSeconds(10e9), 1);
  EXPECT_DOUBLE_EQ(machine.offloadSeconds(10e9), 2);
  EXPECT_DOUBLE_EQ(machine.allGatherSeconds(8e9), 0.75 + 0.001); // a rank's own quarter crosses no link
}

TEST(Machine, ADeviceWithCodeOfItsOwnGetsItsLaunchesAhead) {
  nlohmann::json json = valid();
  json["backend"] = "cuda";
  Machine machine = read(json);
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::F32), 1);
  EXPECT_DOUBLE_EQ(machine.kernelSeconds(20e9), 1);
  EXPECT_DOUBLE_EQ(machine.kernelSeconds(20), 5e-6) << "enqueuing takes longer";
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1, ElementType::F32), 5e-6);
  EXPECT_DOUBLE_EQ(machine.hostKernelSeconds(10e9), 1 + 5e-6) << "the host's are launched one by one";
}

TEST(Machine, ProductsOfOddSizesMayGoAtTheRateOfF32) {
  nlohmann::json json = valid(); // f32 100 GFLOP/s, bf16 twice that
  EXPECT_DOUBLE_EQ(read(json).matmulSeconds(1e11, ElementType::BF16, 119), 0.5 + 5e-6) << "any size is alike";
  json["device"]["matmul_multiple"] = 8;
  const Machine machine = read(json);
  for (auto [divisor, seconds] : {std::pair(0, 0.5), {8, 0.5}, {952, 0.5}, {4, 1.0}, {238, 1.0}, {1, 1.0}})
    EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::BF16, divisor), seconds + 5e-6) << divisor;
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::F32, 119), 1 + 5e-6);
  EXPECT_EQ(refusalOf("/device/matmul_multiple", 0),
            "m.json: device.matmul_multiple: must be a whole number from 1 to 65536, is 0");
}

TEST(Machine, SaysWhatItsDevicesAre) {
  EXPECT_EQ(read(valid()).backend, "cpu");
  nlohmann::json json = valid();
  json["backend"] = "cuda";
  EXPECT_EQ(read(json).backend, "cuda");
  EXPECT_EQ(refusalOf("/backend", "rocm"), "m.json: backend: must be 'cpu' or 'cuda', is \"rocm\"");
}

TEST(Machine, CopiesOfADeviceCostItsKernelsNothing) {
  const Machine machine = read(valid());
  for (plan::Lane lane : {plan::Lane::Compute, plan::Lane::CgIn, plan::Lane::CgOut, plan::Lane::HostCompute})
    EXPECT_EQ(machine.sharedWeight(lane), 0) << "each on hardware of its own";
}

TEST(Machine, EveryRequestMayCostTheDiskTime) {
  nlohmann::json json = valid();
  json["nvme"]["request_time"] = "10us"; // for each of the four ranks
  const Machine machine = read(json);
  EXPECT_DOUBLE_EQ(machine.readSeconds(1e6), 1e-3 + 1e-4 + 4e-5);
  // Three requests.
  EXPECT_DOUBLE_EQ(machine.writeSeconds((2 << 20) + 4096), ((2 << 20) + 4096) * 2e-9 + 1e-4 + 12e-5);
  EXPECT_DOUBLE_EQ(machine.readSeconds(0), 1e-4);
}

TEST(Machine, TheTwoDirectionsOfADiskMayTakeTurns) {
  nlohmann::json json = valid(); // 4 GB/s in, 2 out
  EXPECT_DOUBLE_EQ(read(json).nvmeDuplex(), 2);
  for (auto [both, duplex] : {std::pair("6GB/s", 2.0), {"4GB/s", 1.5}, {"2666666666", 1.0}, {"1GB/s", 1.0}}) {
    json["nvme"]["both"] = both;
    EXPECT_NEAR(read(json).nvmeDuplex(), duplex, 1e-9) << both;
  }
}

TEST(Machine, ADiskThatIsNotThereIsNotMeasured) {
  nlohmann::json json = valid();
  json["measured"] = {{"nvme.latency", "80us"}};
  EXPECT_DOUBLE_EQ(read(json).nvmeLatency, 80e-6);
  json.erase("nvme");
  EXPECT_EQ(refusal(json),
            "m.json: measured.nvme.latency: is measured of a disk, but the file has no \"nvme\"");
  json["measured"] = {{"nvme.read", "3.8GB/s"}};
  EXPECT_EQ(refusal(json), "m.json: measured.nvme.read: is measured of a disk, but the file has no \"nvme\"");
}

TEST(Machine, DevicesOfTheirOwnShareTheHostsMemory) {
  nlohmann::json json = valid();
  const Machine alone = read(json);
  json["links"]["host"]["bandwidth"] = "50GB/s"; // 12.5 GB/s for each of four ranks
  const Machine shared = read(json);
  for (auto [lane, weight] : {std::pair(plan::Lane::CgIn, 10 / 12.5),
                              {plan::Lane::CgOut, 5 / 12.5},
                              {plan::Lane::HostCompute, 10 / 12.5},
                              {plan::Lane::Compute, 0.0},
                              {plan::Lane::Gg, 0.0},
                              {plan::Lane::NcIn, 0.0}}) {
    EXPECT_DOUBLE_EQ(shared.sharedWeight(lane), weight) << plan::textOf(lane);
    EXPECT_EQ(alone.sharedWeight(lane), 0) << plan::textOf(lane);
  }
  EXPECT_DOUBLE_EQ(shared.requestSeconds(25e9), 2);
  EXPECT_EQ(alone.requestSeconds(25e9), 0);
  EXPECT_EQ(shared.sharedThing(), "links.host");
  EXPECT_EQ(shared.diskLink(RateId::NvmeRead), RateId::NvmeRead); // 4 GB/s
  json["links"]["host"]["bandwidth"] = "3GB/s";                   // between reads and writes of 2 GB/s
  const Machine slow = read(json);
  EXPECT_EQ(slow.diskLink(RateId::NvmeRead), RateId::HostLink);
  EXPECT_EQ(slow.diskLink(RateId::NvmeWrite), RateId::NvmeWrite);
  EXPECT_DOUBLE_EQ(slow.readSeconds(3e9), 4 + 1e-4);
  EXPECT_DOUBLE_EQ(slow.nvmeDuplex(), 1.5 / 3 + 1.5 / 2); // 3 GB/s of both: half in, half out
  // The time of requests is the disk's alone: a block takes 2^20 / 4 ns on the disk, 2^20 / 3 through the
  // host.
  json["nvme"]["request_time"] = "80us";
  const Machine busy = read(json);
  EXPECT_EQ(busy.diskLink(RateId::NvmeRead), RateId::HostLink);
  EXPECT_DOUBLE_EQ(busy.readSeconds(1 << 20), 4 * (1 << 20) / 3e9 + 1e-4);
  json["nvme"]["request_time"] = "90us";
  const Machine slower = read(json);
  EXPECT_EQ(slower.diskLink(RateId::NvmeRead), RateId::NvmeRead);
  EXPECT_DOUBLE_EQ(slower.readSeconds(1 << 20), 4 * ((1 << 20) / 4e9 + 90e-6) + 1e-4);
}

TEST(Machine, SaysWhereARateComesFrom) {
  nlohmann::json json = valid();
  json["sources"] = {{"links.gg", "a data sheet"}, {"links", "a page"}, {"device.bandwidth", "a test"}};
  json["measured"] = {{"nvme.read", "3GB/s"}};
  const Machine machine = read(json);
  EXPECT_EQ(machine.sourceOf(RateId::Gg), "a data sheet");
  EXPECT_EQ(machine.sourceOf(RateId::CgIn), "a page");
  EXPECT_EQ(machine.sourceOf(RateId::DeviceBandwidth), "a test");
  EXPECT_EQ(machine.sourceOf(RateId::MatmulF32), "declared");
  EXPECT_EQ(machine.sourceOf(RateId::NvmeRead), "measured");
}

TEST(Machine, SharedCoresAreDividedAmongRanks) {
  nlohmann::json json = valid();
  json["shared_cores"] = 2;
  Machine machine = read(json);
  // A launch takes time of the core, too.
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::F32), 2 + 1e-5);
  EXPECT_DOUBLE_EQ(machine.uploadSeconds(10e9), 2);
  EXPECT_DOUBLE_EQ(machine.allGatherSeconds(8e9), 2 + 0.001);
  EXPECT_DOUBLE_EQ(machine.hostKernelSeconds(10e9), 1 + 1e-5);
  EXPECT_DOUBLE_EQ(machine.sharedWeight(plan::Lane::Compute), 1);
  EXPECT_DOUBLE_EQ(machine.sharedWeight(plan::Lane::NcIn), 0);
  EXPECT_DOUBLE_EQ(machine.requestSeconds(4096), 6e-5);               // 30 us of one core, with half a core
  EXPECT_DOUBLE_EQ(machine.requestSeconds((2 << 20) + 4096), 1.8e-4); // three requests of at most 1 MiB
}

TEST(Machine, ThreadsUseSpareCores) {
  nlohmann::json json = valid();
  json["ranks"] = 1;
  json["shared_cores"] = 4;
  Machine machine = read(json);
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::F32), 1 + 5e-6);
  EXPECT_DOUBLE_EQ(machine.sharedWeight(plan::Lane::Compute), 0.25);
  machine.threadsPerRank = 2;
  EXPECT_DOUBLE_EQ(machine.matmulSeconds(1e11, ElementType::F32), 0.5 + 5e-6);
  EXPECT_DOUBLE_EQ(machine.sharedWeight(plan::Lane::Compute), 0.5);
  EXPECT_DOUBLE_EQ(machine.sharedWeight(plan::Lane::CgIn), 0.25);
}

TEST(Machine, MeasuredRatesTakeThePlaceOfDeclaredOnes) {
  nlohmann::json json = valid();
  EXPECT_FALSE(read(json).isMeasured());
  EXPECT_EQ(read(json).quote(RateId::NvmeRead), (plan::QuotedRate{"nvme.read", 4e9, "B", false}));
  json["measured"] = {{"nvme.read", "3.8GB/s"}, {"shared_cores", 2}, {"links.gg.latency", "7us"}};
  Machine machine = read(json);
  EXPECT_DOUBLE_EQ(machine.ggLatency, 7e-6);
  EXPECT_EQ(machine.quote(RateId::NvmeRead), (plan::QuotedRate{"nvme.read", 3.8e9, "B", true}));
  EXPECT_EQ(machine.quote(&Machine::ggLatency), (plan::QuotedTime{"links.gg.latency", 7e-6}));
  EXPECT_EQ(machine.sharedCores, 2);
  EXPECT_FALSE(machine.isMeasured());
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) json["measured"][Path] = 1e9;
#include "model/Rates.def"
#include "test/support/Folders.h"
  EXPECT_TRUE(read(json).isMeasured());
}

TEST(Machine, AMeasuredKernelTakesItsOwnTime) {
  nlohmann::json json = valid();
  json["ranks"] = 4;
  json["shared_cores"] = 2;
  json["measured"] = {{"kernels", {{"map_1", "10us"}, {"map_2", 4e-6}}}};
  const Machine machine = read(json);
  EXPECT_DOUBLE_EQ(machine.measuredSeconds("map_1", plan::Lane::Compute, 1).value(), 2e-5); // on half a core
  EXPECT_DOUBLE_EQ(machine.measuredSeconds("map_2", plan::Lane::HostCompute, 0.25).value(), 2e-6);
  EXPECT_EQ(machine.measuredSeconds("map_3", plan::Lane::Compute, 1), std::nullopt);
}

TEST(Machine, TheTemplateHasEveryKeyAndIsShownInTheDocs) {
  Result<Machine> machine = parseMachine(hardwareTemplate(), "template");
  ASSERT_TRUE(machine) << machine.status().message();
  for (const Rate &rate : machine->rates)
    EXPECT_GT(rate.perSecond, 0);
  std::ifstream page(WINDLASS_SOURCE_DIR "/docs/hardware.md");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  EXPECT_NE(text.find(hardwareTemplate()), std::string::npos);
}

TEST(Machine, TheSchemaKnowsEveryKeyOfTheTemplate) {
  const nlohmann::json schema = nlohmann::json::parse(hardwareSchema());
  std::function<void(const nlohmann::json &, const nlohmann::json &)> expectKnown =
      [&](const nlohmann::json &document, const nlohmann::json &place) {
        for (const auto &[key, value] : document.items()) {
          ASSERT_TRUE(place["properties"].contains(key)) << key;
          if (value.is_object())
            expectKnown(value, place["properties"][key]);
        }
      };
  expectKnown(nlohmann::json::parse(hardwareTemplate()), schema);
  EXPECT_EQ(schema["properties"]["links"]["properties"]["cg"]["additionalProperties"], false);
  EXPECT_TRUE(schema["properties"]["measured"]["properties"].contains("links.cg.in"));
}

TEST(Machine, NodesAndDevicesPerNodeMultiply) {
  nlohmann::json json = valid();
  json.erase("ranks");
  json["nodes"] = 2;
  json["devices_per_node"] = 8;
  Machine machine = read(json);
  EXPECT_EQ(machine.ranks(), 16);
  EXPECT_EQ(machine.capacity(Tier::Host), 4 << 20);
}

TEST(Machine, WithoutNvmeThereIsNoNvmeCapacity) {
  nlohmann::json json = valid();
  json.erase("nvme");
  EXPECT_EQ(read(json).capacity(Tier::Nvme), 0);
}

TEST(Machine, OneRankNeedsNoLinkToOthers) {
  nlohmann::json json = valid();
  json["links"].erase("gg");
  EXPECT_EQ(refusal(json), "m.json: links.gg: is missing");
  json["ranks"] = 1;
  EXPECT_EQ(read(json).ranks(), 1);
}

TEST(Machine, WrongValuesAreNamed) {
  struct Case {
    const char *pointer;
    nlohmann::json value;
    const char *message;
  };
  const Case cases[] = {
      {"/format", "windlass.hardware/2",
       R"(format: must be "windlass.hardware/1", is "windlass.hardware/2")"},
      {"/ranks", 0, "ranks: must be a whole number from 1 to 1048576, is 0"},
      {"/ranks", -4, "ranks: must be a whole number from 1 to 1048576, is -4"},
      {"/ranks", 2.5, "ranks: must be a whole number from 1 to 1048576, is 2.5"},
      {"/ranks", 1e300, "ranks: must be a whole number from 1 to 1048576, is 1e+300"},
      {"/nodes", 2, "ranks: stands beside \"nodes\" or \"devices_per_node\", which say the same"},
      {"/device/capacity", "0MiB",
       "device.capacity: must be a size such as \"12MiB\" from 1 to 1152921504606846976 bytes, is \"0MiB\""},
      {"/device/capacity", -1,
       "device.capacity: must be a whole number from 1 to 1152921504606846976, is -1"},
      {"/device/capacity", 18446744073709551615u,
       "device.capacity: must be a whole number from 1 to 1152921504606846976, is 18446744073709551615"},
      {"/device/flops/f32", 0, "device.flops.f32: must be at least 1 and below 1e21 per second, is 0"},
      {"/device/flops/f32", "fast", "device.flops.f32: \"fast\" is not a rate (example: \"3.8GB/s\")"},
      {"/device/fused_attention", "yes", "device.fused_attention: must be true or false, is \"yes\""},
      {"/device/flops/f23", 1, "device.flops.f23: unknown key, did you mean \"f32\"?"},
      {"/device/capcity", 1, "device.capcity: unknown key, did you mean \"capacity\"?"},
      {"/hosts", 1, "hosts: unknown key, did you mean \"host\"?"},
      {"/host", 7, "host: must be an object, is 7"},
      {"/links/nodes", "100MB/s", "links.nodes: must be an object, is \"100MB/s\""},
      {"/links/host", 3, "links.host: must be an object, is 3"},
      {"/nvme/latency", "-5us", "nvme.latency: \"-5us\" is not a time (example: \"5us\")"},
      {"/nvme/latency", 1e9, "nvme.latency: must be a number from 0.0 to 1000.0, is 1000000000.0"},
      {"/nvme/depth", 0, "nvme.depth: must be a whole number from 1 to 256, is 0"},
      {"/links/cg/in", "-1GB/s", "links.cg.in: \"-1GB/s\" is not a rate (example: \"3.8GB/s\")"},
      {"/links/cg/in", "3TFLOP/s", "links.cg.in: \"3TFLOP/s\" is no rate of B"},
      {"/device/flops/f32", "3TB/s", "device.flops.f32: \"3TB/s\" is no rate of FLOP"},
      {"/host/adamw", "3GB/s", "host.adamw: \"3GB/s\" is no rate of params"},
      {"/links/gg/hop", "-1us", "links.gg.hop: \"-1us\" is not a time (example: \"5us\")"},
      {"/links/gpu", {{"bandwidth", "1GB/s"}}, "links.gpu: unknown key, did you mean \"device\"?"},
      {"/links/host",
       {{"bandwidth", 0}},
       "links.host.bandwidth: must be at least 1 and below 1e21 per second, is 0"},
      {"/links/collectives", "star",
       "links.collectives: must be \"ring\", \"hierarchical\", \"tree\", \"switch\" or \"fastest\", is "
       "\"star\""},
      {"/shared_cores", 0, "shared_cores: must be a whole number from 1 to 65536, is 0"},
      {"/measured", {{"nvme.raed", 1}}, "measured.nvme.raed: unknown key, did you mean \"nvme.read\"?"},
      {"/measured",
       {{"nvme.read", 0}},
       "measured.nvme.read: must be at least 1 and below 1e21 per second, is 0"},
      {"/measured", {{"kernels", 3}}, "measured.kernels: must be an object, is 3"},
      {"/measured",
       {{"kernels", {{"map_1", "soon"}}}},
       "measured.kernels.map_1: \"soon\" is not a time (example: \"5us\")"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(refusalOf(c.pointer, c.value), std::string("m.json: ") + c.message);
}

TEST(Machine, AMissingKeyIsNamedAndAMisspeltOneIsNotCalledMissing) {
  nlohmann::json json = valid();
  json["device"].erase("capacity");
  EXPECT_EQ(refusal(json), "m.json: device.capacity: is missing");
  json["device"]["capacitty"] = 5;
  EXPECT_EQ(refusal(json), "m.json: device.capacitty: unknown key, did you mean \"capacity\"?");
}

TEST(Machine, EveryUnknownKeyIsTold) {
  nlohmann::json json = valid();
  json["gpus"] = 8;
  json["device"]["memory"] = "80GB";
  json["links"]["cg"]["inn"] = 1;
  json["measured"]["nvme.raed"] = 1;
  EXPECT_EQ(
      refusal(json),
      "m.json: device.memory: unknown key, did you mean \"device.capacity\"?; gpus: unknown key, did you "
      "mean \"ranks\"?; links.cg.inn: unknown key, did you mean \"in\"?; measured.nvme.raed: unknown "
      "key, did you mean \"nvme.read\"?");
}

TEST(Machine, NothingHostileGetsThrough) {
  std::string text(kMachine);
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parseMachine(text.substr(0, length), "m.json").isOk()) << length;
  for (const char *other :
       {"", "null", "[]", "7", "\"x\"", "{}", "{\"format\":{}}", "\xff\xfe", "{\"a\":1e999}"})
    EXPECT_FALSE(parseMachine(other, "m.json").isOk()) << other;
  EXPECT_FALSE(parseMachine(std::string(100'000, '['), "m.json").isOk());
  for (size_t at = 0; at < text.size(); ++at) { // with any one byte changed the file is read or refused
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    Result<Machine> machine = parseMachine(changed, "m.json");
    EXPECT_TRUE(machine.isOk() || !machine.status().message().empty());
  }
  EXPECT_EQ(readMachine("/nowhere/m.json").status().message(),
            "/nowhere/m.json: cannot open: No such file or directory");
}

TEST(Machine, SourcesAreOfKeysThatTheFileHas) {
  nlohmann::json json = valid();
  json["sources"] = {{"device.flops.f32", "data sheet"}, {"links", "measured by hand"}};
  EXPECT_EQ(refusal(json), "");
  json["sources"] = {{"links.nodes", "data sheet"}};
  EXPECT_EQ(refusal(json),
            "m.json: sources.links.nodes: is the source of a key that this file does not have");
  json["sources"] = {{"device.flops", 3}};
  EXPECT_EQ(refusal(json), "m.json: sources.device.flops: must be a string, is 3");
}

namespace {

/// Whether a value has a source, by itself or through an object that contains it.
bool isSourced(const nlohmann::json &sources, std::string path) {
  for (;; path.resize(path.rfind('.'))) {
    if (sources.contains(path))
      return true;
    if (path.find('.') == std::string::npos)
      return false;
  }
}

/// Expects a source for every value below a place.
void expectSources(const nlohmann::json &place, const std::string &path, const nlohmann::json &sources) {
  if (!place.is_object()) {
    EXPECT_TRUE(isSourced(sources, path)) << path;
    return;
  }
  for (const auto &[key, value] : place.items())
    expectSources(value, path.empty() ? key : path + "." + key, sources);
}

} // namespace

/// The machines of examples/hardware can be read, and give the source of each capacity, rate and time.
TEST(Machine, ExamplesSayWhereTheirValuesComeFrom) {
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(WINDLASS_SOURCE_DIR "/examples/hardware")) {
    if (entry.path().extension() != ".json")
      continue;
    SCOPED_TRACE(entry.path().filename().string());
    Result<Machine> machine = readMachine(entry.path());
    ASSERT_TRUE(machine.isOk()) << machine.status().message();
    nlohmann::json json = nlohmann::json::parse(machine->text);
    for (const char *part : {"device", "host", "nvme", "links"})
      if (json.contains(part))
        expectSources(json[part], part, json["sources"]);
    ++files;
  }
  EXPECT_GE(files, 10u);
}
