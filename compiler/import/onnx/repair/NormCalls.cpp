// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/NormCalls.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace windlass::onnx {
namespace {

constexpr size_t kNowhere = SIZE_MAX;
constexpr std::string_view kGroupNorms[] = {"aten.group_norm", "aten.native_group_norm"};
constexpr std::string_view kBatchNorms[] = {
    "aten.batch_norm", "aten.native_batch_norm", "aten._native_batch_norm_legit",
    "aten._native_batch_norm_legit_functional", "aten._native_batch_norm_legit_no_training"};

bool isOneOf(const TorchCall &call, std::span<const std::string_view> operations) {
  return std::ranges::any_of(operations, [&](std::string_view name) { return call.isOf(name); });
}

/// The position of a norm's weight among the arguments of its call; the bias is the next argument.
size_t placeOfWeight(const TorchCall &call) {
  constexpr std::string_view second[] = {"aten.instance_norm", "aten.native_group_norm"};
  constexpr std::string_view third[] = {"aten.group_norm", "aten.layer_norm", "aten.native_layer_norm",
                                        "aten.rms_norm", "aten._fused_rms_norm"};
  return isOneOf(call, second) || isOneOf(call, kBatchNorms) ? 1 : isOneOf(call, third) ? 2 : kNowhere;
}

} // namespace

// Before ONNX had an operator for group norms, they were an instance norm (with constant scale and shift), a
// product and a sum.
std::optional<size_t> roleInNorm(const Node &node, size_t input) {
  constexpr std::string_view norms[] = {"BatchNormalization", "GroupNormalization", "InstanceNormalization",
                                        "LayerNormalization", "RMSNormalization"};
  const bool isGrouped = isOneOf(node.call, kGroupNorms);
  if (isGrouped && (node.is("Mul") || node.is("Add")))
    return node.is("Add");
  if (isGrouped && node.is("InstanceNormalization"))
    return std::nullopt;
  const bool isNorm = std::ranges::any_of(norms, [&](std::string_view name) { return node.is(name); });
  return isNorm && (input == 1 || input == 2) ? std::optional(input - 1) : std::nullopt;
}

bool callsBatchNorm(const Node &node) { return isOneOf(node.call, kBatchNorms); }

std::string operandOfNorm(const Node &node, size_t input) {
  const size_t place = placeOfWeight(node.call);
  const std::optional<size_t> role = roleInNorm(node, input);
  if (place == kNowhere || !role)
    return "";
  const std::string keyword = role == 0 ? "weight: " : "bias: ";
  for (const std::string &given : node.call.keywords)
    if (given.starts_with(keyword))
      return given.substr(keyword.size());
  const std::vector<std::string> &arguments = node.call.arguments;
  return place + *role < arguments.size() ? arguments[place + *role] : "None";
}

} // namespace windlass::onnx
