//===- TieWeights.h - matrices that are one parameter ======================//
//
// Duty: a tied embedding comes out of an exporter as two matrices, one of them
// transposed. Matrices of equal elements, as they stand or transposed, become one
// again; a matrix that is the same everywhere ties with nothing.
// Errors: BadInput where a tensor cannot be read.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Parameters.h"

namespace windlass::onnx {

/// The row that goes says in `why` which one it was joined with.
Status tieWeights(Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
