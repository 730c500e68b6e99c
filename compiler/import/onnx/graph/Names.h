// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Names.h - which names people gave, and which an exporter ============//
//
// Duty: "transformer.wte.weight" is a parameter's name; "onnx::MatMul_123", "val_7"
// and "/h.0/Constant_output_0" are made up by exporters.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace windlass::onnx {

/// Whether an exporter made the name up.
bool isGenerated(const std::string &name);

/// Whether modules keep something under this name that they do not train: "inv_freq", "position_ids", ...
bool isBufferName(const std::string &name);

/// "sigmoid" of "sigmoid_3": the newer exporter calls a value by the operation of PyTorch that it is the
/// result of, or "val" within one.
std::string_view operationOf(std::string_view name);

/// The text, with U+FFFD in the place of what is no UTF-8.
std::string readable(const std::string &text);

/// "transformer.wte" and "weight"; no scope where the name has no dot.
std::string scopeOfName(const std::string &name);
std::string leafOfName(const std::string &name);

} // namespace windlass::onnx
