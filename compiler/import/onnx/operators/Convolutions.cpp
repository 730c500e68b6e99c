// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions, and their transposes.
#include "compiler/import/onnx/operators/Windows.h"
#include "compiler/import/onnx/operators/Writer.h"
#include "runtime/base/Counted.h"

namespace windlass::onnx {
namespace {

/// The window's extents, from the weights; "kernel_shape" may repeat them.
Shape kernelOf(OpView &op) {
  const Shape kernel(op.shape(1).begin() + 2, op.shape(1).end());
  const Shape given = windowList(op, "kernel_shape", kernel.size(), 0, 1);
  op.need(op.node.attributes.count("kernel_shape") == 0 || given == kernel,
          "kernel_shape must be that of the weights, " + describe(kernel));
  return kernel;
}

/// Checks the operands: x of batch x channels x ..., weights of the same rank, and a bias per output.
bool checkOperands(OpView &op) {
  return op.need(op.rank(0) >= 3 && op.rank(1) == op.rank(0),
                 "must have batch, channels and more, and weights of as many dimensions, is " +
                     describe(op.shape(0)) + " and " + describe(op.shape(1))) &&
         op.need(op.integer("group", 1) > 0, "group must be positive");
}

bool checkBias(OpView &op, int64_t outputs) {
  return !op.has(2) ||
         op.need(op.shape(2) == Shape{outputs}, "the bias must have " + counted(outputs, "element"));
}

nlohmann::json operation(OpView &op, Writer &writer, const char *name, nlohmann::json keys) {
  keys["op"] = name;
  keys["in"] = {writer.as(op.in(0)), writer.as(op.in(1))};
  if (op.has(2))
    keys["in"].push_back(writer.as(op.in(2)));
  if (const int64_t groups = op.integer("group", 1); groups > 1)
    keys["groups"] = groups;
  return keys;
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

std::vector<Type> inferConv(OpView &op) {
  if (!checkOperands(op))
    return {};
  const int64_t groups = op.integer("group", 1), channels = op.shape(0)[1], outputs = op.shape(1)[0];
  if (!op.need(channels % groups == 0 && outputs % groups == 0 && op.shape(1)[1] == channels / groups,
               "weights must be outputs x " + std::to_string(channels) + "/group x window, are " +
                   describe(op.shape(1))) ||
      !checkBias(op, outputs))
    return {};
  const std::optional<Windows> windows = windowsOf(op, kernelOf(op));
  if (!windows)
    return {};
  Shape shape = {op.shape(0)[0], outputs};
  shape.insert(shape.end(), windows->out.begin(), windows->out.end());
  return {{op.type(0), shape}};
}

void writeConv(OpView &op, Writer &writer) {
  if (const std::optional<Windows> windows = windowsOf(op, kernelOf(op)))
    writer.define(op.out(), operation(op, writer, "conv", windows->keys()));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// The windows of a transposed convolution. Its padding is cut off the result.
struct Transposed {
  Shape strides, dilations, before, after, extra, out;
};

/// Computes the padding for "output_shape", or for "SAME", whose result has the input's extent times the
/// stride. If the padding is odd, the additional element is at the beginning, and for SAME_UPPER at the end.
void fitPadding(Transposed &windows, size_t d, int64_t whole, int64_t wanted, bool isUpper) {
  const int64_t sum = std::max<int64_t>(0, whole - wanted);
  windows.before[d] = isUpper ? sum / 2 : sum - sum / 2;
  windows.after[d] = sum - windows.before[d];
  windows.extra[d] += std::max<int64_t>(0, wanted - whole);
}

std::optional<Transposed> transposedOf(OpView &op) {
  const Shape kernel = kernelOf(op);
  const size_t rank = kernel.size();
  const Shape pads = windowList(op, "pads", 2 * rank, 0, 0),
              wanted = windowList(op, "output_shape", rank, 0, 1);
  const bool isSame = padsItself(op);
  Transposed windows{windowList(op, "strides", rank, 1, 1),
                     windowList(op, "dilations", rank, 1, 1),
                     {pads.begin(), pads.begin() + static_cast<int64_t>(rank)},
                     {pads.begin() + static_cast<int64_t>(rank), pads.end()},
                     windowList(op, "output_padding", rank, 0, 0),
                     {}};
  for (size_t d = 0; d < rank && op.isOk(); ++d) {
    const int64_t extent = op.shape(0)[d + 2], reach = windows.dilations[d] * (kernel[d] - 1) + 1;
    const int64_t whole = (extent - 1) * windows.strides[d] + reach + windows.extra[d];
    if (wanted[d] > 0 || isSame)
      fitPadding(windows, d, whole, wanted[d] > 0 ? wanted[d] : extent * windows.strides[d],
                 op.text("auto_pad", "") == "SAME_UPPER");
    windows.out.push_back((extent - 1) * windows.strides[d] + reach + windows.extra[d] - windows.before[d] -
                          windows.after[d]);
    op.need(windows.out[d] > 0 && windows.before[d] < reach && windows.after[d] < reach + windows.extra[d],
            "padding must take away less than a window of " + std::to_string(reach));
  }
  return op.isOk() ? std::optional(windows) : std::nullopt;
}

std::vector<Type> inferConvTranspose(OpView &op) {
  if (!checkOperands(op))
    return {};
  const int64_t groups = op.integer("group", 1), channels = op.shape(0)[1];
  if (!op.need(op.shape(1)[0] == channels && channels % groups == 0,
               "weights must be " + std::to_string(channels) + " x outputs/group x window, are " +
                   describe(op.shape(1))) ||
      !checkBias(op, op.shape(1)[1] * groups))
    return {};
  const std::optional<Transposed> windows = transposedOf(op);
  if (!windows)
    return {};
  Shape shape = {op.shape(0)[0], op.shape(1)[1] * groups};
  shape.insert(shape.end(), windows->out.begin(), windows->out.end());
  return {{op.type(0), shape}};
}

void writeConvTranspose(OpView &op, Writer &writer) {
  const std::optional<Transposed> windows = transposedOf(op);
  if (!windows)
    return;
  Shape pads = windows->before;
  pads.insert(pads.end(), windows->after.begin(), windows->after.end());
  writer.define(op.out(), operation(op, writer, "conv_transpose",
                                    {{"strides", windows->strides},
                                     {"dilations", windows->dilations},
                                     {"pads", pads},
                                     {"output_padding", windows->extra}}));
}

constexpr Operator kOperators[] = {
    {"Conv", "`conv`", 2, 3, inferConv, nullptr, writeConv},
    {"ConvTranspose", "`conv_transpose`", 2, 3, inferConvTranspose, nullptr, writeConvTranspose},
};

} // namespace

std::span<const Operator> convolutionOperators() { return kOperators; }

} // namespace windlass::onnx
