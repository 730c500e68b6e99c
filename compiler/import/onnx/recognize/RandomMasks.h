// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RandomMasks.h - Bernoulli masks =======================================//
//
// Duty: recognises bernoulli(p), of which Dropout2d and stochastic depth are made, and which exporters write
// as uniform random numbers less than p. Windlass draws random numbers only in dropout, so the mask becomes a
// dropout of ones, times p. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Replaces the masks of a graph. Constants must be folded.
Status recognizeRandomMasks(Graph &graph);

} // namespace windlass::onnx
