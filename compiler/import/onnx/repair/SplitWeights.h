// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitWeights.h - splits tensors of several equal parameters ===========//
//
// Duty: splits a tensor into the parameters that an exporter merged. Exporters store equal tensors once, such
// as the ones and zeros of fresh norms, which training makes different. Merged parameters are: an Identity of
// an initializer under a parameter's name; a vector that the same operator reads in several modules; and a
// vector of equal elements that several modules read in any role. If the newer exporter notes the parameter
// of a norm, the note decides; norms without parameters get constants. Errors: BadInput: a tensor cannot be
// read. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

Status splitWeights(Graph &graph);

} // namespace windlass::onnx
