// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured times of kernels: the probe times the kernels of a plan, and a plan that is compiled with these
// times is predicted by them.
#include "test/support/EndToEnd.h"
#include "tools/windlass-probe/Probe.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A job on one rank, whose step consists of kernels only.
Job job() {
  Job job = biasFreeMlp({64, 128}, 1, 1);
  job.hardware["device"]["launch_overhead"] = "1us";
  job.hardware["shared_cores"] = 2;
  return job;
}

double busyComputing(const plan::Plan &plan) {
  for (const auto &[lane, seconds] : plan.prediction.busy)
    if (lane == plan::Lane::Compute)
      return seconds;
  return 0;
}

/// The number of launches on the device in a step. A launch counts as the part of its kernel's range that it
/// covers.
double launches(const plan::Plan &plan) {
  double sum = 0;
  const plan::Program &program = plan.programs.front();
  for (const plan::SectionRuns &runs : program.train)
    for (const plan::Instruction &each : program.sections[runs.section].instructions)
      if (each.op == plan::Opcode::Launch && each.lane == plan::Lane::Compute)
        sum += static_cast<double>(runs.times) * static_cast<double>(each.end - each.begin) /
               static_cast<double>(plan.kernels[static_cast<size_t>(each.kernel)].extent);
  return sum;
}

} // namespace

TEST(MeasuredKernels, TakeWhatWasMeasured) {
  Job measured = job();
  const std::unique_ptr<Compiled> byRates = compileJob(measured);
  ASSERT_TRUE(byRates);
  for (const plan::Kernel &kernel : byRates->plan.kernels)
    measured.hardware["measured"]["kernels"][kernel.symbol] = "3ms";
  const std::unique_ptr<Compiled> byKernels = compileJob(measured);
  ASSERT_TRUE(byKernels);
  EXPECT_NEAR(busyComputing(byKernels->plan), 3e-3 * launches(byKernels->plan), 1e-9);
}

TEST(MeasuredKernels, OthersTakeWhatTheRatesSay) {
  Job measured = job();
  const std::unique_ptr<Compiled> byRates = compileJob(measured);
  ASSERT_TRUE(byRates);
  measured.hardware["measured"]["kernels"]["map_of_another_plan"] = "3ms";
  const std::unique_ptr<Compiled> byKernels = compileJob(measured);
  ASSERT_TRUE(byKernels);
  EXPECT_EQ(byKernels->plan.prediction.stepSeconds, byRates->plan.prediction.stepSeconds);
}

TEST(MeasuredKernels, TheProbeTimesEveryKernelThatAStepLaunches) {
  for (int64_t ranks : {1, 2}) {
    SCOPED_TRACE(ranks);
    Job training = tinyGpt2(ranks, 2);
    const std::unique_ptr<Compiled> compiled = compileJob(training);
    ASSERT_TRUE(compiled);
    ProbeOptions options;
    options.seconds = 0.001;
    options.plan = &compiled->plan;
    options.planFolder = compiled->planFolder();
    Result<ProbeReport> report =
        probe(model::parseMachine(compiled->plan.hardware, "machine.json").take(), options);
    ASSERT_TRUE(report.isOk()) << report.status().message();
    std::set<std::string> launched, timed;
    for (const plan::SectionRuns &runs : compiled->plan.programs.front().train)
      for (const plan::Instruction &each :
           compiled->plan.programs.front().sections[runs.section].instructions)
        if (each.op == plan::Opcode::Launch)
          launched.insert(compiled->plan.kernels[static_cast<size_t>(each.kernel)].symbol);
    for (const KernelTime &time : report->kernels) {
      timed.insert(time.kernel->symbol);
      EXPECT_TRUE(time.seconds > 1e-9 && time.seconds < 0.1 && time.launches > 0) << time.kernel->symbol;
    }
    EXPECT_EQ(timed, launched);
    const Result<std::string> text = addMeasured(compiled->plan.hardware, *report);
    ASSERT_TRUE(text.isOk());
    training.hardware = json::parse(*text);
    EXPECT_TRUE(compileJob(training));
  }
}
