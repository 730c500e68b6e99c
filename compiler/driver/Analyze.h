// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Analyze.h - what the papers and the IR say of a model ===============//
//
// Duty: `windlass-compile --analyze`: imports a model, builds its training step with and without
// recomputation, and counts. Nothing is planned and nothing is written.
// Errors: BadInput (a file, an option that does not suit the model), Internal (ours). Threads: as Compile.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/Analysis.h"
#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"

namespace windlass {

Result<analysis::Analysis> analyze(const CompileRequest &request, const analysis::Options &options);
/// Of a number of parameters in place of a model: what holds for any model of that size. The training file
/// may be left out; it is of one micro-batch then.
Result<analysis::Analysis> analyzeParameters(double parameters, const CompileRequest &request,
                                             const analysis::Options &options);

} // namespace windlass
