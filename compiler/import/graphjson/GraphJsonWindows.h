// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJsonWindows.h - windows over images ==============================//
//
// Duty: reads the windows of convolutions and poolings: kernel, strides, dilations and padding over the
// spatial dimensions of x. The dimensions of x are batch, channels, then the spatial ones. Units: elements.
// Errors: noted at the operation's place. Threads: one builder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/graphjson/GraphJsonOp.h"

namespace windlass {

struct Windows {
  Shape kernel, strides, dilations, before, after, out;

  size_t rank() const { return kernel.size(); }
  int64_t size() const { return llvm::product_of(kernel); }
  bool isPadded() const {
    return llvm::any_of(before, [](int64_t p) { return p > 0; }) ||
           llvm::any_of(after, [](int64_t p) { return p > 0; });
  }
};

/// Reads `count` numbers of at least `least` under `key`; all are `otherwise` without the key.
Shape windowList(GraphJsonOp &op, std::string_view key, size_t count, int64_t otherwise, int64_t least);

/// Reads the keys of windows of this kernel over input 0; nothing after a failure.
std::optional<Windows> readWindows(GraphJsonOp &op, const Shape &kernel);

/// Input 0, padded with `value`.
mlir::Value padImage(GraphJsonOp &op, const Windows &windows, double value);

/// The index output * stride + window * dilation of spatial dimension d.
mlir::AffineExpr windowIndex(GraphJsonOp &op, const Windows &windows, size_t d, unsigned output,
                             unsigned window);

} // namespace windlass
