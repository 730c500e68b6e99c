// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dropout.h - the rate of a Dropout node ================================//
//
// Duty: finds the share of elements that a Dropout node drops in training: 0 if its flag is off, as in a file
// that was exported for inference. Errors: BadInput: a share that is not known before the run, or is 1.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// The share; 0 for a node that drops nothing, or is no Dropout.
double droppedShare(const Graph &graph, const Node &node);
/// Ok if the share is known and below 1.
Status checkDropout(const Graph &graph, const Node &node);

} // namespace windlass::onnx
