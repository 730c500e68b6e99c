// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IneffectiveKeys.h - keys of the training file without effect ==========//
//
// Duty: warns of keys of the training file that have no effect on the model: limits that cut nothing, a
// sequence that no input has, decisions on ranks or stages that do not exist, rows that ranks do not divide,
// parameters that no tiles cut. Errors: those of the passes. Ownership: refers to the request, the training
// options and the levels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Levels.h"
#include "compiler/driver/inputs/CompileRequest.h"

namespace windlass {

class IneffectiveKeys {
public:
  IneffectiveKeys(const CompileRequest &request, const TrainingOptions &training, Levels &levels)
      : request(request), training(training), levels(levels) {}

  /// Warns for an imported model and its inputs.
  Status warn(mlir::ModuleOp imported, const std::vector<plan::Input> &inputs) const;
  /// Warns of parameters over the limit that stay whole because of tensor-parallel ranks. To be called again
  /// if other limits are taken.
  Status warnOfWholeParameters(mlir::ModuleOp imported) const;

private:
  void warnOfAbsentRanks() const;

  const CompileRequest &request;
  const TrainingOptions &training;
  Levels &levels;
};

} // namespace windlass
