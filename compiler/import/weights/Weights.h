// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Weights.h - where the parameters of a module start from =============//
//
// Duty: gives the parameters of an imported module, whatever it was read from,
// their places in weight files: the `source` of their initialisers. The files
// are named by path and hash in `windlass.weights` of the module; none of
// their values is read, and the module holds none.
//
// An importer that knows where a tensor lies (safetensors, ONNX) sets a whole
// source: an absolute path, an offset in bytes, an element type of
// plan::StoredType. One that knows only a safetensors file beside the
// model and a tensor's name sets an unresolved source.
// Errors: all that is missing or misshapen at once; BadInput.
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
/// The same initialiser that starts from `source`; a null one goes back to the numbers.
graph::InitAttr withSource(graph::InitAttr init, graph::SourceAttr source);

/// `model` is what was imported. `weights` is "none" (every parameter starts from its initialiser), a
/// path that WeightFiles opens, whose tensors are matched to parameters by name, or empty: the sources that
/// the model has and, of a Hugging Face folder, the weights in it.
Status chooseWeights(mlir::ModuleOp module, const std::string &model, const std::string &weights);

} // namespace windlass
