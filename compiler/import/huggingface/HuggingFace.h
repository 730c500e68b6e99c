// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HuggingFace.h - config.json becomes a graph module ====================//
//
// Duty: builds models of transformers from their config.json, with the parameter names of transformers and
// the initialisers of their papers: gpt2, llama, mistral, qwen2, qwen3, bert, vit. Module attributes, errors,
// threads: Import.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/base/Status.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace windlass {

/// `path` is a folder that holds config.json, or that file.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importHuggingFace(mlir::MLIRContext &context, const std::string &path, const TrainingOptions &training);

/// Writes the sizes of a layer that `config`, an object, leaves out and that do not follow from others: the
/// import takes the same numbers for them. A config of no known family stays as it is.
void writeFixedSizes(nlohmann::json &config);

} // namespace windlass
