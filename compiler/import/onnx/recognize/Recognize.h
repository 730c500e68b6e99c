// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Recognize.h - composites that an exporter spelt out =================//
//
// Duty: finds norms, activations, rotary embeddings, attention and losses in the
// operators they were taken apart into, and puts the one operator in their place.
// A composite that is not recognised is computed as it is spelt: it costs memory,
// never correctness.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {

/// `found` counts what was put together.
Status recognize(Graph &graph, std::map<std::string, int64_t> &found);

// Each looks at one node as the last of its composite, and returns the value to put in its place, or kAbsent.
ValueId recognizeLayerNorm(const Node &node, NodeMaker &maker);
ValueId recognizeRmsNorm(const Node &node, NodeMaker &maker);
ValueId recognizeGelu(const Node &node, NodeMaker &maker);
ValueId recognizeSilu(const Node &node, NodeMaker &maker);
ValueId recognizeLookup(const Node &node, NodeMaker &maker);
ValueId recognizeRotary(const Node &node, NodeMaker &maker);
ValueId recognizeAttention(const Node &node, NodeMaker &maker);
/// A softmax that gives 0 where all is hidden, as PyTorch's attention does, where it is left of no attention.
ValueId recognizeGuard(const Node &node, NodeMaker &maker);

} // namespace windlass::onnx
