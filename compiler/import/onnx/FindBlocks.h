// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FindBlocks.h - layers in a flat list of operations ==================//
//
// Duty: an exporter writes twelve equal layers as one list of operations. Where
// parameters are called "h.0.w", "h.1.w", ... and the operations between repeat with
// them, they become one block and a repeat, so that a layer is compiled once. A list
// in which nothing repeats stays as it is; the values are the same either way.
// Threads: one document, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>

namespace windlass::onnx {

/// `document` is a "windlass.model/1" without blocks.
void findBlocks(nlohmann::json &document);

} // namespace windlass::onnx
