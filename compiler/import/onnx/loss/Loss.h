// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Loss.h - what an ONNX model is trained to make small ================//
//
// Duty: finds the loss in the graph, or appends the one the user names, and
// brings it into the form graph JSON has: losses of rows, which are summed and
// divided by the number of labels of the whole batch.
// Errors: BadInput: no output that could be the loss, or several.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Makes the losses the graph's only output; nodes that only served others are gone.
/// `report` gets one line that says what the loss is.
Status attachLoss(Graph &graph, const OnnxOptions &options, std::string &report);

} // namespace windlass::onnx
