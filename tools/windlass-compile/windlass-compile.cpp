// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a model, a training file and a machine into a plan.

#include "compiler/driver/CheckModel.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/inputs/Documents.h"
#include "compiler/driver/questions/Fit.h"
#include "compiler/training/Strategy.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Numbers.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include "tools/windlass-compile/Analyze.h"
#include "tools/windlass-compile/OnnxFlags.h"
#include "tools/windlass-dump/Dump.h"

#include <chrono>
#include <cstdio>

/// Adds an option whose value names a document, which is printed in place of a compilation.
static void addPrinted(CLI::App &app, const std::string &flag, std::string (*documentOf)(const std::string &),
                       const std::vector<std::string> &names, const std::string &help) {
  auto print = [documentOf](const std::string &name) {
    std::fputs(documentOf(name).c_str(), stdout);
    throw CLI::Success();
  };
  std::string type;
  for (const std::string &name : names)
    type += (type.empty() ? "" : "|") + name;
  app.add_option_function<std::string>(flag, print, help)
      ->check(CLI::IsMember(names).description(""))
      ->type_name(type);
}

static void addSelectionFlags(CLI::App &app, windlass::CompileRequest &request) {
  app.add_option("--freeze", request.freeze,
                 "names of parameters that are not trained, as \"freeze\" of the training file")
      ->type_name("REGEX");
  app.add_option(
         "--trainable", request.trainable,
         "names of parameters that are trained, even if --freeze, the training file or an ONNX file says\n"
         "otherwise")
      ->type_name("REGEX");
}

/// Adds flags for keys of the numerics record, which replace those of the training file. Returns the flag
/// that leaves these open.
static CLI::Option *addNumericsFlags(CLI::App &app, windlass::CompileRequest &request) {
  app.add_option(
         "--parallel", request.parallel,
         "numbers of ranks in place of those of the training file, any of data=2,tensor=2,pipeline=2:\n"
         "data ranks have examples of their own, tensor ranks share out each operation, pipeline stages\n"
         "share out the layers. data and tensor change last bits and are part of the numerics record\n"
         "(docs/training.md). pipeline=auto: all ranks of the machine divided by data x tensor.\n"
         "auto: the fastest data and tensor that the machine's ranks and the model allow, at the global\n"
         "batch of the training file")
      ->type_name("AXIS=N,...|auto");
  app.add_option_function<std::string>(
         "--tile", [&](const std::string &) { request.chooseTiles = true; },
         "auto: if no plan fits, take the largest tiles with which a plan fits. Tiles change last bits:\n"
         "the limit is printed and is part of the plan's numerics record (docs/training.md)")
      ->type_name("auto")
      ->check(CLI::IsMember({"auto"}));
  return app.add_flag(
      "--may-change-bits", request.mayChangeBits,
      "also try choices that change only last bits of the training, and take the fastest: another\n"
      "micro-batch at the same global batch, groups of ranks that share out states, another cadence,\n"
      "tiles. The keys of the training file for these choices are printed, and the choices are part of\n"
      "the numerics record (docs/training.md)");
}

/// Adds flags for single decisions, which replace those of strategy and training file.
static void addDecisionFlags(CLI::App &app, windlass::CompileRequest &request, std::string &overlap) {
  app.add_option("--overlap", overlap, "whether transfers run while kernels compute")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_option(
         "--prefetch", request.prefetch,
         "number of transfers under way ahead of their use, on every link (default: as many as latencies\n"
         "require)")
      ->type_name("N")
      ->transform(windlass::wholeNumber(INT64_C(1), INT64_C(1) << 31));
  app.add_option(
         "--offload-checkpoints", request.checkpoints,
         "tier where activation checkpoints are stored (default: host); for a tier other than the device\n"
         "all layers are recomputed, so that there are checkpoints, unless --recompute says otherwise")
      ->type_name("TIER")
      ->expected(0, 1)
      ->default_str("host")
      ->check(CLI::IsMember({"device", "host", "nvme"}));
  app.add_option(
         "--recompute", request.recompute,
         "what is recomputed in the backward pass instead of kept: auto, none, selective, full, every:N\n"
         "(only each N-th layer keeps its input), layers:N (the first N layers are recomputed),\n"
         "per-activation (the planner chooses what to keep), or what to keep, as in a strategy file:\n"
         "'{\"keep\": {...}}'")
      ->type_name("WHAT");
  app.add_option(
         "--micro-batch-order", request.microBatchOrder,
         "horizontal: one micro-batch after the other; vertical: all of them go through a layer before the\n"
         "next layer begins")
      ->type_name("horizontal|vertical|auto")
      ->check(CLI::IsMember({"horizontal", "vertical", "auto"}));
  app.add_option(
         "--gather", request.gather,
         "how every rank gets partitioned parameters: pieces from all ranks (allgather), or whole from an\n"
         "owner (broadcast)")
      ->type_name("allgather|broadcast|auto")
      ->check(CLI::IsMember({"allgather", "broadcast", "auto"}));
  app.add_option(
         "--reduce", request.reduce,
         "at ZeRO 1: each rank gets its shard of the sum of gradients (scatter), or the whole sum (all)")
      ->type_name("scatter|all")
      ->check(CLI::IsMember({"scatter", "all"}));
}

/// Warns of flags that a report of the model, or an analysis, does not read, since these make no plan.
static void warnOfUnreadFlags(const CLI::App &app, bool check, bool analyzes) {
  if (!check && !analyzes)
    return;
  const std::string where = check ? "with --check" : "with --analyze";
  windlass::warnOfUnread(app,
                         {"--strategy", "--overlap", "--prefetch", "--offload-checkpoints", "--recompute",
                          "--micro-batch-order", "--gather", "--reduce", "--tile", "--may-change-bits",
                          "--backend", "--target-cpu", "--timing"},
                         where);
  if (check)
    windlass::warnOfUnread(app, {"--hardware", "--parallel"}, where);
}

/// Adds --fits. `others`: options that it excludes, as its only output is an answer.
static void addFitsFlag(CLI::App &app, bool &fits, const std::vector<CLI::Option *> &others) {
  CLI::Option *onlyFits = app.add_flag(
      "--fits", fits,
      "only say whether some plan fits the machine: yes or no (exit code 3); does not look for the\n"
      "fastest plan, or for changes with which a plan would fit");
  for (CLI::Option *other : others)
    onlyFits->excludes(other);
}

/// Adds flags that say how the work is done. The plan does not depend on them.
static void addWorkFlags(CLI::App &app, windlass::CompileRequest &request) {
  app.add_option("--kernel-cache", request.kernelFolder,
                 "folder for compiled kernels: those that an earlier compilation left there are taken, new\n"
                 "ones are left (at most 1 GiB, for a week after their last use). The plan is the same")
      ->type_name("FOLDER")
      ->envname("WINDLASS_KERNEL_CACHE");
  app.add_flag(
      "--timing",
      [&](int64_t) { request.timing = [](const std::string &table) { std::fputs(table.c_str(), stderr); }; },
      "seconds of every level and pass, on stderr");
}

static int sayWhetherItFits(const windlass::CompileRequest &request) {
  const windlass::Result<windlass::FitAnswer> answer = windlass::checkFit(request);
  if (!answer)
    return windlass::exitCodeOf(answer.status());
  windlass::printText(windlass::describe(*answer) + "\n");
  return static_cast<int>(answer->fits ? windlass::ExitCode::Done : windlass::ExitCode::CannotFit);
}

static int run(int argc, char **argv) {
  CLI::App app{"Compiles a model into a training plan: where bytes are stored, which rank computes what,\n"
               "and when every transfer happens. Nothing runs until windlass-run executes the plan.\n",
               "windlass-compile"};
  windlass::CompileRequest request;
  bool quiet = false, check = false, fits = false;
  std::string overlap;
  auto *model =
      app.add_option("MODEL", request.model,
                     "Hugging Face folder or its config.json, an ONNX file, or a graph JSON (docs/models.md)")
          ->type_name("");
  auto *training = app.add_option("--training", request.training,
                                  "how to train it: windlass.training/1 (docs/training.md)")
                       ->type_name("FILE");
  auto *hardware = app.add_option("--hardware", request.hardware,
                                  "what to train it on: windlass.hardware/1 (docs/hardware.md)")
                       ->type_name("FILE");
  auto *onlyChecks =
      app.add_flag("--check", check,
                   "only report how the model is read: inputs, parameters, ties, loss; needs no other file");
  app.add_option(
         "--weights", request.weights,
         "first values of parameters: none (from their initialisers), or a .safetensors file, an index of\n"
         "such files, or a folder with either; default: the values that the model brings")
      ->type_name("none|PATH");
  addSelectionFlags(app, request);
  CLI::Option *output = app.add_option("-o,--output", request.output,
                                       "folder of the plan; without it nothing is written (a dry run)")
                            ->type_name("FOLDER");
  app.add_option("--strategy", request.strategy,
                 "decisions by name or from a file, overriding the training file (docs/strategies.md):\n" +
                     windlass::strategyNames())
      ->type_name("NAME|FILE");
  CLI::Option *bits = addNumericsFlags(app, request);
  addDecisionFlags(app, request, overlap);
  app.add_option("--backend", request.backend,
                 "what the devices are: cpu (cores of the host) or cuda (NVIDIA GPUs, docs/gpu.md);\n"
                 "compiling needs no device. Default: \"backend\" of the hardware file, else cpu")
      ->type_name("BACKEND")
      ->check(CLI::IsMember(windlass::backends()));
  app.add_option(
         "--target-cpu", request.targetCpu,
         "instructions that kernels and the matmul library may use: x86-64-v3 (AVX2), x86-64-v4 (AVX-512)\n"
         "or x86-64-v4-bf16 (with bf16 products); default: those of this machine.\n"
         "Part of the numerics record: another CPU may change last bits")
      ->type_name("CPU")
      ->check(CLI::IsMember(windlass::targetCpus()));
  CLI::Option *phases =
      app.add_option(
             "--dump-phases", request.dumpPhases,
             "folder for the IR between the levels (00-import.mlir ... 05-plan.mlir), for windlass-opt")
          ->type_name("FOLDER");
  windlass::AnalyzeFlags analysis;
  windlass::addAnalyzeFlags(app, analysis, {output, phases, onlyChecks});
  for (CLI::Option *writing : {output, phases})
    onlyChecks->excludes(writing);
  addFitsFlag(app, fits, {output, phases, onlyChecks, bits, app.get_option("--tile")});
  addWorkFlags(app, request);
  app.add_flag("-q,--quiet", quiet, "no progress on stderr");
  windlass::addOnnxFlags(app, request.onnx);
  addPrinted(app, "--print-defaults", windlass::defaultsOf, {"training", "hardware"},
             "print a whole file: the training file with its defaults, or a hardware file to fill in");
  addPrinted(app, "--print-schema", windlass::schemaOf, {"model", "training", "hardware"},
             "print the file's JSON Schema (docs/schema)");
  app.set_version_flag("--version", windlass::versionOf("windlass-compile"));
  app.footer("Examples\n"
             "  windlass-compile examples/gpt2-bytes --training examples/gpt2-bytes/training.json \\\n"
             "      --hardware examples/gpt2-bytes/machine.json -o gpt2.plan\n"
             "  Does it fit, and how fast would it be? The same without -o. Only whether it fits: --fits\n"
             "  What do the papers' formulas say of it? The same with --analyze.\n"
             "  Then: windlass-dump gpt2.plan --memory; windlass-run gpt2.plan --data corpus.txt\n\n"
             "Results go to stdout, progress and errors to stderr.\n"
             "Exit codes: 0 done, 1 a file is wrong, 2 the command line is wrong, 3 the machine cannot hold\n"
             "the model (the message says what is short, and by how much), 70 a bug in Windlass.\n"
             "With -o a pass that fails leaves PLAN.reproducer.mlir: windlass-opt PLAN.reproducer.mlir\n"
             "--run-reproducer.");
  const auto settle = [&] {
    const bool hasNoModel = analysis.parameters > 0;
    if (hasNoModel && model->count() > 0)
      throw CLI::ExcludesError("--parameters", "MODEL");
    for (auto *option : {model, training, hardware})
      if (option->count() == 0 && !(check && option != model) && !(hasNoModel && option != hardware))
        throw CLI::RequiredError(option->get_name());
  };
  if (const std::optional<int> done = windlass::parseCommandLine(app, argc, argv, settle))
    return *done;
  warnOfUnreadFlags(app, check, analysis.isAsked);
  if (!overlap.empty())
    request.overlap = overlap == "on";
  request.warn = windlass::warnOnce(); // a question about several meshes imports the model for each
  if (check) {
    windlass::Result<std::string> report = windlass::checkModel(request);
    if (!report)
      return windlass::exitCodeOf(report.status());
    windlass::printText(*report);
    return 0;
  }
  auto start = std::chrono::steady_clock::now();
  if (!quiet)
    request.progress = [&](const std::string &phase) {
      std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::fprintf(stderr, "[%6.2f s] %s\n", elapsed.count(), phase.c_str());
    };
  if (analysis.isAsked)
    return windlass::runAnalysis(request, analysis);
  if (fits)
    return sayWhetherItFits(request);
  std::string account;
  request.account = [&](const std::string &text) { account = "account       " + text + "\n"; };
  windlass::Result<windlass::plan::Plan> plan = windlass::compile(request);
  if (!plan)
    return windlass::exitCodeOf(plan.status());
  windlass::printText(account + windlass::dump::overview(*plan));
  std::puts(
      "\ncheck         passed: every byte inside its arena, written before it is read, every access ordered");
  return 0;
}

int main(int argc, char **argv) { return windlass::runTool(argc, argv, run); }
