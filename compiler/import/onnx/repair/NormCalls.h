// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NormCalls.h - what calls of norms say of their parameters ===========//
//  Duty: the newer exporter writes a scale and a shift for norms without parameters, stores equal vectors
// once, and folds batch norms into layers. The call of PyTorch that the exporter notes beside each node names
// the norm and its parameters. Threads: pure functions.
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Whether a node was written for a batch norm of PyTorch.
bool callsBatchNorm(const Node &node);

/// What the call of a norm has for what a node reads as its scale or shift: "None" or "%p_norm_weight".
/// Empty: the node reads neither there, or nothing is said.
std::string operandOfNorm(const Node &node, size_t input);

} // namespace windlass::onnx
