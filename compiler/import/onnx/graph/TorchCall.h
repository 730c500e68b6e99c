// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TorchCall.h - which operation of PyTorch a node spells ==============//
//
// Duty: ONNX has one word where PyTorch has several that differ in their gradients
// alone (a clamp and a maximum of two, a table with and without padding). The newer
// exporter says beside each node which call it was written for.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace windlass::onnx {

struct TorchCall {
  std::string operation;              ///< "aten.embedding.default"; empty where nothing is said
  std::string result;                 ///< what other calls name it: "embedding_1"
  std::vector<std::string> arguments; ///< as they are written: "%w", "0", "[1, 2]"
  std::vector<std::string> keywords;  ///< "alpha: 2"

  bool operator==(const TorchCall &) const = default;
  /// The tensors it was given, by their names in the trace, also those in lists: "w", "detach_1".
  std::vector<std::string> tensors() const;
  /// "aten.clamp" is any overload of it.
  bool isOf(std::string_view name) const {
    return operation.starts_with(name) && (operation.size() == name.size() || operation[name.size()] == '.');
  }
};

/// The first line of a trace of calls in which `call` stands, without its indentation; empty: none.
std::string lineCalling(const std::string &trace, std::string_view call);

/// Of "%y : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})".
TorchCall torchCallOf(std::string_view line);

} // namespace windlass::onnx
