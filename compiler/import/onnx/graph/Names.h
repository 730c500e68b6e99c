// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Names.h - names by people and names by exporters ======================//
//
// Duty: tells names that people gave ("transformer.wte.weight") from names that exporters made up
// ("onnx::MatMul_123", "val_7", "/h.0/Constant_output_0"), and takes names apart. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace windlass::onnx {

/// Whether an exporter made the name up.
bool isGenerated(const std::string &name);

/// Whether the name is one that modules give to buffers: "inv_freq", "position_ids", ...
bool isBufferName(const std::string &name);

/// The operation in a value's name, "sigmoid" of "sigmoid_3": the newer exporter names a value after the
/// PyTorch operation that made it, and values within an operation "val".
std::string_view operationOf(std::string_view name);

/// The text, with U+FFFD in place of bytes that are no UTF-8.
std::string readable(const std::string &text);

/// The two parts of a name: "transformer.wte" and "weight". A name without a dot has no scope.
std::string scopeOfName(const std::string &name);
std::string leafOfName(const std::string &name);

} // namespace windlass::onnx
