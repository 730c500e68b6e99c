// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Heads.h - attention heads as dimensions and as columns ================//
//
// Duty: converts between batch x heads x sequence x size, the form of exported attention, and batch x
// sequence x (heads * size), the form that Windlass computes in. The transposes of the conversion cancel with
// those of the exporter. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {

/// Converts to batch x sequence x (heads * size).
ValueId packHeads(NodeMaker &maker, ValueId id);
/// Converts back, to this many heads.
ValueId unpackHeads(NodeMaker &maker, ValueId id, int64_t heads);

} // namespace windlass::onnx
