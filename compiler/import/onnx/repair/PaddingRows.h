// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PaddingRows.h - rows of tables that lookups do not train ==============//
//
// Duty: sets the row of padding of each look-up (PyTorch's padding_idx) as its attribute "padding": look-ups
// of this row give the table no gradient. ONNX's Gather has no such attribute. The newer exporter notes it in
// its calls (TorchCall.h); for other files the user gives it. Errors: BadInput: a look-up that scales
// gradients by frequency, a name that no look-up reads, a row that the table does not have. Threads: one
// graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// The attribute of a look-up; ONNX has no such attribute.
inline constexpr const char *kPaddingRow = "padding";

/// `given`: by the name of a table, the user's row, which overrides the file's.
Status settlePadding(Graph &graph, const std::map<std::string, int64_t> &given, ParameterTable &parameters);

} // namespace windlass::onnx
