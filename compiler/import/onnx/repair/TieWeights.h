// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TieWeights.h - matrices that are one parameter ========================//
//
// Duty: ties matrices that are one parameter. Exporters write a tied embedding as two matrices, one of them
// transposed and without a name. A matrix without a name that equals a parameter, or its transpose, becomes
// that parameter again; a matrix of one number is never tied. Two parameters with names stay two even if they
// are equal, since fresh copies of a layer are; `--tie A=B` makes them one. Errors: BadInput: a tensor cannot
// be read; `--tie` names no parameter, or two that differ. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// A row that is removed names in `why` the row that it was joined with; a row that stays names the other row
/// that it is equal to.
Status tieWeights(Graph &graph, const OnnxOptions &options, std::vector<Parameter> &rows);

} // namespace windlass::onnx
