// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NormCalls.h - parameters of norms by their PyTorch calls ==============//
//
// Duty: reads the parameters of norms from the PyTorch calls that the newer exporter notes beside nodes. The
// exporter writes a scale and a shift even for norms without parameters, stores equal vectors once, and folds
// batch norms into layers; the calls still name each norm and its parameters. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <optional>

namespace windlass::onnx {

/// Whether a node was written for a batch norm of PyTorch.
bool callsBatchNorm(const Node &node);

/// 0 if a node of a norm reads the norm's scale at this input, 1 for its shift; none: neither.
std::optional<size_t> roleInNorm(const Node &node, size_t input);

/// The argument of a norm's call for the scale or shift that a node reads at this input: "None" or
/// "%p_norm_weight". Empty: the node reads neither there, or no call is noted.
std::string operandOfNorm(const Node &node, size_t input);

} // namespace windlass::onnx
