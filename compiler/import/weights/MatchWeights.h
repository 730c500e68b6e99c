// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatchWeights.h - matches parameters and tensors by name ===============//
//
// Duty: finds the tensor that each parameter starts from, by name, as transformers does: the prefix of the
// base model ("transformer.", "model.") may be in the names of the file or of the model alone, and tensors
// without information (masks, tied heads) may be left over. Errors: BadInput that lists missing tensors,
// tensors of wrong shapes and left-over tensors, or names a tied head with values of its own; if there are
// only left-over tensors, a warning. Threads: one module, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/weights/WeightFiles.h"
#include "compiler/import/weights/Weights.h"

namespace windlass {

/// Whether tensors that are not used may be second names of used ones, with the same values: so it is with
/// a configuration of transformers.
enum class MayTie : uint8_t { No, Yes };

/// Makes every parameter of the module start from a tensor of `path`: a file, an index, or a folder.
Status matchWeights(mlir::ModuleOp module, const std::string &path, MayTie mayTie);

/// Makes one parameter start from a tensor. Returns an error as a line of a list; empty on success.
std::string startFrom(graph::StateOp state, const std::string &name, const WeightFiles::Tensor &tensor,
                      bool transposed);

} // namespace windlass
