// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RandomMasks.h - masks that are drawn by hand ========================//
//
// Duty: exporters spell bernoulli(p), of which Dropout2d and stochastic depth are
// made, as uniform numbers that are less than p. Windlass draws by dropping: the mask
// is dropout of ones, times p.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Replaces the masks of a graph whose constants are folded.
Status recognizeRandomMasks(Graph &graph);

} // namespace windlass::onnx
