//===- GraphJson.h - a model written down as JSON becomes a graph module ===//
//
// Duty: reads "windlass.model/1": dimensions, inputs with roles, parameters with
// initialisers, blocks that repeat, operations. The page: docs/models.md.
// Everything else (module attributes, errors, threads): Import.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/Import.h"

namespace windlass {

Result<mlir::OwningOpRef<mlir::ModuleOp>> importGraphJson(mlir::MLIRContext &context, const std::string &path,
                                                          const TrainingOptions &training);

} // namespace windlass
