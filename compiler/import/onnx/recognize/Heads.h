// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Heads.h - batch x heads x sequence x size, and back =================//
//
// Duty: attention is spelt over four dimensions, and computed over matrices of
// tokens x (heads * size); the transposes between cancel with the exporter's own.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {

/// To batch x sequence x (heads * size).
ValueId packHeads(NodeMaker &maker, ValueId id);
/// From there, with this many heads.
ValueId unpackHeads(NodeMaker &maker, ValueId id, int64_t heads);

} // namespace windlass::onnx
