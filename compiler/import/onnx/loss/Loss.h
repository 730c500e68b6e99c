// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Loss.h - the loss of an ONNX model ==================================//
//
// Duty: finds the loss in the graph, or appends the one that the user names, and brings it into the form of
// graph JSON: losses of rows, which are summed and divided by the number of labels of the whole batch.
// Errors: BadInput: no output that could be the loss, or several.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Makes the losses the only output of the graph, and removes nodes that no output needs. `report` gets one
/// line that describes the loss.
Status attachLoss(Graph &graph, const OnnxOptions &options, std::string &report);

} // namespace windlass::onnx
