// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatchWeights.h - parameters and the tensors of their names ==========//
//
// Duty: finds for every parameter the tensor it starts from, by name, as
// transformers does: the prefix of the base model ("transformer.", "model.")
// may stand in the file or in the model alone, and tensors that say nothing
// (masks, tied heads) may be left over.
// Errors: missing and misshapen tensors and those left over, all at once; only
// left over: a warning.
// Threads: one module, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/weights/WeightFiles.h"
#include "compiler/import/weights/Weights.h"

namespace windlass {

/// Every parameter of the module starts from a tensor of `path` (a file, an index, a folder).
Status matchWeights(mlir::ModuleOp module, const std::string &path);

/// Lets one parameter start from a tensor. What is wrong with that, as a line of a list; empty: nothing.
std::string startFrom(graph::StateOp state, const std::string &name, const WeightFiles::Tensor &tensor,
                      bool transposed);

} // namespace windlass
