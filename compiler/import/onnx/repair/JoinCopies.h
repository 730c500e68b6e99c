// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JoinCopies.h - joins copies of a parameter ============================//
//
// Duty: joins the copies of a parameter that the newer exporter's optimiser stored. If the batch is fixed, it
// computes all that depends on a parameter alone, such as a class token for every example, or a row of a
// table for every token. In training each copy would change by itself. Equal slices of such a tensor become
// one parameter, which is expanded where it is read. Errors: BadInput: copies cannot be told from separate
// parameters, or are of rows that are not adjacent. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// Joins copies. The row of a joined parameter has the slice as its value, and says so in `why`.
Status joinCopies(Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
