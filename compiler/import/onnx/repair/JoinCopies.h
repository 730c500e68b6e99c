// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JoinCopies.h - copies of a parameter become one again ===============//
//
// Duty: over a batch of fixed size the newer exporter's optimiser computes what a
// module does to a parameter alone, and stores the result: a class token for every
// example, the row of a table for every token. Trained, each copy would go its own
// way. Equal slices of such a tensor are one parameter, expanded where it is read.
// Errors: BadInput where copies are not told from parameters of their own, or are of
// rows that do not stand side by side.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// The row of a parameter that was joined says so in `why`; its value is the slice.
Status joinCopies(Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
