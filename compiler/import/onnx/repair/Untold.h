// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Untold.h - ambiguous tensors of files without a signature =============//
//
// Duty: checks tensors that may be no parameters, or several parameters, in files whose exporter's notes are
// lost. Tools that rewrite files drop these notes, merge equal tensors, and give computed tensors made-up
// names; TorchScript's exporter computes tensors, too. A likely mistake is refused, a possible one reported.
// Errors: BadInput that lists all tensors of a kind, and the options by which the user says what they are.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// Refuses a graph in which fresh parameters may have been merged and cannot be split. `--tie NAME=NAME`
/// declares a parameter as shared. Sets `mayBeSeveral` of rows that may be several parameters.
Status checkShared(const Graph &graph, const OnnxOptions &options, std::vector<Parameter> &rows);

/// Refuses a graph in which tensors that are not trained look like parameters. Tensors that follow a formula
/// do not. To be called after `--freeze` and `--trainable` are applied.
Status checkFixed(const Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
