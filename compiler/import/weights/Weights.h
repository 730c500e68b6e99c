// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Weights.h - first values of a module's parameters =====================//
//
// Duty: sets the places of first values in weight files, the `source` of initialisers, for the parameters of
// an imported module of any format. The attribute `windlass.weights` of the module names the files by path
// and hash. No values are read, and the module contains none.
//
// An importer that knows where a tensor lies (safetensors, ONNX) sets a whole
// source: an absolute path, an offset in bytes, an element type of
// plan::StoredType. One that knows only a safetensors file beside the
// model and a tensor's name sets an unresolved source.
// Errors: BadInput that lists all missing tensors and all wrong shapes.
// Threads: one module, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "runtime/base/Status.h"
#include <string>

namespace windlass {

/// Marks a state that has no initialiser but its source.
inline constexpr const char *kNoInitialiser = "windlass.no_initialiser";

/// `file` is relative to the model's folder; offset and element type are not known yet.
graph::SourceAttr unresolvedSource(mlir::MLIRContext *context, const std::string &file,
                                   const std::string &tensor, bool transposed);
/// The initialiser with another source; with a null source, values come from its numbers again.
graph::InitAttr withSource(graph::InitAttr init, graph::SourceAttr source);

/// Sets the sources of all parameters. `model`: path of the imported model. `weights`: "none" (every
/// parameter starts from its initialiser); a path that WeightFiles opens, whose tensors are matched by name;
/// or empty: the sources of the model and, for a Hugging Face folder, the weights in it.
Status chooseWeights(mlir::ModuleOp module, const std::string &model, const std::string &weights);

} // namespace windlass
