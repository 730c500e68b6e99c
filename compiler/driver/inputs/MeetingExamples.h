// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MeetingExamples.h - where examples meet before the loss ===============//
//
// Duty: the loss of a step is a mean over micro-batches. It is the loss of the whole batch, whatever their
// size, if the loss of a micro-batch is a sum over its examples (passes/Graph/ExamplesApart.h). Says where
// that is not shown. For this, imports the model for other micro-batches than those of the training file.
// Threads, ownership: as MLIR's. Errors: those of the import.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace windlass {

/// Imports the model for micro-batches of `examples`, with parameters of no file, and without warnings. The
/// context has the dialects, or gets them. BadInput for a file that fixes another number.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importFor(mlir::MLIRContext &context, const CompileRequest &request,
                                                    TrainingOptions training, int64_t examples);

/// A warning that names the operation where examples of a micro-batch may first meet before the loss; empty
/// if they do not, or if a micro-batch is the whole batch. `imported`: the model for the training file. It
/// tells nothing if a micro-batch has one example, and the model is then imported for more. Empty also if
/// its file fixes that one. `numbersAreSaid`: the import has warned of a loss that is one number of each
/// micro-batch; such a number is then no meeting.
std::string meetingOfExamples(mlir::MLIRContext &context, const CompileRequest &request,
                              const TrainingOptions &training, mlir::ModuleOp imported, bool numbersAreSaid);

/// Whether micro-batches of another size, with the same global batch, train the same up to last bits: the
/// loss is a sum over examples, by imports for two sizes. False for a model whose file fixes the size.
Result<bool> isMicroBatchFree(const CompileRequest &request, const TrainingOptions &training);

} // namespace windlass
