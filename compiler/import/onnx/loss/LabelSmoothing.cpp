// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/loss/LabelSmoothing.h"

#include "compiler/import/onnx/file/Reader.h"
#include <charconv>

namespace windlass::onnx {
namespace {

constexpr const char *kSmoothing = "smoothing";

/// The smoothing as the call has it; empty if it is not given.
std::string smoothingIn(const TorchCall &call) {
  constexpr std::string_view keyword = "label_smoothing: ";
  constexpr size_t place = 5;
  for (const std::string &item : call.keywords)
    if (item.starts_with(keyword))
      return item.substr(keyword.size());
  return call.arguments.size() > place ? call.arguments[place] : "";
}

} // namespace

Status settleSmoothing(Graph &graph) {
  for (auto &node : graph.nodes) {
    const std::string text = node->is("SoftmaxCrossEntropyLoss") && node->call.isOf("aten.cross_entropy_loss")
                                 ? smoothingIn(node->call)
                                 : "";
    if (text.empty())
      continue;
    double smoothing = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), smoothing);
    if (error != std::errc() || end != text.data() + text.size() || !(smoothing >= 0) || smoothing >= 1)
      return Status::badInput(placeOf(graph, *node) + ": label_smoothing must be from 0 to below 1, is \"" +
                              text + "\"; export the logits, and say --loss cross-entropy,smoothing=NUMBER");
    if (smoothing != 0 && node->has(2))
      return Status::badInput(
          placeOf(graph, *node) + ": label_smoothing=" + text +
          " together with weights of classes is not supported; export the logits, and say "
          "--loss cross-entropy,smoothing=" +
          text + " for a loss without weights");
    if (smoothing != 0)
      node->attributes[kSmoothing] = smoothing;
  }
  return Status::ok();
}

double smoothingOf(const Node &node) {
  const double *smoothing = node.attribute<double>(kSmoothing);
  return smoothing ? *smoothing : 0;
}

} // namespace windlass::onnx
