// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LabelSmoothing.h - label_smoothing of a cross-entropy =================//
//
// Duty: makes label smoothing an attribute of the node. ONNX has no label smoothing, so the newer exporter
// writes a plain cross-entropy; the call that it notes beside the node has the smoothing. Errors: BadInput:
// the smoothing cannot be read, or classes have weights, too. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

Status settleSmoothing(Graph &graph);

/// The share of a label that goes to all classes; 0 without smoothing.
double smoothingOf(const Node &node);

} // namespace windlass::onnx
