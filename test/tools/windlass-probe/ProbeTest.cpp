// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/Probe.h"

#include "runtime/kernels/InstructionSet.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/ToolRun.h"
#include "tools/windlass-probe/DiskRates.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace windlass;

namespace {

constexpr const char *kMachine = R"({"format": "windlass.hardware/1", "ranks": 2,
  "device": {"capacity": "12MiB", "flops": {"f32": 1e11}, "bandwidth": 2e10},
  "host": {"capacity": "32MiB", "bandwidth": 2e10},
  "nvme": {"capacity": "8MiB", "read": 1e9, "write": 1e9},
  "links": {"cg": {"in": 1e10, "out": 1e10}, "gg": {"bandwidth": 1e10}}})";

} // namespace

TEST(Probe, WhatItWritesReadsBackAsMeasured) {
  model::Machine machine = model::parseMachine(kMachine, "m.json").take();
  ProbeOptions options;
  options.seconds = 0.01;
  options.nvmeFolder = WINDLASS_BINARY_DIR;
  Result<ProbeReport> report = probe(machine, options);
  ASSERT_TRUE(report.isOk()) << report.status().message();
  std::set<model::RateId> ids;
  for (const ProbeFinding &finding : report->findings) {
    EXPECT_GT(finding.perSecond, 1e6) << model::ratePath(finding.id);
    ids.insert(finding.id);
  }
  // All rates, except that of a type that this CPU may lack, and those that need several computers.
  const std::set<model::RateId> lacking = {model::RateId::MatmulBF16, model::RateId::Nodes,
                                           model::RateId::HostLink};
  for (size_t id = 0; id < model::kRates; ++id)
    EXPECT_TRUE(ids.count(static_cast<model::RateId>(id)) || lacking.count(static_cast<model::RateId>(id)))
        << model::ratePath(static_cast<model::RateId>(id));
  std::set<std::string_view> latencies;
  for (const ProbeLatency &latency : report->latencies) {
    const bool mayBeNone = latency.path == "nvme.request_time"; // small requests may be as fast as large ones
    EXPECT_GT(latency.seconds, mayBeNone ? -1e-9 : 1e-9) << latency.path;
    EXPECT_LT(latency.seconds, 0.1) << latency.path;
    latencies.insert(latency.path);
  }
  const std::set<std::string_view> notTimed = {"links.nodes.latency", "links.gg.hop", "links.nodes.hop"};
  for (const model::LatencyKey &key : model::latencyKeys())
    EXPECT_TRUE(latencies.count(key.path) || notTimed.count(key.path)) << key.path;
  Result<std::string> text = addMeasured(kMachine, *report);
  ASSERT_TRUE(text.isOk());
  Result<model::Machine> measured = model::parseMachine(*text, "out.json");
  ASSERT_TRUE(measured.isOk()) << measured.status().message();
  EXPECT_TRUE(measured->isMeasured());
  EXPECT_EQ(measured->sharedCores, report->cores);
  EXPECT_EQ(measured->capacity(plan::Tier::Device), machine.capacity(plan::Tier::Device));
  for (const ProbeLatency &latency : report->latencies)
    for (const model::LatencyKey &key : model::latencyKeys())
      if (key.path == latency.path) {
        EXPECT_NEAR((*measured).*key.seconds, latency.seconds, 0.01 * latency.seconds) << key.path;
      }
  double written = measured->rate(model::RateId::NvmeRead).perSecond;
  double found = report->findings.back().perSecond;
  EXPECT_EQ(report->findings.back().id, model::RateId::NvmeRead);
  EXPECT_NEAR(written, found, 0.01 * found);
}

/// What the probe finds of a disk is what the disk takes, whatever the size of requests.
TEST(Probe, RatesOfADiskAreWithoutTheTimeOfRequests) {
  constexpr int64_t large = 1 << 20, small = 64 << 10;
  constexpr double read = 2e9, write = 1e9, request = 20e-6;
  const auto measured = [&](double rate, int64_t bytes) {
    return static_cast<double>(bytes) / (static_cast<double>(bytes) / rate + request);
  };
  const double largeRead = measured(read, large), largeWrite = measured(write, large);
  // Reads and writes take turns: a byte each way takes as long as one after the other.
  const double both = 2 / (1 / largeRead + 1 / largeWrite);
  const DiskCost cost = splitRequests({{largeRead, largeWrite, both}, measured(read, small), large, small});
  EXPECT_NEAR(cost.requestSeconds, request, 1e-12);
  EXPECT_NEAR(cost.rates.read, read, 1);
  EXPECT_NEAR(cost.rates.write, write, 1);
  model::Machine machine = model::parseMachine(kMachine, "m.json").take();
  machine.ranksPerNode = 1;
  const auto set = [&](model::RateId id, double rate) { machine.rates[static_cast<size_t>(id)] = {rate}; };
  set(model::RateId::NvmeRead, cost.rates.read);
  set(model::RateId::NvmeWrite, cost.rates.write);
  set(model::RateId::NvmeBoth, cost.rates.both);
  machine.nvmeRequestTime = cost.requestSeconds;
  EXPECT_NEAR(machine.readSeconds(large), large / largeRead, 1e-12);
  EXPECT_NEAR(machine.writeSeconds(large), large / largeWrite, 1e-12);
  EXPECT_NEAR(machine.nvmeDuplex(), 1, 1e-12);
}

/// Small requests that are as fast as large ones take no time of their own; rates stay above 0 in any case.
TEST(Probe, RequestsOfADiskTakeNoTimeOrPartOfIt) {
  const DiskCost none = splitRequests({{1e9, 5e8, 7e8}, 1.1e9, 1 << 20, 64 << 10});
  EXPECT_EQ(none.requestSeconds, 0);
  EXPECT_DOUBLE_EQ(none.rates.read, 1e9);
  EXPECT_DOUBLE_EQ(none.rates.write, 5e8);
  EXPECT_DOUBLE_EQ(none.rates.both, 7e8);
  const DiskCost most = splitRequests({{1e9, 5e8, 7e8}, 1e6, 1 << 20, 64 << 10});
  EXPECT_NEAR(most.rates.read, 1e10, 1);
  EXPECT_TRUE(most.rates.write > 5e8 && most.rates.write < 1e9) << most.rates.write;
}

/// The model divides what a launch takes by the threads of a rank where cores are devices, and only there.
TEST(Probe, LaunchesOnCoresTakeWhatTheModelSays) {
  constexpr double elapsed = 3e-3;
  const auto predicted = [&](const LaunchCores &on, double work) {
    model::Machine machine = model::parseMachine(kMachine, "m.json").take();
    machine.ranksPerNode = on.ranks;
    machine.sharedCores = on.areDevices ? on.cores : 0;
    machine.threadsPerRank = on.threadsPerRank;
    machine.kernels["k"] = secondsOfLaunch(on, elapsed, work);
    return machine.measuredSeconds("k", plan::Lane::HostCompute, 1).value_or(0);
  };
  for (bool areDevices : {true, false}) {
    SCOPED_TRACE(areDevices);
    for (int64_t threads : {1, 2, 4}) // with a core each, of which some wait for the slowest
      EXPECT_DOUBLE_EQ(predicted({2, threads, 8, areDevices}, elapsed), elapsed);
    // Two ranks of four threads on four cores: the work of a launch on two of them.
    EXPECT_DOUBLE_EQ(predicted({2, 4, 4, areDevices}, 8e-3), 4e-3);
  }
}

/// Runs are capped to their plan's target, so that rates beyond it are of no use, whatever this CPU has.
TEST(Probe, MatmulsAreHeldToWhatRunsUse) {
  ProbeOptions options;
  options.seconds = 0.001;
  Result<ProbeReport> report = probe(model::parseMachine(kMachine, "m.json").take(), options);
  ASSERT_TRUE(report.isOk()) << report.status().message();
  const std::set<std::string> beyond = {"all", "avx512_core_amx"};
  EXPECT_EQ(beyond.count(libraryInstructionSet()), 0u) << libraryInstructionSet();
  EXPECT_TRUE(report->library.starts_with(widestTarget() + " (oneDNN ")) << report->library;
  EXPECT_NE(report->library.find(libraryInstructionSet()), std::string::npos) << report->library;
}

TEST(Probe, EveryThreadOfEveryRankIsBusy) {
  model::Machine machine = model::parseMachine(kMachine, "m.json").take();
  machine.ranksPerNode = 1;
  for (int64_t threads : {1, 2, 3}) {
    ProbeOptions options;
    options.seconds = 0.001;
    options.threadsPerRank = threads;
    Result<ProbeReport> report = probe(machine, options);
    ASSERT_TRUE(report.isOk()) << report.status().message();
    EXPECT_EQ(report->busy, std::min(report->cores, threads));
    EXPECT_EQ(report->busyOnHost, report->cores) << "host.bandwidth is that of all cores";
  }
}

TEST(Probe, TheDiskIsLeftAloneWithoutAFolder) {
  ProbeOptions options;
  options.seconds = 0.001;
  Result<ProbeReport> report = probe(model::parseMachine(kMachine, "m.json").take(), options);
  ASSERT_TRUE(report.isOk());
  for (const ProbeFinding &finding : report->findings)
    EXPECT_FALSE(model::ratePath(finding.id).starts_with("nvme"));
}

TEST(Probe, WrongInputIsRefusedInOneLineBeforeAnythingIsMeasured) {
  TemporaryFolder folder;
  folder.write("m.json", kMachine);
  folder.write("cut.json", std::string(kMachine).substr(0, 100));
  folder.write("key.json", R"({"format": "windlass.hardware/1", "rank": 2})");
  folder.write("other.json", R"({"format": "windlass.hardware/9"})");
  struct Case {
    const char *flags;
    int code;
    const char *part;
  };
  const Case cases[] = {
      {"", 2, "--onto or --plan is required"},
      {"--plan nowhere", 1, "nowhere"},
      {"--onto m.json --fast", 2, "--fast"},
      {"--ontoo m.json", 2, "--ontoo: unknown option, did you mean \"--onto\"?"},
      {"--onto m.json --threads-per-rank 0", 2, "must be a whole number from 1 to 4096, is 0"},
      {"--onto m.json -o ''", 2, "--output: must not be empty"},
      {"--onto m.json --nvme-folder", 2, "--nvme-folder"},
      {"--onto nowhere.json", 1, "nowhere.json: cannot open: No such file"},
      {"--onto .", 1, ".: not a regular file"},
      {"--onto cut.json", 1, "cut.json: not valid JSON"},
      {"--onto key.json", 1, "key.json: "},
      {"--onto other.json", 1, "other.json: format: "},
      {"--onto m.json --nvme-folder nowhere", 1, "nowhere: is no folder"},
      {"--onto m.json --nvme-folder m.json", 1, "m.json: is no folder"},
      {"--onto m.json -o no/such/file", 1, "no/such/file: cannot write: No such file"},
      {"--onto m.json -o .", 1, ".: cannot write: Is a directory"}};
  for (const Case &bad : cases) {
    SCOPED_TRACE(bad.flags);
    const test::ToolRun run = test::runTool(folder.path, WINDLASS_BINARY_DIR "/bin/windlass-probe --quick " +
                                                             std::string(bad.flags));
    EXPECT_EQ(run.code, bad.code);
    EXPECT_NE(run.error.find(bad.part), std::string::npos) << run.error;
    EXPECT_EQ(run.out, "");
    const bool isOneError = run.error.starts_with("error: ") && run.error.find('\n') == run.error.size() - 1;
    EXPECT_TRUE(bad.code != 1 || isOneError) << run.error;
  }
  EXPECT_EQ(test::runTool(folder.path, WINDLASS_BINARY_DIR "/bin/windlass-probe --help").code, 0);
  EXPECT_EQ(test::runTool(folder.path, WINDLASS_BINARY_DIR "/bin/windlass-probe --version").code, 0);
}
