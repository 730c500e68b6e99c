// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FitQuestion.h - whether a model fits several machines =================//
//
// Duty: imports a model once, and answers for any number of machines whether some plan fits. Modules that
// were lowered for one machine serve the next.
// Errors: a machine that is far too small is an answer, and no error; other failures are errors. Threads,
// ownership: as MLIR's; refers to the request.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/CandidatePlanner.h"
#include "compiler/driver/inputs/Inputs.h"
#include "compiler/driver/questions/Fit.h"
#include <memory>

namespace windlass {

class FitQuestion {
public:
  static Result<std::unique_ptr<FitQuestion>> of(const CompileRequest &request);

  /// Whether some plan fits `machine`, which must have as many ranks as the training file.
  Result<FitAnswer> ask(const model::Machine &machine);
  /// A lower bound of the seconds of a step, over all plans, without planning; 0 if unknown.
  double leastSeconds();
  /// Limits of tiles below the training file's, the largest first (TileBounds::smallerLimits).
  Result<std::vector<int64_t>> smallerTiles(int64_t mostTiles);
  /// The training file's, and the machine of the request.
  const TrainingOptions &training() const { return inputs.training; }
  const model::Machine &machine() const { return inputs.machine; }

private:
  explicit FitQuestion(Inputs inputs) : inputs(std::move(inputs)) {}
  Status import(const CompileRequest &request);
  FitAnswer yes(const Candidate &candidate) const;

  Inputs inputs;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  plan::Plan facts; ///< of the model
  std::optional<Levels> levels;
  std::optional<CandidatePlanner> planner;
};

} // namespace windlass
