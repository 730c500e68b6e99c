// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ImportOnnx.h - an ONNX file becomes a graph module ==================//
//
// Duty: onnx/ makes a graph-JSON document of the file; this builds the module and
// says where in the file its parameters' values stand. Everything else (module
// attributes, errors, threads): Import.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/Import.h"

namespace windlass {

/// Without `withValues` parameters have their initialisers alone.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(mlir::MLIRContext &context, const std::string &path,
                                                     const TrainingOptions &training,
                                                     const OnnxOptions &options, bool withValues);

} // namespace windlass
