// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures this machine and writes a hardware file that says what was measured.
#include "runtime/base/File.h"
#include "runtime/base/Output.h"
#include "runtime/base/Units.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Numbers.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include "tools/windlass-probe/Probe.h"
#include <filesystem>

using namespace windlass;

namespace {

constexpr const char *kAbout = R"(Measures how fast this machine is, for windlass-compile to plan with.

  windlass-probe --quick --onto machine.json --nvme-folder /scratch -o probed.json

Takes a hardware file (what the machine has: ranks, capacities), measures what it
achieves (matmul per type, memory, AdamW, reads and writes of the folder that will
hold the NVMe tier, what launches and hand-overs cost) and writes the same file with a "measured" object. Measured
rates take the place of declared ones; capacities stay as they are. Two probes may
lead to two plans, never to two losses. Matmuls are held to the instruction set
that windlass-compile compiles for here, as runs are. The scratch file has no name and is gone
when the probe ends, however it ends. docs/hardware.md describes the file.)";

constexpr int64_t kMostThreads = 4096; // as the training file admits

constexpr const char *kExitCodes = "Exit codes: 0 done, 1 a file is wrong, 2 the command line is wrong, 3 "
                                   "this machine cannot, 4 the disk failed.";

void print(const ProbeReport &report) {
  std::printf("%-24s %lld, %lld busy\n", "cores", static_cast<long long>(report.cores),
              static_cast<long long>(report.busy));
  std::printf("%-24s %s\n", "kernels for", report.kernels.c_str());
  for (const ProbeFinding &finding : report.findings)
    std::printf("%-24s %s\n", std::string(model::ratePath(finding.id)).c_str(),
                formatRate(finding.perSecond, model::rateUnit(finding.id)).c_str());
  for (const ProbeLatency &latency : report.latencies)
    std::printf("%-24s %s\n", std::string(latency.path).c_str(), formatSeconds(latency.seconds).c_str());
  for (const std::string &notice : report.notices)
    printMessage("note", notice);
}

Status probeOnto(const std::string &onto, const std::string &output, const ProbeOptions &options) {
  if (std::error_code unreachable;
      !options.nvmeFolder.empty() && !std::filesystem::is_directory(options.nvmeFolder, unreachable))
    return Status::badInput(options.nvmeFolder + ": is no folder");
  if (!output.empty())
    WINDLASS_TRY(checkWritable(output)); // now, not after the measurements
  Result<std::string> description = readFile(onto);
  if (!description)
    return description.status();
  Result<model::Machine> machine = model::parseMachine(*description, onto);
  if (!machine)
    return machine.status();
  Result<ProbeReport> report = probe(*machine, options);
  if (!report)
    return report.status();
  print(*report);
  Result<std::string> text = addMeasured(*description, *report);
  if (!text)
    return text.status();
  return output.empty() ? Status::ok() : writeFileAtomically(output, *text);
}

int run(int argc, char **argv) {
  CLI::App app(kAbout, "windlass-probe");
  app.footer(kExitCodes);
  app.set_version_flag("--version", versionOf("windlass-probe"));
  std::string onto, output;
  ProbeOptions options;
  bool quick = false;
  app.add_flag("--quick", quick, "a quarter of a second for each rate instead of two");
  app.add_option("--onto", onto, "hardware file to measure for")->required()->type_name("FILE");
  app.add_option("--nvme-folder", options.nvmeFolder,
                 "folder that will hold the NVMe tier; left out: disk not measured")
      ->type_name("FOLDER");
  app.add_option(
         "--threads-per-rank", options.threadsPerRank,
         "threads of a rank, as the training file's \"threads_per_rank\" says: that many work for each\n"
         "rank while rates are measured")
      ->type_name("N")
      ->transform(wholeNumber(int64_t{1}, kMostThreads));
  app.add_option("-o,--output", output, "where to write the file with measured rates; left out: only printed")
      ->type_name("FILE");
  if (const std::optional<int> done = parseCommandLine(app, argc, argv))
    return *done;
  options.seconds = quick ? 0.25 : 2;
  return exitCodeOf(probeOnto(onto, output, options));
}

} // namespace

int main(int argc, char **argv) { return runTool(argc, argv, run); }
