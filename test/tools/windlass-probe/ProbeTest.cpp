// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/Probe.h"

#include "runtime/kernels/InstructionSet.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/ToolRun.h"
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
