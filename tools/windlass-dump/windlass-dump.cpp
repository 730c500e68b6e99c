// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-dump: shows the decisions, memory and instructions of a plan.
#include "Dump.h"
#include "model/Simulator.h"
#include "model/StepReport.h"
#include "runtime/base/File.h"
#include "runtime/base/Output.h"
#include "runtime/base/Units.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/KernelFiles.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include <cstdio>

using namespace windlass;

namespace {

struct Options {
  std::string plan, hardware, trace, explain, diff, assembly;
  bool memory = false, schedule = false, instructions = false, kernels = false, check = false,
       strategy = false;
  bool rehash = false;
};

/// The machine of the file `hardware`, which must suit the plan; without a file the machine that the plan was
/// made for.
Result<model::Machine> machineOf(const plan::Plan &plan, const std::string &hardware) {
  if (hardware.empty())
    return model::parseMachine(plan.hardware, "the plan's hardware");
  Result<model::Machine> machine = model::readMachine(hardware);
  WINDLASS_TRY(machine.status());
  WINDLASS_TRY(model::checkSuits(plan, *machine));
  return machine;
}

Status printCheck(const plan::Plan &plan, const std::string &folder) {
  std::vector<std::string> faults = plan::findFaults(plan);
  for (std::string &fault : plan::findKernelFaults(plan, folder))
    faults.push_back(std::move(fault));
  for (const std::string &fault : faults)
    printText(fault + "\n");
  if (!faults.empty())
    return Status::badInput("the plan is not sound: " + formatCount(std::ssize(faults)) +
                            (faults.size() == 1 ? " fault" : " faults"));
  std::printf("the plan is sound\n");
  return Status::ok();
}

/// Writes a manually edited plan again, with a new hash, if it is sound.
Status acceptEdited(const std::string &folder) {
  Result<plan::Plan> plan = plan::readPlan(folder, plan::HashRule::Ignored);
  WINDLASS_TRY(plan.status());
  WINDLASS_TRY(plan::checkPlan(*plan));
  WINDLASS_TRY(model::parseMachine(plan->hardware, "the plan's hardware").status());
  WINDLASS_TRY(plan::writePlan(*plan, folder));
  std::printf("the plan is sound and has its hash\n");
  return Status::ok();
}

Status dumpTimes(const plan::Plan &plan, const Options &options) {
  Result<model::Machine> machine = machineOf(plan, options.hardware);
  WINDLASS_TRY(machine.status());
  Result<model::Simulation> simulation = model::simulateStep(plan, *machine);
  WINDLASS_TRY(simulation.status());
  if (!options.trace.empty())
    return writeFileAtomically(options.trace, dump::trace(plan, simulation->events));
  printText(dump::schedule(plan, simulation->events));
  return Status::ok();
}

Status dumpKernels(const plan::Plan &plan, const std::string &file) {
  if (file.empty()) {
    printText(dump::kernels(plan));
    return Status::ok();
  }
  Result<std::string> text = readFile(file);
  WINDLASS_TRY(text.status());
  Result<dump::Assembly> assembly = dump::readAssembly(*text, file);
  WINDLASS_TRY(assembly.status());
  printText(dump::kernels(plan, *assembly));
  return Status::ok();
}

Status dumpPlan(const Options &options) {
  if (options.rehash)
    return acceptEdited(options.plan);
  Result<plan::Plan> plan = plan::readPlan(options.plan);
  WINDLASS_TRY(plan.status());
  if (options.check)
    return printCheck(*plan, options.plan);
  if (!options.explain.empty()) {
    Result<std::string> text = dump::explain(*plan, options.explain);
    WINDLASS_TRY(text.status());
    printText(*text);
    return Status::ok();
  }
  if (!options.diff.empty()) {
    Result<plan::Plan> other = plan::readPlan(options.diff);
    WINDLASS_TRY(other.status());
    printText(dump::diff(*plan, *other));
    return Status::ok();
  }
  if (options.strategy) {
    Result<std::string> text = dump::strategy(*plan);
    WINDLASS_TRY(text.status());
    printText(*text);
    return Status::ok();
  }
  if (options.kernels)
    return dumpKernels(*plan, options.assembly);
  if (options.schedule || !options.trace.empty())
    return dumpTimes(*plan, options);
  printText(options.memory         ? dump::memory(*plan)
            : options.instructions ? dump::instructions(*plan)
                                   : dump::summary(*plan));
  return Status::ok();
}

int run(int argc, char **argv) {
  CLI::App app(
      "Shows the decisions of a plan: where bytes are stored, which rank computes what, when bytes\n"
      "move, and why. Without an option it prints a summary. Sizes and offsets are those of one rank;\n"
      "the ranks of a program are alike.\n",
      "windlass-dump");
  Options options;
  app.add_option("PLAN", options.plan, "a plan's folder, as windlass-compile -o writes it")
      ->required()
      ->type_name("");
  auto *what = app.add_option_group("Questions", "one at a time");
  what->add_flag("--memory", options.memory,
                 "per tier: bytes by class, the largest buffers and the buffers that share their bytes");
  what->add_flag("--schedule", options.schedule,
                 "the lanes side by side in simulated time, with what each instruction waits for");
  what->add_flag("--instructions", options.instructions, "every instruction with operands and waits");
  what->add_flag("--kernels", options.kernels,
                 "every kernel: its launches, its cost, its grids on a device, its workspace");
  what->add_option("--trace", options.trace, "write a step as Chrome trace events (open in ui.perfetto.dev)")
      ->type_name("FILE");
  what->add_option("--explain", options.explain,
                   "why NAME is as it is: a tensor, bucket, checkpoint or decision (\"recompute\", "
                   "\"placement\", ...)")
      ->type_name("NAME");
  what->add_option("--diff", options.diff,
                   "how the plan OTHER differs: decisions with their reasons, homes, sizes, prediction")
      ->type_name("OTHER");
  what->add_flag("--strategy", options.strategy,
                 "the decisions as a strategy file, to edit and give back to windlass-compile --strategy");
  what->add_flag("--check", options.check,
                 "prove the plan sound and its kernels whole, or list the faults (exit code 1)");
  what->add_flag("--rehash", options.rehash,
                 "accept a plan.json that was edited: if it is sound, write it anew with its hash");
  what->require_option(0, 1);
  app.add_option("--ptxas", options.assembly,
                 "output of `ptxas -v` for the plan's kernels.ptx: --kernels then shows registers")
      ->needs("--kernels")
      ->type_name("FILE");
  app.add_option("--hardware", options.hardware,
                 "the machine that --schedule and --trace simulate, in place of the one it was planned for")
      ->type_name("FILE");
  app.set_version_flag("--version", versionOf("windlass-dump"));
  app.footer(
      "Examples\n"
      "  windlass-dump gpt2.plan                                   what was decided, and why\n"
      "  windlass-dump gpt2.plan --memory                          what fills each arena\n"
      "  windlass-dump gpt2.plan --explain transformer.wte.weight  where a tensor is stored, and why\n"
      "  windlass-dump gpt2.plan --diff larger.plan                how another plan differs, and why\n"
      "  windlass-dump gpt2.plan --schedule | less -S               what runs at the same time, and when\n"
      "  windlass-dump gpt2.plan --trace step.json                 the same as a timeline\n"
      "  windlass-dump gpt2.plan --schedule --hardware other.json  as it would run on another machine\n\n"
      "Exit codes: 0 done, 1 the plan or a file is wrong, 2 the command line is wrong.");
  const auto settle = [&] {
    if (!options.hardware.empty() && !options.schedule && options.trace.empty())
      throw CLI::RequiresError("--hardware", "--schedule or --trace");
  };
  if (const std::optional<int> done = parseCommandLine(app, argc, argv, settle))
    return *done;
  return exitCodeOf(dumpPlan(options));
}

} // namespace

int main(int argc, char **argv) { return runTool(argc, argv, run); }
