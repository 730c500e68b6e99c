// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Untold.h - what a file without a signature does not tell ============//
//
// Duty: tools that rewrite files drop what the exporter noted, merge what is equal, and
// keep what they compute under made-up names; TorchScript's exporter computes, too.
// Whatever then looks like a parameter, and may be none, or like one, and may have been
// several, is refused where that is likely, and told where it is possible.
// Errors: BadInput, with all tensors of a kind, and the options that say what they are.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// Ok, unless fresh parameters may have been merged of which nothing says how to split them. `--tie
/// NAME=NAME` says that one is shared. Rows that may have been several in spite of that say so.
Status checkShared(const Graph &graph, const OnnxOptions &options, std::vector<Parameter> &rows);

/// Ok, unless tensors that stay as they are look like parameters. Those that follow a formula are computed of
/// no parameter. To be asked once `--freeze` and `--trainable` are known.
Status checkFixed(const Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
