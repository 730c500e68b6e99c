// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TieWeights.h - matrices that are one parameter ======================//
//
// Duty: a tied embedding comes out of an exporter as two matrices, one of them
// transposed and without a name. A nameless matrix of a parameter's elements, as they
// stand or transposed, becomes that parameter again; a matrix that is the same
// everywhere ties with nothing. Two parameters that the file names are two, however
// they start: fresh copies of a layer are equal. `--tie A=B` says that they are one.
// Errors: BadInput where a tensor cannot be read, and where `--tie` names what is no
// parameter, or two that differ.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// A row that is removed names in `why` the row that it was joined with; a row that stays names the other row
/// that it is equal to.
Status tieWeights(Graph &graph, const OnnxOptions &options, std::vector<Parameter> &rows);

} // namespace windlass::onnx
