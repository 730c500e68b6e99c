// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-compile/Analyze.h"
#include "tools/command-line/CommandLine.h"
#include "tools/command-line/Numbers.h"
#include <nlohmann/json.hpp>

namespace windlass {

void addAnalyzeFlags(CLI::App &app, AnalyzeFlags &flags, const std::vector<CLI::Option *> &writing) {
  CLI::Option *analyze = app.add_flag(
      "--analyze", flags.isAsked,
      "print the results of the papers' formulas for the model and machine beside counts of its IR\n"
      "(docs/analysis.md); plans and writes nothing");
  for (CLI::Option *option : writing)
    analyze->excludes(option);
  app.add_option(
         "--bytes-per-parameter", flags.options.bytesPerParameter,
         "bytes of model states in the formulas: 16 (ZeRO), 18 (fp32 gradients), 20 (ZeRO-Infinity);\n"
         "default: 16")
      ->type_name("N")
      ->needs(analyze)
      ->check(CLI::IsMember({16, 18, 20}));
  app.add_option("--checkpoint-every", flags.options.checkpointEvery,
                 "layers between two activation checkpoints; default: 1")
      ->type_name("N")
      ->needs(analyze)
      ->transform(wholeNumber(1, 1 << 14));
  app.add_option(
         "--parameters", flags.parameters,
         "number of parameters in the formulas, for example 7.5e9, in place of MODEL; --training may be\n"
         "left out then, --hardware is needed")
      ->type_name("N")
      ->needs(analyze)
      ->check(realNumber(1, 1e17));
  app.add_flag("--json", flags.json, "the analysis as JSON, with all digits")->needs(analyze);
}

int runAnalysis(const CompileRequest &request, const AnalyzeFlags &flags) {
  Result<analysis::Analysis> analysis = flags.parameters > 0
                                            ? analyzeParameters(flags.parameters, request, flags.options)
                                            : analyze(request, flags.options);
  if (!analysis)
    return exitCodeOf(analysis.status());
  printText(flags.json ? analysis::toJson(*analysis).dump(2) + "\n" : analysis::describe(*analysis));
  return 0;
}

} // namespace windlass
