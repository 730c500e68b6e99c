// Compiles a model, a training file and a machine into a plan.

#include "compiler/driver/Compile.h"
#include "tools/windlass-dump/Dump.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

int main(int argc, char **argv) {
  CLI::App app{"Compiles a model into a training plan: which bytes live where, who computes what, and when\n"
               "every transfer happens. Nothing runs until windlass-run executes the plan.\n\n"
               "  windlass-compile examples/gpt2-bytes --training examples/gpt2-bytes/training.json \\\n"
               "                   --hardware examples/gpt2-bytes/machine.json -o gpt2.plan",
               "windlass-compile"};
  windlass::CompileRequest request;
  bool quiet = false;
  app.add_option("model", request.model, "Hugging Face folder or config.json, or a graph JSON")->required();
  app.add_option("--training", request.training, "training file (windlass.training/1)")->required();
  app.add_option("--hardware", request.hardware, "hardware file (windlass.hardware/1)")->required();
  app.add_option("-o,--output", request.output,
                 "folder of the plan; without it nothing is written (a dry run)");
  app.add_option("--target-cpu", request.targetCpu,
                 "x86-64-v3 (AVX2) or x86-64-v4 (AVX-512); default: this machine");
  app.add_option("--dump-phases", request.dumpPhases, "folder for the IR of every level, numbered");
  app.add_flag("-q,--quiet", quiet, "no progress on stderr");
  app.set_version_flag("--version", "windlass-compile " WINDLASS_VERSION);
  app.footer(
      "Exit codes: 0 done, 1 a file is wrong, 2 usage, 3 the machine cannot hold the model, 70 our fault.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(windlass::ExitCode::Usage);
  }
  auto start = std::chrono::steady_clock::now();
  if (!quiet)
    request.progress = [&](const std::string &phase) {
      std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::fprintf(stderr, "[%6.2f s] %s\n", elapsed.count(), phase.c_str());
    };
  windlass::Result<windlass::plan::Plan> plan = windlass::compile(request);
  if (!plan)
    return windlass::reportAndExitCode(plan.status());
  std::fputs(windlass::dump::overview(*plan).c_str(), stdout);
  std::puts(
      "\ncheck         passed: every byte inside its arena, written before it is read, every access ordered");
  return 0;
}
