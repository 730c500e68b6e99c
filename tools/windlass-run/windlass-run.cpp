// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains from a plan. Everything it does stands in runtime/training.
#include "runtime/base/Output.h"
#include "runtime/plan/PlanReader.h"
#include "runtime/training/checkpoint/VerifyCheckpoints.h"
#include "tools/command-line/CommandLine.h"
#include "tools/windlass-run/Flags.h"

namespace windlass {
namespace {

int run(int argc, char **argv) {
  const ParsedFlags flags = parseFlags(argc, argv);
  if (flags.exitCode)
    return *flags.exitCode;
  if (!flags.verifyFolder.empty())
    return exitCodeOf(
        verifyCheckpoints(flags.verifyFolder, [](const std::string &line) { printText(line + "\n"); }));
  Result<plan::Plan> plan = plan::readPlan(flags.options.planFolder);
  if (!plan)
    return exitCodeOf(plan.status());
  return exitCodeOf(runPlan(*plan, flags.options, Executor::create));
}

} // namespace
} // namespace windlass

int main(int argc, char **argv) { return windlass::runTool(argc, argv, windlass::run); }
