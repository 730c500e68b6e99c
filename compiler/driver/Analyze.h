// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Analyze.h - a model by formulas of papers and by its IR ===============//
//
// Duty: `windlass-compile --analyze`: imports a model, builds its training step with and without
// recomputation, and counts parameters, bytes and operations. No plan is made, and no file written. Errors:
// BadInput (a file, an option that does not suit the model), Internal (ours). Threads: as Compile.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/Analysis.h"
#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"

namespace windlass {

Result<analysis::Analysis> analyze(const CompileRequest &request, const analysis::Options &options);
/// The analysis of a number of parameters in place of a model: the figures that hold for any model of that
/// size. Without a training file, the step has one micro-batch.
Result<analysis::Analysis> analyzeParameters(double parameters, const CompileRequest &request,
                                             const analysis::Options &options);

} // namespace windlass
