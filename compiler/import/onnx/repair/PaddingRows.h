// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PaddingRows.h - rows of tables that lookups do not train ============//
//
// Duty: PyTorch's padding_idx, for which ONNX's Gather has no place: the row of a
// table that gets no gradient from being looked up. The newer exporter leaves a
// trace of it (TorchCall.h); of other files the user says it. Each lookup gets the
// row as its attribute "padding".
// A lookup that scales gradients by frequency is refused.
// Errors: BadInput: that, a name that no lookup reads, a row that the table has not.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// Of a lookup; ONNX has no such attribute.
inline constexpr const char *kPaddingRow = "padding";

/// `given`: rows by the names of their tables, against what the file says.
Status settlePadding(Graph &graph, const std::map<std::string, int64_t> &given, ParameterTable &parameters);

} // namespace windlass::onnx
