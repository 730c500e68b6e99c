// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LostBiases.h - biases that an optimiser dropped =====================//
//
// Duty: the newer exporter's optimiser drops the bias of a linear layer or a
// convolution where it is all zeros, as fresh ones often are. The module has it, and
// trains it: where the file still lists the module's parameters, it gets it back.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Gives layers the biases of `graph.moduleParameters` that the file lacks, and zeros to start from.
void restoreBiases(Graph &graph);

} // namespace windlass::onnx
