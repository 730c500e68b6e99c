// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FindBlocks.h - layers in a flat list of operations ====================//
//
// Duty: finds equal layers in a flat list of operations, as exporters write it, and replaces them by one
// block and a repeat, so that a layer is compiled once. Layers have parameters "h.0.w", "h.1.w", ... and the
// same operations. A list without such layers stays as it is. The computed values are the same either way.
// Threads: one document, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace windlass::onnx {

/// `document`: a "windlass.model/1" without blocks. Returns the number of operations looked at, with
/// repetitions: a multiple of the document's operations that does not grow with the number of layers.
int64_t findBlocks(nlohmann::json &document);

} // namespace windlass::onnx
