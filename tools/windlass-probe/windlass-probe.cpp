// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures this machine, and writes a hardware file with the measurements.
#include "runtime/base/File.h"
#include "runtime/base/Output.h"
#include "runtime/base/Units.h"
#include "runtime/plan/file/PlanReader.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Numbers.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include "tools/windlass-probe/Probe.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace windlass;

namespace {

constexpr const char *kAbout = R"(Measures how fast this machine is, for windlass-compile to plan with.

  windlass-probe --quick --onto machine.json --nvme-folder /scratch -o probed.json
  windlass-probe --quick --plan gpt2.plan --nvme-folder /scratch -o probed.json

Takes a hardware file (what the machine has: ranks, capacities) and measures the rates that
the machine achieves: matmul per type, memory, AdamW, reads and writes of the folder that will
hold the NVMe tier, and the time of launches and hand-overs. Writes the same file with a
"measured" object. Measured rates take the place of declared ones; capacities stay as they
are. Two probes may lead to two plans, but never to two losses. Matmuls use only the
instruction set for which windlass-compile compiles on this machine, as runs do.
Where the file's "backend" is "cuda", the machine's GPU is measured: products by cuBLASLt,
its memory, copies each way, launches, exchanges of several GPUs by NCCL, and transfers
between the disk and pinned memory.
With --plan, some steps of the plan are run on meaningless data, and each of its kernels gets
its own measured time. If the same model is compiled again with the written file, it is
planned and predicted with these times. The scratch file has no name and is gone when the
probe ends, however it ends. docs/hardware.md describes the file.
)";

constexpr int64_t kMostThreads = 4096; // as the training file admits

constexpr const char *kExitCodes = "Exit codes: 0 done, 1 a file is wrong, 2 the command line is wrong, 3 "
                                   "this machine cannot, 4 the disk failed.";

struct Files {
  std::string onto, plan, output; ///< empty: not given
};

/// Prints the times of kernels; those with the largest share of a step first.
void printKernels(std::vector<KernelTime> times) {
  double step = 0;
  for (const KernelTime &time : times)
    step += time.launches * time.seconds;
  std::ranges::stable_sort(times, std::greater(),
                           [](const KernelTime &time) { return time.launches * time.seconds; });
  std::printf("\n%-36s %9s %10s %7s %14s %12s\n", "kernel", "launches", "each", "share", "computes", "moves");
  for (const KernelTime &time : times)
    std::printf("%-36s %9.4g %10s %6.1f%% %14s %12s\n", time.kernel->description.c_str(), time.launches,
                formatSeconds(time.seconds).c_str(), 100 * time.launches * time.seconds / step,
                formatRate(time.kernel->flops / time.seconds, "FLOP").c_str(),
                formatRate(time.kernel->bytes / time.seconds, "B").c_str());
}

void print(const ProbeReport &report) {
  if (!report.device.empty())
    std::printf("%-24s %s\n", "device", report.device.c_str());
  std::printf("%-24s %lld, %lld busy, %lld for the host's memory\n", "cores",
              static_cast<long long>(report.cores), static_cast<long long>(report.busy),
              static_cast<long long>(report.busyOnHost));
  std::printf("%-24s %s\n", "kernels for", report.library.c_str());
  for (const ProbeFinding &finding : report.findings)
    std::printf("%-24s %s\n", std::string(model::ratePath(finding.id)).c_str(),
                formatRate(finding.perSecond, model::rateUnit(finding.id)).c_str());
  for (const ProbeLatency &latency : report.latencies)
    std::printf("%-24s %s\n", std::string(latency.path).c_str(), formatSeconds(latency.seconds).c_str());
  for (const std::string &notice : report.notices)
    printMessage("note", notice);
  if (!report.kernels.empty())
    printKernels(report.kernels);
}

/// The description of the machine to measure: the hardware file, or that of the plan.
Result<std::string> describe(const Files &files, const plan::Plan &plan) {
  return files.onto.empty() ? plan.hardware : readFile(files.onto);
}

Status checkRanks(const plan::Plan &plan, const model::Machine &machine, const Files &files) {
  if (plan.ranks() == machine.ranks())
    return Status::ok();
  return Status::badInput(files.plan + " is for " + formatCount(plan.ranks()) + " ranks, " + files.onto +
                          " has " + formatCount(machine.ranks()));
}

Status probeFor(const Files &files, ProbeOptions options) {
  if (std::error_code unreachable;
      !options.nvmeFolder.empty() && !std::filesystem::is_directory(options.nvmeFolder, unreachable))
    return Status::badInput(options.nvmeFolder + ": is no folder");
  if (!files.output.empty())
    WINDLASS_TRY(checkWritable(files.output)); // now, not after the measurements
  Result<plan::Plan> plan = files.plan.empty() ? plan::Plan() : plan::readPlan(files.plan);
  WINDLASS_TRY(plan.status());
  Result<std::string> description = describe(files, *plan);
  WINDLASS_TRY(description.status());
  Result<model::Machine> machine =
      model::parseMachine(*description, files.onto.empty() ? files.plan + ": its hardware file" : files.onto);
  WINDLASS_TRY(machine.status());
  if (!files.plan.empty()) {
    WINDLASS_TRY(checkRanks(*plan, *machine, files));
    options.plan = &*plan;
    options.planFolder = files.plan;
    options.threadsPerRank = plan->training.threadsPerRank;
  }
  Result<ProbeReport> report = probe(*machine, options);
  if (!report)
    return report.status();
  print(*report);
  Result<std::string> text = addMeasured(*description, *report);
  if (!text)
    return text.status();
  return files.output.empty() ? Status::ok() : writeFileAtomically(files.output, *text);
}

int run(int argc, char **argv) {
  CLI::App app(kAbout, "windlass-probe");
  app.footer(kExitCodes);
  app.set_version_flag("--version", versionOf("windlass-probe"));
  Files files;
  ProbeOptions options;
  bool quick = false;
  app.add_flag("--quick", quick, "a quarter of a second for each rate instead of two");
  app.add_option("--onto", files.onto,
                 "hardware file whose rates are measured; left out: the one for which the plan was made")
      ->type_name("FILE");
  app.add_option("--plan", files.plan,
                 "plan whose kernels are timed, each alone and with the plan's number of threads")
      ->type_name("FOLDER");
  app.add_option("--nvme-folder", options.nvmeFolder,
                 "folder that will hold the NVMe tier; left out: the disk is not measured")
      ->type_name("FOLDER");
  app.add_option(
         "--threads-per-rank", options.threadsPerRank,
         "threads that work for each rank while rates are measured, as \"threads_per_rank\" of the training\n"
         "file")
      ->type_name("N")
      ->transform(wholeNumber(int64_t{1}, kMostThreads));
  app.add_option(
         "--device-timeout", options.deviceSeconds,
         "a GPU that takes longer for one measurement is taken to hang, and the probe ends; default: " +
             CLI::detail::to_string(options.deviceSeconds))
      ->type_name("SECONDS")
      ->check(realNumber(1, 1e6));
  app.add_option("-o,--output", files.output,
                 "file for the hardware file with measured rates; left out: rates are only printed")
      ->type_name("FILE");
  const auto settle = [&] {
    if (files.onto.empty() && files.plan.empty())
      throw CLI::RequiredError("--onto or --plan");
  };
  if (const std::optional<int> done = parseCommandLine(app, argc, argv, settle))
    return *done;
  options.seconds = quick ? 0.25 : 2;
  return exitCodeOf(probeFor(files, options));
}

} // namespace

int main(int argc, char **argv) { return runTool(argc, argv, run); }
