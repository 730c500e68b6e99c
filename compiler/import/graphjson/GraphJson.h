// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJson.h - a model written down as JSON becomes a graph module =====//
//
// Duty: reads "windlass.model/1": dimensions, inputs with roles, parameters with
// initialisers, blocks that repeat, operations. Its description: docs/models.md.
// Module attributes, errors, threads: Import.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/base/Status.h"
#include <nlohmann/json.hpp>
#include <string>

namespace windlass {

Result<mlir::OwningOpRef<mlir::ModuleOp>> importGraphJson(mlir::MLIRContext &context, const std::string &path,
                                                          const TrainingOptions &training);

/// The same for a document in memory; `file` is its name in messages, `config` the
/// text that is kept beside checkpoints.
Result<mlir::OwningOpRef<mlir::ModuleOp>> buildGraph(mlir::MLIRContext &context,
                                                     const nlohmann::json &document, const std::string &file,
                                                     const std::string &config,
                                                     const TrainingOptions &training);

} // namespace windlass
