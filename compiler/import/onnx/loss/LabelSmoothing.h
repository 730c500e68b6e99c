// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LabelSmoothing.h - label_smoothing of a cross-entropy ===============//
//
// Duty: ONNX has no word for it, so the newer exporter writes a plain cross-entropy; the
// call that it notes beside the node says how much of a label goes to all classes.
// Here that becomes an attribute of the node.
// Errors: BadInput: it cannot be read, or classes have weights, too.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

Status settleSmoothing(Graph &graph);

/// The share of a label that goes to all classes; 0 where labels are not smoothed.
double smoothingOf(const Node &node);

} // namespace windlass::onnx
