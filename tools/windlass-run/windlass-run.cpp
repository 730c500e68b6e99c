// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains from a plan. The work is done in runtime/training and, for several processes, in runtime/launch.
#include "runtime/base/Output.h"
#include "runtime/launch/JobProcess.h"
#include "runtime/launch/LocalProcesses.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/training/checkpoint/VerifyCheckpoints.h"
#include "tools/command-line/CommandLine.h"
#include "tools/windlass-run/Flags.h"
#include <cstdlib>

namespace windlass {
namespace {

const Environment kEnvironment = [](const char *name) -> const char * { return std::getenv(name); };

/// The command line for each process: without --ranks and its number.
std::vector<std::string> withoutRanks(int argc, char **argv) {
  std::vector<std::string> arguments;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--ranks")
      ++i;
    else if (!argument.starts_with("--ranks="))
      arguments.push_back(argument);
  }
  return arguments;
}

Result<int> startProcesses(const ParsedFlags &flags, int argc, char **argv) {
  Result<std::optional<LaunchPlace>> launched = readLaunch(kEnvironment);
  if (!launched)
    return launched.status();
  if (*launched)
    return Status::badInput("--ranks starts processes, but this one was started by " + (*launched)->launcher +
                            " already: leave --ranks out");
  if (flags.job.network == NetworkKind::Mpi)
    return Status::badInput(
        "--network mpi: --ranks starts processes that do not speak MPI: start them by mpirun, "
        "or leave --network mpi out");
  return runLocalProcesses(flags.processes, withoutRanks(argc, argv));
}

Status runJob(const ParsedFlags &flags, JobProcess &job) {
  WINDLASS_TRY(job.connect(flags.job));
  Result<plan::Plan> plan = plan::readPlan(flags.options.planFolder);
  return plan ? runPlan(*plan, flags.options, Executor::create, job) : plan.status();
}

int run(int argc, char **argv) {
  const ParsedFlags flags = parseFlags(argc, argv);
  if (flags.exitCode)
    return *flags.exitCode;
  if (!flags.verifyFolder.empty())
    return exitCodeOf(
        verifyCheckpoints(flags.verifyFolder, [](const std::string &line) { printText(line + "\n"); }));
  if (flags.processes > 1) {
    Result<int> ended = startProcesses(flags, argc, argv);
    return ended ? *ended : exitCodeOf(ended.status());
  }
  Result<std::unique_ptr<JobProcess>> job = JobProcess::start(flags.job, kEnvironment);
  if (!job)
    return exitCodeOf(job.status());
  return (*job)->end(runJob(flags, **job));
}

} // namespace
} // namespace windlass

int main(int argc, char **argv) { return windlass::runTool(argc, argv, windlass::run); }
