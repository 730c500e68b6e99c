// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/ChangeMachine.h"
#include "model/InstructionTime.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace windlass;
using namespace windlass::model;

namespace {

constexpr std::string_view kMachine = R"({
  "format": "windlass.hardware/1", "name": "test", "nodes": 2, "devices_per_node": 4,
  "device": {"capacity": "12MiB", "flops": {"f32": "100GFLOP/s"}, "bandwidth": "20GB/s"},
  "host": {"capacity": "32MiB", "bandwidth": "40GB/s"},
  "links": {"cg": {"in": "10GB/s", "out": "5GB/s"}, "gg": {"bandwidth": "8GB/s", "latency": "5us"}},
  "measured": {"links.cg.in": "9GB/s", "kernels": {"map_1": "10us"}}
})";

Machine machine() {
  Result<Machine> read = parseMachine(kMachine, "m.json");
  EXPECT_TRUE(read.isOk()) << read.status().message();
  return read ? read.take() : Machine();
}

Machine changed(const std::vector<std::string> &changes) {
  Result<Machine> other = changeMachine(machine(), changes);
  EXPECT_TRUE(other.isOk()) << other.status().message();
  return other ? other.take() : Machine();
}

double rateOf(const Machine &machine, RateId id) { return machine.rate(id).perSecond; }

} // namespace

TEST(ChangeMachine, ValuesTakeThePlaceOfOthers) {
  const Machine other = changed({"links.gg.bandwidth=16GB/s", "host.capacity=64MiB", "links.gg.latency=7us",
                                 "host.adamw=1e9", "nodes=3"});
  EXPECT_EQ(rateOf(other, RateId::Gg), 16e9);
  EXPECT_EQ(other.hostCapacity, 64 << 20);
  EXPECT_DOUBLE_EQ(other.ggLatency, 7e-6);
  EXPECT_EQ(rateOf(other, RateId::AdamW), 1e9);
  EXPECT_EQ(other.ranks(), 12);
  EXPECT_EQ(other.name, "test");
  EXPECT_EQ(rateOf(other, RateId::CgOut), 5e9); // rates that are not set stay
}

TEST(ChangeMachine, MultiplesAreOfWhatIsThere) {
  EXPECT_EQ(changed({"device.capacity=2x"}).deviceCapacity, 24 << 20);
  EXPECT_EQ(changed({"device.capacity=1.13x"}).deviceCapacity, 14218690); // 14218690.56 bytes, rounded down
  EXPECT_EQ(changed({"devices_per_node=0.5x"}).ranksPerNode, 2);
  EXPECT_DOUBLE_EQ(changed({"links.gg.latency=3x"}).ggLatency, 15e-6);
  // A stand-in may be multiplied, too: bf16 has the rate of f32 if the file does not give it.
  EXPECT_EQ(rateOf(changed({"device.flops.bf16=4x"}), RateId::MatmulBF16), 4e11);
}

TEST(ChangeMachine, WhatIsSetIsNoLongerMeasured) {
  const Machine other = changed({"links.cg.in=2x"});
  EXPECT_EQ(rateOf(other, RateId::CgIn), 18e9);
  EXPECT_FALSE(other.rate(RateId::CgIn).measured);
  EXPECT_EQ(other.sourceOf(RateId::CgIn), "set: links.cg.in=2x");
}

/// Kernels that were measured take the time of rates again where these were set: on the device or on the
/// host.
TEST(ChangeMachine, KernelsOfAnotherDeviceOrHostTakeWhatRatesSay) {
  const auto launch = [](const Machine &machine, plan::Lane lane) {
    InstructionWork work{plan::Opcode::Launch, lane, /*bytes=*/1e6};
    work.kernel = "map_1";
    return secondsOf(machine, work);
  };
  constexpr double measured = 10e-6, onDevice = 1e6 / 20e9, onHost = 1e6 / 10e9; // a quarter of 40 GB/s
  const struct {
    const char *change;
    double device, host;
  } cases[] = {{"links.cg.in=2x", measured, measured},
               {"host.capacity=2x", measured, measured},
               {"device.capacity=2x", measured, measured},
               {"host.adamw=1e9", measured, measured}, // for people
               {"host.bandwidth=2x", measured, onHost / 2},
               {"device.bandwidth=2x", onDevice / 2, measured},
               {"device.flops.f32=2x", onDevice, measured},
               {"device.fused_attention=true", onDevice, measured},
               {"device.launch_overhead=1us", onDevice + 1e-6, onHost + 1e-6}};
  for (const auto &[change, device, host] : cases) {
    SCOPED_TRACE(change);
    const Machine other = changed({change});
    EXPECT_DOUBLE_EQ(launch(other, plan::Lane::Compute), device);
    EXPECT_DOUBLE_EQ(launch(other, plan::Lane::HostCompute), host);
  }
  // A plan holds the text of the machine alone.
  const std::vector<std::string> faster = {"host.bandwidth=2x"};
  Result<Machine> reread = parseMachine(changed(faster).text, "m.json");
  ASSERT_TRUE(reread) << reread.status().message();
  EXPECT_DOUBLE_EQ(launch(*reread, plan::Lane::HostCompute), measured);
  dropMeasuredKernels(*reread, faster);
  EXPECT_DOUBLE_EQ(launch(*reread, plan::Lane::HostCompute), onHost / 2);
  EXPECT_DOUBLE_EQ(launch(*reread, plan::Lane::Compute), measured);
  // A further change brings none of them back.
  Result<Machine> few = withRanks(changed({"host.bandwidth=1x"}), 4);
  ASSERT_TRUE(few) << few.status().message();
  EXPECT_DOUBLE_EQ(launch(*few, plan::Lane::HostCompute), onHost);
  EXPECT_FALSE(changed({"shared_cores=8"}).countsMeasured(plan::Lane::Compute));
  EXPECT_FALSE(changed({"shared_cores=8"}).countsMeasured(plan::Lane::HostCompute));
}

TEST(ChangeMachine, WordsAreThoseOfTheFile) {
  const Machine other =
      changed({"links.collectives=tree", "device.fused_attention=true", "device.matmul_multiple=8"});
  EXPECT_EQ(other.route, Route::Tree);
  EXPECT_TRUE(other.fusedAttention);
  EXPECT_EQ(other.matmulMultiple, 8);
  EXPECT_FALSE(changed({"device.fused_attention=false"}).fusedAttention);
}

TEST(ChangeMachine, ANewTierIsDescribedWhole) {
  EXPECT_TRUE(changed({"nvme.capacity=1TB", "nvme.read=3GB/s", "nvme.write=2GB/s"}).has(plan::Tier::Nvme));
  EXPECT_EQ(changed({"nvme.capacity=1TB", "nvme.read=3GB/s", "nvme.write=2GB/s", "nvme.depth=16"}).nvmeDepth,
            16);
  const std::vector<std::string> part = {"nvme.read=3GB/s"};
  EXPECT_EQ(changeMachine(machine(), part).status().message(), "nvme.read=3GB/s: nvme.capacity: is missing");
}

TEST(ChangeMachine, NonsenseIsRefused) {
  const std::pair<const char *, const char *> cases[] = {
      {"nvme.raed=2x", "nvme.raed: unknown key, did you mean \"nvme.read\"?"},
      {"links.gg.bandwidth=50",
       "links.gg.bandwidth: must have a unit, such as 3.8GB/s, or be a multiple such "
       "as 2x, is \"50\""},
      {"links.gg.latency=0",
       "links.gg.latency: must have a unit, such as 5us, or be a multiple such as 2x, is "
       "\"0\""},
      {"links.gg.bandwidth=0GB/s",
       "links.gg.bandwidth=0GB/s: links.gg.bandwidth: must be at least 1 and below "
       "1e21 per second, is \"0GB/s\""},
      {"links.gg.bandwidth=0x", "links.gg.bandwidth: a multiple must be above 0, is \"0x\""},
      {"links.gg.bandwidth=fast", "links.gg.bandwidth: must be a number with its unit, or a multiple such as "
                                  "2x, is \"fast\""},
      {"nvme.read=2x", "nvme.read: the machine has no value there to take a multiple of"},
      {"nodes=1.5", "nodes=1.5: nodes: must be a whole number from 1 to 1048576, is 1.5"},
      {"host.capacity=4furlongs",
       "host.capacity=4furlongs: host.capacity: must be a size such as \"12MiB\" from "
       "1 to 1152921504606846976 bytes, is \"4furlongs\""},
      {"device.fused_attention=1",
       "device.fused_attention=1: device.fused_attention: must be true or false, is \"1\""},
      {"links.collectives=2x",
       "links.collectives=2x: links.collectives: must be \"ring\", \"hierarchical\", \"tree\", \"switch\" or "
       "\"fastest\", is \"2x\""},
      {"device.capacity=12345678",
       "device.capacity: must have a unit, such as 80GB or 12345678B, or be a multiple such as 2x, is "
       "\"12345678\""},
      {"links.gg.bandwidth=0", "links.gg.bandwidth: must be above 0 with a unit, such as 3.8GB/s, or be a "
                               "multiple such as 2x, is \"0\""},
      {"device.capacity=0", "device.capacity: must be above 0 with a unit, such as 80GB, or be a multiple "
                            "such as 2x, is \"0\""},
      {"bandwidth", "must be KEY=VALUE, such as nvme.read=2x, is \"bandwidth\""},
  };
  for (const auto &[change, message] : cases) {
    const std::vector<std::string> changes = {change};
    EXPECT_EQ(changeMachine(machine(), changes).status().message(), message);
  }
}

TEST(ChangeMachine, NothingIsSetTwice) {
  const std::vector<std::string> twice = {"host.capacity=2x", "nodes=1", "host.capacity=3x"};
  EXPECT_EQ(changeMachine(machine(), twice).status().message(), "host.capacity: is set twice");
}

/// "ranks" stands for both of the others, so that one of them would be lost.
TEST(ChangeMachine, RanksAreSetInOneWay) {
  for (const auto &[changes, message] : std::vector<std::pair<std::vector<std::string>, const char *>>{
           {{"nodes=2", "ranks=4"}, "ranks: is set beside nodes, which says the same"},
           {{"ranks=4", "nodes=2"}, "ranks: is set beside nodes, which says the same"},
           {{"ranks=4", "host.capacity=2x", "devices_per_node=2"},
            "ranks: is set beside devices_per_node, which says the same"}})
    EXPECT_EQ(changeMachine(machine(), changes).status().message(), message);
  const Machine other = changed({"nodes=3", "devices_per_node=2"});
  EXPECT_EQ(std::pair(other.nodes, other.ranksPerNode), (std::pair<int64_t, int64_t>(3, 2)));
  EXPECT_EQ(changed({"ranks=4"}).ranks(), 4);
}

TEST(ChangeMachine, BothDirectionsOfADiskAreNoSlowerThanInTurns) {
  const std::vector<std::string> disk = {"nvme.capacity=1TB", "nvme.read=3GB/s", "nvme.write=3GB/s",
                                         "nvme.both=4GB/s"};
  Result<Machine> slow = changeMachine(machine(), disk);
  ASSERT_TRUE(slow) << slow.status().message();
  EXPECT_DOUBLE_EQ(slow->nvmeDuplex(), 4.0 / 3);
  const std::vector<std::string> each = {"nvme.read=2x", "nvme.write=2x"}, both = {"nvme.both=2GB/s"},
                                 all = {"nvme.read=2x", "nvme.write=2x", "nvme.both=2x"};
  EXPECT_EQ(changeMachine(*slow, both).status().message(),
            "nvme.both: is 2.00 GB/s, but reads and writes that take turns already reach 3.00 GB/s together");
  Result<Machine> inTurns = changeMachine(*slow, each); // both stay at 4 GB/s, and each reaches 6
  ASSERT_TRUE(inTurns) << inTurns.status().message();
  EXPECT_DOUBLE_EQ(inTurns->nvmeDuplex(), 1);
  Result<Machine> fast = changeMachine(*slow, all);
  ASSERT_TRUE(fast) << fast.status().message();
  EXPECT_DOUBLE_EQ(fast->nvmeDuplex(), 4.0 / 3);
}

TEST(ChangeMachine, OtherRanksFillNodes) {
  auto shape = [](int64_t ranks) {
    Result<Machine> other = withRanks(machine(), ranks);
    return other ? std::pair(other->nodes, other->ranksPerNode) : std::pair<int64_t, int64_t>(0, 0);
  };
  EXPECT_EQ(shape(2), (std::pair<int64_t, int64_t>(1, 2)));
  EXPECT_EQ(shape(4), (std::pair<int64_t, int64_t>(1, 4)));
  EXPECT_EQ(shape(64), (std::pair<int64_t, int64_t>(16, 4)));
  EXPECT_EQ(withRanks(machine(), 6).status().message(), "6 ranks fill no whole nodes of 4");
}

/// A file may say where its number of nodes comes from, which goes with it.
TEST(ChangeMachine, ranksTakeThePlaceOfNodesAndTheirSource) {
  const std::vector<std::string> nodes = {"nodes=8"}, ranks = {"ranks=2"};
  Result<Machine> sourced = changeMachine(machine(), nodes);
  ASSERT_TRUE(sourced) << sourced.status().message();
  Result<Machine> other = changeMachine(*sourced, ranks);
  ASSERT_TRUE(other) << other.status().message();
  EXPECT_EQ(other->ranks(), 2);
}
