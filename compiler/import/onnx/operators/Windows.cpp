// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Windows.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Sets the padding for which the result has the input's extent over the stride, rounded up.
void padSame(Windows &windows, size_t d, int64_t extent, bool isLower) {
  const int64_t reach = windows.dilations[d] * (windows.kernel[d] - 1) + 1;
  const int64_t needed = (ceilDiv(extent, windows.strides[d]) - 1) * windows.strides[d] + reach;
  const int64_t sum = std::max<int64_t>(0, needed - extent);
  windows.before[d] = isLower ? sum - sum / 2 : sum / 2;
  windows.after[d] = sum - windows.before[d];
}

/// Computes the result's extent. A window that would begin behind the input (padding before it included) is
/// left out.
bool countWindows(OpView &op, Windows &windows, size_t d, int64_t extent) {
  const int64_t stride = windows.strides[d], reach = windows.dilations[d] * (windows.kernel[d] - 1) + 1;
  const int64_t whole = extent + windows.before[d] + windows.after[d];
  const bool isCeil = op.integer("ceil_mode", 0) != 0;
  if (!op.need(whole >= reach || (isCeil && whole > 0), "the padded input must hold a window of " +
                                                            std::to_string(reach) + ", has " +
                                                            std::to_string(whole)))
    return false;
  int64_t count = whole < reach ? 1 : (whole - reach) / stride + 1;
  if (isCeil && (count - 1) * stride + reach < whole && count * stride < extent + windows.before[d])
    ++count;
  windows.out.push_back(count);
  windows.overhang.push_back(std::max<int64_t>(0, (count - 1) * stride + reach - whole));
  return true;
}

} // namespace

Shape windowList(OpView &op, const std::string &key, size_t count, int64_t otherwise, int64_t least) {
  constexpr int64_t kLargest = INT32_MAX;
  const auto *given = op.node.attribute<std::vector<int64_t>>(key);
  if (!given || given->empty())
    return Shape(count, otherwise);
  const bool isSound = given->size() == count && std::ranges::all_of(*given, [&](int64_t value) {
                         return value >= least && value <= kLargest;
                       });
  op.need(isSound, key + " must be " + std::to_string(count) + " numbers from " + std::to_string(least));
  return isSound ? *given : Shape(count, otherwise);
}

bool padsItself(OpView &op) {
  const std::string mode = op.text("auto_pad", "NOTSET");
  const bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  op.need(isSame || mode == "NOTSET" || mode == "VALID",
          "auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, is \"" + mode + "\"");
  return isSame;
}

nlohmann::json Windows::keys() const {
  Shape pads = before;
  for (size_t d = 0; d < after.size(); ++d)
    pads.push_back(after[d] + overhang[d]);
  nlohmann::json keys = nlohmann::json::object();
  const auto differs = [](const Shape &list, int64_t usual) {
    return std::ranges::any_of(list, [&](int64_t value) { return value != usual; });
  };
  if (differs(strides, 1))
    keys["strides"] = strides;
  if (differs(pads, 0))
    keys["pads"] = pads;
  if (differs(dilations, 1))
    keys["dilations"] = dilations;
  return keys;
}

bool Windows::isPadded() const {
  const auto isPositive = [](int64_t value) { return value > 0; };
  return std::ranges::any_of(before, isPositive) || std::ranges::any_of(after, isPositive);
}

std::optional<Windows> windowsOf(OpView &op, const Shape &kernel) {
  const size_t rank = kernel.size();
  if (!op.need(rank > 0 && op.shape(0).size() == rank + 2,
               "the window must have the input's dimensions but batch and channels") ||
      !op.need(std::ranges::all_of(kernel, [](int64_t k) { return k > 0 && k <= INT32_MAX; }),
               "the window must not be empty, is " + describe(kernel)))
    return std::nullopt;
  const Shape pads = windowList(op, "pads", 2 * rank, 0, 0);
  Windows windows{kernel,
                  windowList(op, "strides", rank, 1, 1),
                  windowList(op, "dilations", rank, 1, 1),
                  {pads.begin(), pads.begin() + static_cast<int64_t>(rank)},
                  {pads.begin() + static_cast<int64_t>(rank), pads.end()},
                  {},
                  {}};
  const bool isSame = padsItself(op);
  for (size_t d = 0; d < rank && op.isOk(); ++d) {
    if (isSame)
      padSame(windows, d, op.shape(0)[d + 2], op.text("auto_pad", "") == "SAME_LOWER");
    if (!countWindows(op, windows, d, op.shape(0)[d + 2]))
      return std::nullopt;
  }
  return op.isOk() ? std::optional(windows) : std::nullopt;
}

} // namespace windlass::onnx
