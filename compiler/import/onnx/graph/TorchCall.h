// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TorchCall.h - the PyTorch operation of a node =========================//
//
// Duty: reads the PyTorch call that the newer exporter notes beside each node. ONNX has one operator for
// PyTorch operations that differ only in their gradients (a clamp and a maximum of two, a table with and
// without padding). Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace windlass::onnx {

struct TorchCall {
  std::string operation;              ///< "aten.embedding.default"; empty: no call is noted
  std::string result;                 ///< its name in other calls: "embedding_1"
  std::vector<std::string> arguments; ///< as texts: "%w", "0", "[1, 2]"
  std::vector<std::string> keywords;  ///< "alpha: 2"

  bool operator==(const TorchCall &) const = default;
  /// The names in the trace of the tensors among the arguments, also of those in lists: "w", "detach_1".
  std::vector<std::string> tensors() const;
  /// Whether the argument at this place, or of this keyword, is given and not None.
  bool gives(size_t place, const std::string &keyword) const;
  /// Whether the call is of this operation; "aten.clamp" stands for all its overloads.
  bool isOf(std::string_view name) const {
    return operation.starts_with(name) && (operation.size() == name.size() || operation[name.size()] == '.');
  }
};

/// The first line of a trace of calls that contains `call`, without indentation; empty: none.
std::string lineCalling(const std::string &trace, std::string_view call);

/// Parses "%y : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs =
/// {})".
TorchCall torchCallOf(std::string_view line);

} // namespace windlass::onnx
