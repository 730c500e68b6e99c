// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Analyze.h - the flags of windlass-compile --analyze ===================//
//
// Duty: the options of an analysis on the command line, and its run.
// Errors: printed on stderr; the exit code of the process is returned.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Analyze.h"

#include <CLI/CLI.hpp>

namespace windlass {

struct AnalyzeFlags {
  bool isAsked = false, json = false;
  double parameters = 0; ///< a number of parameters in place of a model; 0: a model is given
  analysis::Options options;
};

/// Adds the flags to `app`. `writing`: options for output files, which an analysis excludes.
void addAnalyzeFlags(CLI::App &app, AnalyzeFlags &flags, const std::vector<CLI::Option *> &writing);

/// Prints the tables on stdout.
int runAnalysis(const CompileRequest &request, const AnalyzeFlags &flags);

} // namespace windlass
