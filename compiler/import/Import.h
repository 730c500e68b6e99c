// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Import.h - a model file becomes a graph module ========================//
//
// Duty: imports a model, by the reader for its path: a Hugging Face folder or its config.json, an .onnx file,
// or a graph JSON ("windlass.model/1"). Contents of the module: docs/architecture.md, "After import". Module
// attributes: windlass.model (name), windlass.config (the text of the file, kept beside checkpoints),
// windlass.layers, windlass.distinct_layers, where parameters start from files windlass.weights, and where a
// dimension of the file is the training file's sequence windlass.binds_sequence.
// Ownership: the context must have the graph and func dialects loaded or loadable.
// Errors: Status names the file, the place, the rule and the value found; the
// module has been verified.
// Threads: one context, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/base/Status.h"
#include <string>

namespace windlass {

/// `weights`: the first values of parameters, as in Weights.h; empty: those that come with the model.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const std::string &path,
                                                      const TrainingOptions &training,
                                                      const OnnxOptions &onnx = {},
                                                      const std::string &weights = "");

} // namespace windlass
