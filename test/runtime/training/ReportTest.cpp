// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/RunReport.h"

#include "runtime/plan/Enums.h"
#include "runtime/training/report/TraceFile.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"
#include "test/support/JobOfThreads.h"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace windlass {
namespace {

using plan::Lane;
using plan::Opcode;

/// A plan of one section with an instruction on each of several lanes.
plan::Plan lanesPlan() {
  plan::Plan plan = toyPlan();
  auto add = [&](Opcode op, Lane lane, const char *what, int64_t bytes) {
    plan::Instruction instruction;
    instruction.op = op;
    instruction.lane = lane;
    instruction.origin = {"h.0", what, plan::Phase::Forward};
    instruction.bytesMoved = bytes;
    plan.programs[0].sections[0].instructions.push_back(instruction);
  };
  add(Opcode::Launch, Lane::Compute, "matmul", 0);
  add(Opcode::Launch, Lane::Compute, "gelu", 0);
  add(Opcode::Read, Lane::NcIn, "read momentum", 4096);
  add(Opcode::Read, Lane::NcIn, "read variance", 4096);
  add(Opcode::Feed, Lane::HostCompute, "", 0);
  return plan;
}

const std::vector<TraceEvent> kEvents = {{0, 0, 0, 0, 0.0, 1.0, 0.75}, {0, 0, 0, 1, 2.0, 3.0},
                                         {0, 0, 0, 2, 0.5, 2.5}, // hidden for 0.5 + 0.5 of 2
                                         {0, 0, 0, 3, 2.0, 4.0}, // hidden for 1 of 2
                                         {1, 0, 0, 2, 0.0, 4.0}, // rank 1 computes nothing: hidden for 0 of 4
                                         {0, 0, 0, 4, 0.0, 0.1}};

TEST(TraceFileTest, hiddenIsTheShareOfTransferTimeUnderTheSameRanksLaunches) {
  const HiddenShare hidden = hiddenTransfers(lanesPlan(), kEvents);
  EXPECT_DOUBLE_EQ(hidden.transferSeconds, 8);
  EXPECT_DOUBLE_EQ(hidden.share, 2.0 / 8);
  EXPECT_EQ(hiddenTransfers(lanesPlan(), {}).share, 0);
}

/// The first process has five events, the second two and the third none, of which a message takes two.
TEST(TraceFileTest, eventsOfProcessesAreGatheredInParts) {
  constexpr std::array<size_t, 3> kCounts = {5, 2, 0};
  test::asJob(kCounts.size(), [&](size_t process, JobProcess &job) {
    std::vector<TraceEvent> mine(kCounts[process]);
    for (size_t i = 0; i < mine.size(); ++i)
      mine[i] = {static_cast<int64_t>(process), 0, 0, static_cast<uint32_t>(i), 0.5, 1.5, 0.25};
    const Result<std::vector<TraceEvent>> all = gatherTrace(mine, job, /*atOnce=*/2);
    ASSERT_TRUE(all.isOk()) << all.status().message();
    std::vector<std::string> found;
    for (const TraceEvent &event : *all) {
      found.push_back(std::to_string(event.rank) + ":" + std::to_string(event.instruction));
      EXPECT_EQ(event.end - event.start, 1);
      EXPECT_EQ(event.work, 0.25);
    }
    std::ranges::sort(found);
    EXPECT_EQ(found, process == 0
                         ? (std::vector<std::string>{"0:0", "0:1", "0:2", "0:3", "0:4", "1:0", "1:1"})
                         : std::vector<std::string>());
  });
  JobProcess alone;
  EXPECT_EQ(gatherTrace(kEvents, alone, 4)->size(), kEvents.size());
}

TEST(TraceFileTest, slicesOfATrackNeverOverlap) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeTrace(folder / "t.json", lanesPlan(), kEvents).isOk());
  const nlohmann::json trace = nlohmann::json::parse(readText(folder / "t.json"));
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  std::map<std::pair<int, int>, double> ends;
  std::set<std::string> names;
  int slices = 0;
  for (const nlohmann::json &event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      names.insert(event["args"]["name"]);
      continue;
    }
    ++slices;
    double &end = ends[{event["pid"], event["tid"]}];
    EXPECT_GE(event["ts"].get<double>(), end);
    end = event["ts"].get<double>() + event["dur"].get<double>();
    EXPECT_EQ(event.contains("tdur"), event["pid"] == 0 && event["ts"] == 0.0 && event["dur"] == 1e6);
    if (event.contains("tdur")) {
      EXPECT_EQ(event["tdur"], 750000);
    }
    if (event["name"] == "read variance") {
      EXPECT_EQ(event["args"]["bytes"], 4096);
    }
  }
  EXPECT_EQ(slices, 6);
  EXPECT_EQ(names,
            (std::set<std::string>{"rank 0", "rank 1", "compute", "nc_in", "nc_in (2)", "host_compute"}));
}

TEST(RunReportTest, measuresWhatWasTouched) {
  const plan::Plan plan = lanesPlan();
  FakeExecutor executor(plan);
  const std::vector<TierUse> uses = measureTiers(plan, executor);
  ASSERT_EQ(uses.size(), 3u);
  for (const TierUse &use : uses)
    EXPECT_EQ(use.measured, use.isMeasured ? use.planned : 0) << plan::textOf(use.tier);
  EXPECT_GT(peakResidentBytes(), 1 << 20);
}

TEST(RunReportTest, saysPlannedAgainstMeasured) {
  plan::Plan plan = lanesPlan();
  plan.prediction.stepSeconds = 0.25;
  plan.prediction.declaredRates = true;
  FakeExecutor executor(plan);
  RunSummary summary;
  summary.lastStep = 3;
  summary.stepSeconds = {0.5, 0.2, 0.3};
  summary.loss = 1.5;
  summary.nvmeBytesWritten = 3 * 4096;
  summary.trace = kEvents;
  const std::string report = describeRun(plan, measureMemory(plan, executor), summary);
  for (const char *part :
       {"250 ms predicted (from declared rates), 300 ms measured (median of 3)", "25 % of 8.00 s",
        "4.00 KiB a step, 12.0 KiB in this run", "loss", "1.5000", "memory device", "memory nvme"})
    EXPECT_NE(report.find(part), std::string::npos) << part << " in\n" << report;
  summary.paced = true;
  EXPECT_NE(
      describeRun(plan, measureMemory(plan, executor), summary).find("300 ms measured (paced, median of 3)"),
      std::string::npos);
}

/// The last line that a person sees of a step, and of the run.
std::pair<std::string, std::string> shownOf(const std::optional<ValidationRecord> &validation) {
  const plan::Plan plan = toyPlan();
  FakeExecutor executor(plan);
  RunSummary summary;
  summary.stepSeconds = {0.5};
  summary.loss = 1.5;
  summary.validation = validation;
  StepRecord record;
  record.step = 4;
  record.loss = 1.5;
  record.validation = validation;
  testing::internal::CaptureStdout();
  EXPECT_TRUE(Progress(plan, {}, 4).show(record).isOk());
  return {testing::internal::GetCapturedStdout(), describeRun(plan, measureMemory(plan, executor), summary)};
}

TEST(RunReportTest, saysWhatValidationShowed) {
  const std::pair<std::optional<ValidationRecord>, std::pair<const char *, const char *>> cases[] = {
      {std::nullopt, {"loss 1.5000 | lr", "1.5000\n"}},
      {ValidationRecord{.loss = 2.5}, {"loss 1.5000 | val 2.5000 | lr", "1.5000, validation 2.5000\n"}},
      {ValidationRecord{.loss = std::nan("")}, {"loss 1.5000 | val nan | lr", "1.5000, validation nan\n"}},
      {ValidationRecord{.hasLabels = false}, {"loss 1.5000 | val - | lr", "1.5000, validation -\n"}}};
  for (const auto &[validation, expected] : cases) {
    const auto &[line, report] = shownOf(validation);
    EXPECT_NE(line.find(expected.first), std::string::npos) << line;
    EXPECT_NE(report.find(expected.second), std::string::npos) << report;
  }
}

} // namespace
} // namespace windlass
