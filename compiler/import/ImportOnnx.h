// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ImportOnnx.h - an ONNX file becomes a graph module ====================//
//
// Duty: imports an ONNX file. onnx/ makes a graph-JSON document of the file; this file builds the module from
// the document, and sets the places in the file of the parameters' values. Module attributes, errors,
// threads: Import.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/Import.h"

namespace windlass {

/// Without `withValues` parameters start from their initialisers alone.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(mlir::MLIRContext &context, const std::string &path,
                                                     const TrainingOptions &training,
                                                     const OnnxOptions &options, bool withValues);

} // namespace windlass
