// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IdleKeys.h - keys of the training file without effect ---------------===//
//
// Duty: warns of what a training file asks for and a model has nothing for: limits that cut nothing, a
// sequence that no input has, ranks or stages that are not there, rows that no ranks divide, parameters that
// tiles leave whole.
// Errors: those of the passes. Ownership: refers to the request, the training options and the levels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Levels.h"
#include "compiler/driver/inputs/CompileRequest.h"

namespace windlass {

class IdleKeys {
public:
  IdleKeys(const CompileRequest &request, const TrainingOptions &training, Levels &levels)
      : request(request), training(training), levels(levels) {}

  /// Of the imported model and its inputs.
  Status warn(mlir::ModuleOp imported, const std::vector<plan::Input> &inputs) const;
  /// Of parameters that limits of tiles leave whole beside ranks which share out operations; once more where
  /// other limits are taken.
  Status warnOfWholeParameters(mlir::ModuleOp imported) const;

private:
  void warnOfAbsentRanks() const;
  Status warnOfWholeRows(mlir::ModuleOp imported) const;

  const CompileRequest &request;
  const TrainingOptions &training;
  Levels &levels;
};

} // namespace windlass
