// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Windows.h - windows of convolutions and pools =======================//
//
// Duty: how a node's window goes over the spatial dimensions of its first input
// (batch, channels, then those), with all the ways in which ONNX says how far the
// input is padded turned into one.
// Units: elements. Errors: noted at the OpView. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/operators/Operator.h"
#include <nlohmann/json.hpp>

namespace windlass::onnx {

struct Windows {
  Shape kernel, strides, dilations, before, after, out;
  Shape overhang; ///< what ceil_mode adds behind `after` to complete the last window

  /// The keys that graph JSON's windows have, the overhang as padding.
  nlohmann::json keys() const;
  bool isPadded() const;
};

/// The numbers of an attribute for `count` dimensions; `otherwise` in each if it is not given.
Shape windowList(OpView &op, const std::string &key, size_t count, int64_t otherwise, int64_t least);

/// Whether "auto_pad" asks for the padding to be found.
bool padsItself(OpView &op);

/// Nothing after a failure.
std::optional<Windows> windowsOf(OpView &op, const Shape &kernel);

} // namespace windlass::onnx
