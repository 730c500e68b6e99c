// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools: the largest or the mean of every window.
#include "compiler/import/onnx/operators/Windows.h"
#include "compiler/import/onnx/operators/Writer.h"

namespace windlass::onnx {
namespace {

bool checkImage(OpView &op) {
  return op.need(op.rank(0) >= 3 && isFloat(op.type(0)), "must be numbers of batch x channels x ..., is " +
                                                             std::string(wordOf(op.type(0))) + " " +
                                                             describe(op.shape(0)));
}

std::optional<Windows> poolOf(OpView &op) {
  return windowsOf(op, windowList(op, "kernel_shape", op.shape(0).size() - 2, 0, 1));
}

/// Whether avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
/// divides by a number of its own. The exporter writes the same node without it.
bool hasOwnDivisor(const TorchCall &call) {
  constexpr size_t kDivisor = 6;
  return (call.isOf("aten.avg_pool2d") || call.isOf("aten.avg_pool3d")) &&
         call.gives(kDivisor, "divisor_override");
}

std::vector<Type> inferPool(OpView &op) {
  if (!checkImage(op) || !op.need(!op.hasOut(1), "the places of the largest elements are not supported") ||
      !op.need(!op.node.is("AveragePool") || !hasOwnDivisor(op.node.call),
               "the call has a divisor_override, which ONNX lacks: multiply the mean by a number instead"))
    return {};
  const std::optional<Windows> windows = poolOf(op);
  if (!windows)
    return {};
  Shape shape = {op.shape(0)[0], op.shape(0)[1]};
  shape.insert(shape.end(), windows->out.begin(), windows->out.end());
  return {{op.type(0), shape}};
}

void writeMaxPool(OpView &op, Writer &writer) {
  const std::optional<Windows> windows = poolOf(op);
  if (!windows)
    return;
  nlohmann::json json = windows->keys();
  json.update({{"op", "max_pool"}, {"in", {writer.as(op.in(0))}}, {"kernel", windows->kernel}});
  writer.define(op.out(), json);
}

/// The image with zeros around it, for padding that counts in means.
std::string padded(OpView &op, Writer &writer, const Windows &windows) {
  Shape before = {0, 0}, after = {0, 0};
  before.insert(before.end(), windows.before.begin(), windows.before.end());
  after.insert(after.end(), windows.after.begin(), windows.after.end());
  return writer.intermediate(
      {{"op", "pad"}, {"in", {writer.as(op.in(0))}}, {"before", before}, {"after", after}});
}

void writeAveragePool(OpView &op, Writer &writer) {
  std::optional<Windows> windows = poolOf(op);
  if (!windows)
    return;
  std::string image;
  if (op.integer("count_include_pad", 0) != 0 && windows->isPadded()) {
    image = padded(op, writer, *windows);
    windows->before.assign(windows->before.size(), 0);
    windows->after = windows->before;
  } else {
    image = writer.as(op.in(0));
  }
  nlohmann::json json = windows->keys();
  json.update({{"op", "average_pool"}, {"in", {image}}, {"kernel", windows->kernel}});
  writer.define(op.out(), json);
}

std::vector<Type> inferGlobal(OpView &op) {
  if (!checkImage(op))
    return {};
  Shape shape(op.shape(0).size(), 1);
  shape[0] = op.shape(0)[0];
  shape[1] = op.shape(0)[1];
  return {{op.type(0), shape}};
}

void writeGlobalAverage(OpView &op, Writer &writer) {
  writer.define(op.out(), {{"op", "global_average_pool"}, {"in", {writer.as(op.in(0))}}});
}

void writeGlobalMax(OpView &op, Writer &writer) {
  writer.define(op.out(), {{"op", "max_pool"},
                           {"in", {writer.as(op.in(0))}},
                           {"kernel", Shape(op.shape(0).begin() + 2, op.shape(0).end())}});
}

constexpr Operator kOperators[] = {
    {"MaxPool", "`max_pool`", 1, 1, inferPool, nullptr, writeMaxPool},
    {"AveragePool", "`average_pool`", 1, 1, inferPool, nullptr, writeAveragePool},
    {"GlobalAveragePool", "`global_average_pool`", 1, 1, inferGlobal, nullptr, writeGlobalAverage},
    {"GlobalMaxPool", "`max_pool`", 1, 1, inferGlobal, nullptr, writeGlobalMax},
};

} // namespace

std::span<const Operator> poolOperators() { return kOperators; }

} // namespace windlass::onnx
