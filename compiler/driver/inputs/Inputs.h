// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inputs.h - what a compilation is given, read and agreed =============//
//
// Duty: the training file with the decisions of the command line, the hardware file and the model's module.
// Errors: BadInput, naming the file and the place; Usage for words of the command line that are none.
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
  model::Machine machine; ///< with the backend that is asked for
  plan::Target target;    ///< what is asked for, else the widest that this machine runs
};

Result<Inputs> readInputs(const CompileRequest &request);

/// Whether both files are for as many ranks. Asked after import: what of a model cannot be trained at all is
/// said before anything else.
Status checkRanks(const CompileRequest &request, const TrainingOptions &training,
                  const model::Machine &machine);

/// Whether each of the ranks that share out states gets an element, of a model of so many parameters. At ZeRO
/// 0 none are shared out.
Status checkShards(const CompileRequest &request, const TrainingOptions &training, int64_t parameters);

/// The module as import leaves it; `context` is given the dialects of all levels first.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importInputs(mlir::MLIRContext &context, const CompileRequest &request, const TrainingOptions &training);

} // namespace windlass
