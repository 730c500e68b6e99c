// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-sim: predicts how a plan, or a model without a plan, would run on a given machine.
#include "model/ChangeMachine.h"
#include "model/StepReport.h"
#include "runtime/base/File.h"
#include "runtime/base/Output.h"
#include "runtime/plan/file/PlanReader.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Numbers.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include "tools/windlass-dump/Dump.h"
#include "tools/windlass-sim/Measured.h"
#include "tools/windlass-sim/ModelQuestions.h"
#include "tools/windlass-sim/Report.h"
#include <filesystem>

using namespace windlass;

namespace {

/// The options. `model` may be the folder of a plan.
struct Options : sim::ModelQuestion {
  std::string timeline, trace;
};

bool isPlan(const Options &options) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(options.model) / "plan.json", ignored);
}

/// The machine of the question.
Result<model::Machine> machineOf(const plan::Plan &plan, const Options &options) {
  Result<model::Machine> machine = options.hardware.empty()
                                       ? model::parseMachine(plan.hardware, "the plan's hardware")
                                       : model::readMachine(options.hardware);
  if (!machine || options.changes.empty())
    return machine;
  Result<model::Machine> changed = model::changeMachine(*machine, options.changes);
  if (changed && !machine->kernels.empty())
    for (auto [lane, what] : {std::pair(plan::Lane::Compute, "device"), {plan::Lane::HostCompute, "host"}})
      if (!changed->countsMeasured(lane))
        printMessage("note", std::string("times that were measured of kernels on the ") + what +
                                 " say nothing of another " + what + ": rates do");
  return changed ? std::move(changed) : changed.status().in("--set");
}

Status simulate(const Options &options) {
  Result<plan::Plan> plan = plan::readPlan(options.model);
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

/// Adds the options for models, which are planned first.
void addModelOptions(CLI::App &app, Options &options) {
  app.add_option("--training", options.training, "how to train it: windlass.training/1 (docs/training.md)")
      ->type_name("FILE");
  app.add_option(
         "--parallel", options.parallel,
         "numbers of ranks that share out data, operations and layers, in place of the training file's;\n"
         "auto: the fastest mesh at the same global batch (windlass-compile --help)")
      ->type_name("AXIS=N,...|auto");
  CLI::Option *strategy =
      app.add_option("--strategy", options.strategy,
                     "decisions by name or from a file, overriding the training file (docs/strategies.md)")
          ->type_name("NAME|FILE");
  app.add_option("--target-cpu", options.targetCpu, "CPU for which plans are made (windlass-compile --help)")
      ->type_name("CPU");
  CLI::Option *fits =
      app.add_flag("--fits", options.fits,
                   "say only what fits, and not how fast it would be: a fraction of a second for each");
  CLI::Option *bits = app.add_flag(
      "--may-change-bits", options.mayChangeBits,
      "also try training files that change only last bits of the training: another micro-batch, groups\n"
      "of ranks, another cadence, tiles; the fastest is taken, and its gain is printed");
  bits->excludes(fits);
  auto *what = app.add_option_group("Questions about a model", "one at a time");
  what->add_flag("--strategies", options.strategies,
                 "every named strategy, side by side: the time of its step, or the bytes that it is short of")
      ->excludes(strategy);
  what->add_option(
          "--ranks", options.ranks,
          "other numbers of ranks, side by side: a part of a node, or whole nodes; each rank keeps the\n"
          "number of examples that it has by the training file")
      ->type_name("N,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(wholeNumber(INT64_C(1), INT64_C(1) << 20));
  bits->excludes(
      what->add_option(
              "--largest", options.largest,
              "the largest model that fits, by its layers, hidden size or micro-batch; all else stays")
          ->type_name("layers|hidden|batch")
          ->check(CLI::IsMember({"layers", "hidden", "batch"})));
  bits->excludes(what->add_flag(
      "--smallest-machine", options.smallestMachine,
      "the fewest ranks of this kind that hold the model, and then the least capacity of each tier"));
  what->require_option(0, 1);
  app.add_option("--jobs", options.jobs,
                 "strategies or numbers of ranks that are planned at once; default: one for each processor.\n"
                 "Each takes memory of its own: hundreds of MiB for 96 layers")
      ->type_name("N")
      ->transform(wholeNumber(INT64_C(1), INT64_C(1024)));
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option(
         "PLAN|MODEL", options.model,
         "a plan's folder, as windlass-compile -o writes it; or a model, as windlass-compile reads it")
      ->required()
      ->type_name("");
  app.add_option("--hardware", options.hardware,
                 "the machine: windlass.hardware/1 (docs/hardware.md); default: the one that the plan is for")
      ->type_name("FILE");
  app.add_option(
         "--set", options.changes,
         "other values for keys of the hardware file, with units or as multiples (2x) of the value there")
      ->type_name("KEY=VALUE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  auto *ofPlan = app.add_option_group("Of a plan");
  ofPlan
      ->add_option("--timeline", options.timeline,
                   "write the step as Chrome trace events (open in ui.perfetto.dev)")
      ->type_name("FILE");
  ofPlan
      ->add_option("--trace", options.trace,
                   "a timeline of windlass-run --trace: compares predicted and measured times by kind of\n"
                   "instruction")
      ->type_name("FILE");
  addModelOptions(app, options);
  app.add_flag("--json", options.json, "the whole answer as JSON, with all digits");
  app.set_version_flag("--version", versionOf("windlass-sim"));
  app.footer(
      "Examples\n"
      "  windlass-sim gpt2.plan                                     the machine it was planned for\n"
      "  windlass-sim gpt2.plan --set nvme.read=2x,nvme.write=2x    what would a faster disk bring?\n"
      "  windlass-sim gpt2.plan --hardware other.json               the same plan elsewhere\n"
      "  windlass-run gpt2.plan --data corpus.txt --trace run.json\n"
      "  windlass-sim gpt2.plan --trace run.json                    what is mispredicted?\n"
      "  windlass-sim MODEL --training training.json --hardware examples/hardware/dgx-a100.json\n"
      "      --strategies | --largest layers | --ranks 64,128,256   which, how large, on how many?\n\n"
      "A plan is simulated as it is, although another machine may need another plan. A plan that does not\n"
      "fit is simulated, too, and the bytes that each tier is short of are printed. A model is planned anew\n"
      "for each machine.\n\n"
      "A plan is simulated in a moment. A model takes as long as windlass-compile without -o: seconds of a\n"
      "processor, up to a minute for a hundred layers (docs/performance.md). --strategies, --ranks,\n"
      "--parallel auto and --may-change-bits plan once for each that they try, --largest once in the end;\n"
      "--smallest-machine and --fits only ask what fits.\n\n"
      "Exit codes: 0 done, 1 the plan or a file is wrong, 2 the command line is wrong, 3 the machine cannot\n"
      "hold the plan or model, 70 a bug in Windlass.");
}

/// Refuses options that do not belong to the question.
void settle(const CLI::App &app, const Options &options) {
  if (std::error_code ignored; !std::filesystem::exists(options.model, ignored))
    throw CLI::ValidationError("PLAN|MODEL", "no such file or folder: " + options.model);
  const bool plan = isPlan(options);
  const std::vector<const char *> others =
      plan ? std::vector{"--training",   "--parallel",   "--strategy",
                         "--target-cpu", "--strategies", "--may-change-bits",
                         "--ranks",      "--largest",    "--smallest-machine",
                         "--fits",       "--jobs"}
           : std::vector{"--timeline", "--trace"};
  for (const char *name : others)
    if (app.count(name) > 0)
      throw CLI::ValidationError(name, plan ? "is asked of a model: " + options.model + " is a plan"
                                            : "is asked of a plan: no plan.json lies in " + options.model);
  if (options.parallel == "auto" && (!options.largest.empty() || options.smallestMachine))
    throw CLI::ValidationError(
        "--parallel", "auto is not for --largest and --smallest-machine: give axes, as data=2,tensor=2");
  if (app.count("--jobs") > 0 && !options.strategies && options.ranks.empty())
    throw CLI::ValidationError("--jobs", "goes with --strategies or --ranks");
  if (!plan)
    for (const char *name : {"--training", "--hardware"})
      if (app.count(name) == 0)
        throw CLI::ValidationError(name, "is needed for a model; no plan.json lies in " + options.model);
}

int run(int argc, char **argv) {
  CLI::App app(
      "Simulates a step of training: how long it takes, what limits it, and how busy, how full and how\n"
      "well used the machine is. A plan is simulated on the machine that it was made for, or on another.\n"
      "A model is planned first; for a model there are also questions about what fits: strategies, sizes\n"
      "and numbers of ranks. The machine itself is not needed.\n",
      "windlass-sim");
  Options options;
  addOptions(app, options);
  if (const std::optional<int> done = parseCommandLine(app, argc, argv, [&] { settle(app, options); }))
    return *done;
  return exitCodeOf(isPlan(options) ? simulate(options) : sim::answer(options));
}

} // namespace

int main(int argc, char **argv) { return runTool(argc, argv, run); }
