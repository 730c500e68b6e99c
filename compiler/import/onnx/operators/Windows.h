// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Windows.h - windows of convolutions and pools =========================//
//
// Duty: reads the windows of a node over the spatial dimensions of its first input (batch, channels, spatial
// dimensions), and converts the ways in which ONNX gives padding to one form. Units: elements. Errors: noted
// at the OpView. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/operators/Operator.h"
#include <nlohmann/json.hpp>

namespace windlass::onnx {

struct Windows {
  Shape kernel, strides, dilations, before, after, out;
  Shape overhang; ///< padding that ceil_mode adds behind `after`, to complete the last window

  /// The keys of graph JSON's windows, with the overhang as padding.
  nlohmann::json keys() const;
  bool isPadded() const;
};

/// The numbers of an attribute for `count` dimensions; `otherwise` in each if it is not given.
Shape windowList(OpView &op, const std::string &key, size_t count, int64_t otherwise, int64_t least);

/// Whether the padding follows from "auto_pad".
bool padsItself(OpView &op);

/// The windows of a node; nothing after a failure.
std::optional<Windows> windowsOf(OpView &op, const Shape &kernel);

} // namespace windlass::onnx
