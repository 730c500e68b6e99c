// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inputs.h - reads and checks the inputs of a compilation ===============//
//
// Duty: reads the training file with the decisions of the command line, the hardware file and the model's
// module. Errors: BadInput, naming the file and the place; Usage for unknown words of the command line.
// Threads, ownership: as MLIR's; the context outlives the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "model/Machine.h"

namespace windlass {

struct Inputs {
  TrainingOptions training;
  model::Machine machine; ///< with the requested backend
  plan::Target target;    ///< the requested CPU, else the widest that this machine runs
};

Result<Inputs> readInputs(const CompileRequest &request);

/// Checks that training file and hardware file have the same number of ranks. To be called after import, so
/// that errors of the model come first.
Status checkRanks(const CompileRequest &request, const TrainingOptions &training,
                  const model::Machine &machine);

/// Checks that each rank which shares out states gets an element, for a model of `parameters` parameters. At
/// ZeRO stage 0 no states are shared out.
Status checkShards(const CompileRequest &request, const TrainingOptions &training, int64_t parameters);

/// Imports the model. First loads the dialects of all levels into `context`.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importInputs(mlir::MLIRContext &context, const CompileRequest &request, const TrainingOptions &training);

} // namespace windlass
