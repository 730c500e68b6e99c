// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Recognize.h - composites of several operators =========================//
//
// Duty: finds norms, activations, rotary embeddings, attention and losses that an exporter wrote as several
// operators, and replaces each by one operator. A composite that is not recognised is computed by its
// operators: this costs memory, never correctness. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {

/// `found`: by name, the number of composites that were recognised.
Status recognize(Graph &graph, std::map<std::string, int64_t> &found);

// Each function takes `node` as the last node of a composite, and returns the replacement of its result, or
// kAbsent.
ValueId recognizeLayerNorm(const Node &node, NodeMaker &maker);
ValueId recognizeRmsNorm(const Node &node, NodeMaker &maker);
ValueId recognizeGelu(const Node &node, NodeMaker &maker);
ValueId recognizeSilu(const Node &node, NodeMaker &maker);
ValueId recognizeLogSigmoid(const Node &node, NodeMaker &maker);
ValueId recognizeLookup(const Node &node, NodeMaker &maker);
ValueId recognizeRotary(const Node &node, NodeMaker &maker);
ValueId recognizeAttention(const Node &node, NodeMaker &maker);
/// A softmax that gives 0 for rows in which all is hidden, as in PyTorch's attention, outside of a recognised
/// attention.
ValueId recognizeGuard(const Node &node, NodeMaker &maker);

} // namespace windlass::onnx
