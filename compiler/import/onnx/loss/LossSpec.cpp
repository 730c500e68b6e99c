// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/loss/LossSpec.h"

#include "runtime/base/ParseNumber.h"
#include <algorithm>
#include <array>
#include <cstdio>

namespace windlass {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"cross-entropy", "mse", "bce-with-logits"};

Status refuse(const std::string &place, const std::string &rule, std::string_view found) {
  return Status::badInput(place + " must be " + rule + ", is \"" + std::string(found.substr(0, 80)) + "\"");
}

Status readKind(std::string_view text, LossSpec &loss) {
  if (const size_t star = text.find('*'); star != std::string_view::npos) {
    constexpr double kLargest = 1e6;
    if (!parseNumber(text.substr(0, star), loss.weight) || !(loss.weight > 0) || loss.weight > kLargest)
      return refuse("a weight", "a number above 0, at most 1e6", text.substr(0, star));
    text.remove_prefix(star + 1);
  }
  for (size_t i = 0; i < kKinds.size(); ++i)
    if (text == kKinds[i]) {
      loss.kind = static_cast<LossKind>(i);
      return Status::ok();
    }
  return refuse("a loss", "cross-entropy, mse or bce-with-logits", text);
}

Status readKey(std::string_view item, LossSpec &loss) {
  const size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
  const bool isOfLabels = key == "ignore_index" || key == "smoothing";
  if (isOfLabels && loss.kind != LossKind::CrossEntropy)
    return refuse("the loss with " + std::string(key), "cross-entropy", kKinds[size_t(loss.kind)]);
  if (key == "logits" || key == "labels") {
    (key == "logits" ? loss.logits : loss.labels) = value;
    return value.empty() ? refuse(std::string(key), "a name", value) : Status::ok();
  }
  if (key == "ignore_index")
    return parseNumber(value, loss.ignoredLabel) && loss.ignoredLabel >= INT32_MIN &&
                   loss.ignoredLabel <= INT32_MAX
               ? Status::ok()
               : refuse("ignore_index", "a whole number of 32 bits", value);
  if (key == "smoothing")
    return parseNumber(value, loss.smoothing) && loss.smoothing >= 0 && loss.smoothing < 1
               ? Status::ok()
               : refuse("smoothing", "from 0 to below 1", value);
  if (key == "reduction") {
    loss.isSum = value == "sum";
    return loss.isSum || value == "mean" ? Status::ok() : refuse("reduction", "mean or sum", value);
  }
  return refuse("a key", "logits, labels, ignore_index, smoothing or reduction", key);
}

} // namespace

Result<LossSpec> parseLoss(const std::string &text) {
  LossSpec loss;
  size_t begin = std::min(text.find(','), text.size());
  WINDLASS_TRY(readKind(std::string_view(text).substr(0, begin), loss));
  while (begin < text.size()) {
    const size_t end = std::min(text.find(',', begin + 1), text.size());
    WINDLASS_TRY(readKey(std::string_view(text).substr(begin + 1, end - begin - 1), loss));
    begin = end;
  }
  return loss;
}

std::string describe(const LossSpec &loss) {
  std::string text(kKinds[size_t(loss.kind)]);
  std::array<char, 40> number;
  auto written = [&](double value) {
    std::snprintf(number.data(), number.size(), "%g", value);
    return std::string(number.data());
  };
  if (loss.smoothing != 0)
    text += " smoothed by " + written(loss.smoothing);
  if (loss.isSum)
    text = "sum of " + text;
  return loss.weight == 1 ? text : written(loss.weight) + " * " + text;
}

} // namespace windlass
