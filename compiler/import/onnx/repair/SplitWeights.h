// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitWeights.h - one tensor that stands for several parameters ======//
//
// Duty: exporters store equal tensors once: fresh norms of a model share their
// ones and zeros. Trained, they are parameters of their own. An Identity of an
// initializer under a parameter's name is such a copy; so is a vector that the
// same operator reads in several modules, and one of equal elements that modules
// read in any place of a parameter. Where the newer exporter notes which parameter a
// norm reads, that is taken; norms without parameters share none.
// Errors: BadInput where a tensor cannot be read.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

Status splitWeights(Graph &graph);

} // namespace windlass::onnx
