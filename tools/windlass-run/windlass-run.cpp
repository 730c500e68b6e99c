// Trains from a plan. Everything it does stands in runtime/training.
#include "runtime/plan/PlanReader.h"
#include "tools/command-line/CommandLine.h"
#include "tools/windlass-run/Flags.h"

namespace windlass {
namespace {

int run(int argc, char **argv) {
  const ParsedFlags flags = parseFlags(argc, argv);
  if (flags.exitCode)
    return *flags.exitCode;
  Result<plan::Plan> plan = plan::readPlan(flags.options.planFolder);
  if (!plan)
    return reportAndExitCode(plan.status());
  return reportAndExitCode(runPlan(*plan, flags.options, Executor::create));
}

} // namespace
} // namespace windlass

int main(int argc, char **argv) { return windlass::finishOutput(windlass::run(argc, argv)); }
