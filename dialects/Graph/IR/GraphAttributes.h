// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphAttributes.h - discardable attributes that import writes =========//
//
// Duty: the names of the discardable attributes that import writes. Passes keep them on the ops that they
// rewrite.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace windlass::graph {

/// On the module: its name; the text of config.json; how many layers it has, and how many distinct ones; the
/// files that parameters start from.
inline constexpr llvm::StringLiteral kModelName = "windlass.model";
inline constexpr llvm::StringLiteral kModelConfig = "windlass.config";
inline constexpr llvm::StringLiteral kLayers = "windlass.layers";
inline constexpr llvm::StringLiteral kDistinctLayers = "windlass.distinct_layers";
inline constexpr llvm::StringLiteral kWeights = "windlass.weights";
/// On the module: its file binds a dimension to the training file's sequence.
inline constexpr llvm::StringLiteral kBindsSequence = "windlass.binds_sequence";
/// On a call: the instance of the layer function ("h.0").
inline constexpr llvm::StringLiteral kLayer = "layer";
/// On an embedding, i64: the row of padding; look-ups of this row add nothing to the gradient of the table.
inline constexpr llvm::StringLiteral kPadding = "graph.padding";
/// On a feed of labels, i64: the label that the loss ignores, if other than kIgnoredLabel.
inline constexpr llvm::StringLiteral kIgnored = "graph.ignored";
inline constexpr int64_t kIgnoredLabel = -100; ///< the label that losses ignore by default
/// On a feed of labels, i64: how many labels at the beginning of an example the loss ignores; absent for 0.
inline constexpr llvm::StringLiteral kFirst = "graph.first";
/// On a map that copies its input: no gradient flows through the map. Differentiate removes the attribute.
inline constexpr llvm::StringLiteral kDetached = "graph.detached";
/// On a state of one element: the parameter has rank 0 in checkpoints and weight files.
inline constexpr llvm::StringLiteral kNumber = "graph.number";

} // namespace windlass::graph
