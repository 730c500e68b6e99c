// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-sim: how a plan would run, here or on a machine that nobody has.
#include "model/ChangeMachine.h"
#include "model/StepReport.h"
#include "runtime/base/File.h"
#include "runtime/base/Output.h"
#include "runtime/plan/PlanReader.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include "tools/windlass-dump/Dump.h"
#include "tools/windlass-sim/Measured.h"
#include "tools/windlass-sim/Report.h"

using namespace windlass;

namespace {

struct Options {
  std::string plan, hardware, timeline, trace;
  std::vector<std::string> changes;
  bool json = false;
};

/// The machine that is asked about.
Result<model::Machine> machineOf(const plan::Plan &plan, const Options &options) {
  Result<model::Machine> machine = options.hardware.empty()
                                       ? model::parseMachine(plan.hardware, "the plan's hardware")
                                       : model::readMachine(options.hardware);
  if (!machine || options.changes.empty())
    return machine;
  Result<model::Machine> changed = model::changeMachine(*machine, options.changes);
  if (changed && changed->kernels.empty() && !machine->kernels.empty())
    printMessage("note", "of another device, times that were measured of kernels say nothing: rates do");
  return changed ? std::move(changed) : changed.status().in("--set");
}

Status simulate(const Options &options) {
  Result<plan::Plan> plan = plan::readPlan(options.plan);
  WINDLASS_TRY(plan.status());
  Result<model::Machine> machine = machineOf(*plan, options);
  WINDLASS_TRY(machine.status());
  WINDLASS_TRY(model::checkSuits(*plan, *machine));
  Result<model::Simulation> simulation = model::simulateStep(*plan, *machine);
  WINDLASS_TRY(simulation.status());
  if (!options.timeline.empty())
    WINDLASS_TRY(writeFileAtomically(options.timeline, dump::trace(*plan, simulation->events)));
  const model::StepReport report = model::reportStep(*plan, *machine, *simulation);
  std::optional<sim::Comparison> comparison;
  if (!options.trace.empty()) {
    Result<sim::Comparison> compared = sim::compare(*plan, *simulation, options.trace);
    WINDLASS_TRY(compared.status());
    comparison = compared.take();
  }
  if (options.json) {
    nlohmann::ordered_json document = sim::toJson(*plan, *machine, report);
    if (comparison)
      document["measured"] = sim::toJson(*comparison);
    printText(document.dump(2) + "\n");
  } else {
    printText(sim::describe(*plan, *machine, report) + (comparison ? "\n" + sim::describe(*comparison) : ""));
  }
  return report.fits() ? Status::ok()
                       : Status::cannotFit("the machine does not hold the plan: the step above is what it "
                                           "would take if it did");
}

int run(int argc, char **argv) {
  CLI::App app(
      "Simulates a step of a plan: how long it takes, what binds it, and how busy, how full and how\n"
      "well used the machine is; on the machine that the plan was made for, or on another one, which\n"
      "nobody needs to have.\n",
      "windlass-sim");
  Options options;
  app.add_option("PLAN", options.plan, "a plan's folder, as windlass-compile -o writes it")
      ->required()
      ->type_name("");
  app.add_option("--hardware", options.hardware,
                 "another machine of as many ranks: windlass.hardware/1 (docs/hardware.md)")
      ->type_name("FILE");
  app.add_option("--set", options.changes,
                 "other values at keys of the hardware file, with their units or as multiples (2x) of what\n"
                 "is there")
      ->type_name("KEY=VALUE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--timeline", options.timeline,
                 "write the step as Chrome trace events (open in ui.perfetto.dev)")
      ->type_name("FILE");
  app.add_option(
         "--trace", options.trace,
         "a timeline of windlass-run --trace: what was predicted beside what was measured, by kind of\n"
         "instruction")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "all of it as JSON, with all digits");
  app.set_version_flag("--version", versionOf("windlass-sim"));
  app.footer(
      "Examples\n"
      "  windlass-sim gpt2.plan                                     the machine it was planned for\n"
      "  windlass-sim gpt2.plan --set nvme.read=2x,nvme.write=2x    what would a faster disk bring?\n"
      "  windlass-sim gpt2.plan --set links.gg.bandwidth=50GB/s     or a slower network?\n"
      "  windlass-sim gpt2.plan --hardware other.json               the same plan elsewhere\n"
      "  windlass-run gpt2.plan --data corpus.txt --trace run.json\n"
      "  windlass-sim gpt2.plan --trace run.json                    what is mispredicted?\n\n"
      "The plan stays as it is: another machine may deserve another plan (windlass-compile). A plan that\n"
      "does not fit is simulated all the same, and says by how much each tier is short.\n\n"
      "Exit codes: 0 done, 1 the plan or a file is wrong, 2 the command line is wrong, 3 the machine cannot\n"
      "hold the plan.");
  if (const std::optional<int> done = parseCommandLine(app, argc, argv))
    return *done;
  return exitCodeOf(simulate(options));
}

} // namespace

int main(int argc, char **argv) { return runTool(argc, argv, run); }
