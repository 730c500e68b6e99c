// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphAttributes.h - what import says beside an op ===================//
//
// Duty: the names of attributes that import writes beside those of an op, and that an op keeps as it goes
// through passes.
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
/// On a call: the instance of the layer function ("h.0").
inline constexpr llvm::StringLiteral kLayer = "layer";
/// On an embedding, i64: the row of its table that gets no gradient from being looked up.
inline constexpr llvm::StringLiteral kPadding = "graph.padding";
/// On a feed of labels, i64: the value that counts for nothing, where it is not the usual one.
inline constexpr llvm::StringLiteral kIgnored = "graph.ignored";
inline constexpr int64_t kIgnoredLabel = -100; ///< the usual one
/// On a feed of labels, i64: how many of the first labels of an example count for nothing, where any do.
inline constexpr llvm::StringLiteral kFirst = "graph.first";
/// On a map that hands its input on: no gradient flows through it. Differentiate takes the mark off.
inline constexpr llvm::StringLiteral kDetached = "graph.detached";
/// On a state of one element: the parameter has no dimension, in checkpoints and weight files.
inline constexpr llvm::StringLiteral kNumber = "graph.number";

} // namespace windlass::graph
