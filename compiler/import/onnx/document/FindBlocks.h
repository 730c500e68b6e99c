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

#include <cstdint>
#include <nlohmann/json.hpp>

namespace windlass::onnx {

/// `document` is a "windlass.model/1" without blocks. Returns how many operations it looked at, those that it
/// looked at again counted again: a multiple of the document's that does not grow with the number of layers.
int64_t findBlocks(nlohmann::json &document);

} // namespace windlass::onnx
