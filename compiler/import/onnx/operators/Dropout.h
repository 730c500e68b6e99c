// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dropout.h - what a Dropout node drops ===============================//
//
// Duty: the share of elements that a Dropout node drops in training: 0 where its
// flag is off, as in a file that was exported for inference.
// Errors: BadInput: a share that is not known before the run, or that is everything.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// 0 for a node that drops nothing, or is no Dropout.
double droppedShare(const Graph &graph, const Node &node);
/// Whether the share is known, and below 1.
Status checkDropout(const Graph &graph, const Node &node);

} // namespace windlass::onnx
