// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HuggingFace.h - config.json becomes a graph module ==================//
//
// Duty: the models of transformers, built from their config.json under their
// own parameter names, initialised as their papers do: gpt2, llama, mistral,
// qwen2, qwen3, bert, vit.
// Everything else (module attributes, errors, threads): Import.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/base/Status.h"

#include <string>

namespace windlass {

/// `path` is a folder that holds config.json, or that file.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importHuggingFace(mlir::MLIRContext &context, const std::string &path, const TrainingOptions &training);

} // namespace windlass
