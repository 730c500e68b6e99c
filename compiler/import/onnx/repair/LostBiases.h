// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LostBiases.h - biases that an optimiser dropped =======================//
//
// Duty: restores biases of zeros, as fresh biases often are, which the newer exporter's optimiser drops from
// linear layers and convolutions. The module trains them. They are restored if the file lists the module's
// parameters. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Gives layers the biases of `graph.moduleParameters` that the file lacks, with zeros as their first values.
void restoreBiases(Graph &graph);

} // namespace windlass::onnx
