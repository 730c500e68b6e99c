// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms of images (batch x channels x ...) with a scale and a shift for each channel.
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/repair/BatchNorms.h"
#include "runtime/base/Counted.h"

namespace windlass::onnx {
namespace {

constexpr double kEpsilon = 1e-5, kMomentum = 0.9; ///< defaults

/// The shape of `channels` elements that broadcast to an image.
Shape channelShape(OpView &op, int64_t channels) {
  Shape shape(op.shape(0).size() - 1, 1);
  shape[0] = channels;
  return shape;
}

/// Input i, one element per channel, in the shape that broadcasts to the image.
std::string ofChannels(OpView &op, Writer &writer, size_t i) {
  return writer.as(op.in(i), channelShape(op, op.shape(0)[1]));
}

bool checkChannels(OpView &op) {
  return op.need(op.rank(0) >= 2 && isFloat(op.type(0)),
                 "must be numbers of batch x channels x ..., is " + describe(op.shape(0)));
}

bool checkVectors(OpView &op, int64_t elements) {
  for (size_t i = 1; i < op.inputs(); ++i)
    if (!op.need(op.shape(i) == Shape{elements}, "input " + std::to_string(i) + " must have " +
                                                     counted(elements, "element") + ", is " +
                                                     describe(op.shape(i))))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

std::vector<Type> inferBatchNorm(OpView &op) {
  if (!checkChannels(op) || !checkVectors(op, op.shape(0)[1]))
    return {};
  return {op.typeOf(0), op.typeOf(3), op.typeOf(4)};
}

/// Writes the norm with the statistics `mean` and `variance`, which broadcast to the image. scale /
/// sqrt(variance + epsilon) is computed as a vector, so that the image is read once.
void writeNormalized(OpView &op, Writer &writer, const std::string &mean, const std::string &variance) {
  Formula f(writer);
  const std::string shifted = f.add(variance, f.number(op.real("epsilon", kEpsilon)));
  const std::string scale = ofChannels(op, writer, 1), factor = f.mul(scale, f.apply("rsqrt", {shifted}));
  const std::string centred = f.sub(writer.as(op.in(0)), mean);
  writer.define(op.out(), {{"op", "add"}, {"in", {f.mul(centred, factor), ofChannels(op, writer, 2)}}});
}

/// Writes the updated running statistic as result i.
void writeBlended(OpView &op, Writer &writer, size_t i, const std::string &running, const std::string &own) {
  if (!op.hasOut(i))
    return;
  Formula f(writer);
  const double kept = op.real("momentum", kMomentum);
  const std::string older = f.mul(running, f.number(kept)), newer = f.mul(own, f.number(1 - kept));
  writer.declare(op.out(i), f.add(older, newer), channelShape(op, op.shape(0)[1]));
}

/// Writes the norm with the statistics of the batch, for running statistics that are constants and so are not
/// updated.
void writeOfBatch(OpView &op, Writer &writer) {
  Formula f(writer);
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < op.rank(0); ++d)
    if (d != 1)
      dims.push_back(d);
  const Shape vector = channelShape(op, op.shape(0)[1]);
  const std::string x = writer.as(op.in(0));
  const std::string mean = f.reshape(f.reduce("mean", x, dims, false), vector), centred = f.sub(x, mean);
  const std::string variance = f.reshape(f.reduce("mean", f.mul(centred, centred), dims, false), vector);
  writeNormalized(op, writer, mean, variance);
  writeBlended(op, writer, 1, ofChannels(op, writer, 3), mean);
  writeBlended(op, writer, 2, ofChannels(op, writer, 4), variance);
}

void writeBatchNorm(OpView &op, Writer &writer) {
  if (!isTrainingNorm(op.node)) {
    const std::string mean = ofChannels(op, writer, 3), variance = ofChannels(op, writer, 4);
    return writeNormalized(op, writer, mean, variance);
  }
  if (op.literal(3) || op.literal(4))
    return writeOfBatch(op, writer);
  nlohmann::json in = {writer.as(op.in(0))};
  for (size_t i = 1; i < op.inputs(); ++i)
    in.push_back(writer.as(op.in(i)));
  nlohmann::json json = {{"op", "batch_norm"},
                         {"in", in},
                         {"eps", op.real("epsilon", kEpsilon)},
                         {"momentum", 1 - op.real("momentum", kMomentum)}};
  if (op.integer(kUnbiased, 0) != 0)
    json["unbiased"] = true;
  writer.define(op.out(), json);
}

//===----------------------------------------------------------------------===//
// InstanceNormalization, GroupNormalization
//===----------------------------------------------------------------------===//

/// The image, normalised to mean 0 and deviation 1 in each row of `width` elements.
std::string normalizedRows(OpView &op, Writer &writer, int64_t width) {
  Formula f(writer);
  const std::string rows =
      writer.intermediate({{"op", "layer_norm"},
                           {"in", {writer.matrix(op.in(0), width), f.full(1, {width}), f.full(0, {width})}},
                           {"eps", op.real("epsilon", kEpsilon)}});
  return f.reshape(rows, op.shape(0));
}

int64_t elementsOfChannels(OpView &op, int64_t channels) {
  return channels * elementsOf({op.shape(0).begin() + 2, op.shape(0).end()});
}

/// Whether instance_norm(x, weight, bias, running_mean, running_var, ...) normalises by running statistics in
/// evaluation. The exporter writes a module in training as a node without them.
bool hasRunningStatistics(const TorchCall &call) {
  constexpr size_t kRunningMean = 3;
  return call.isOf("aten.instance_norm") && call.gives(kRunningMean, "running_mean");
}

std::vector<Type> inferInstanceNorm(OpView &op) {
  if (!checkChannels(op) || !op.needElements(0) || !checkVectors(op, op.shape(0)[1]) ||
      !op.need(
          !hasRunningStatistics(op.node.call),
          "the call has running statistics, by which PyTorch evaluates and which ONNX lacks: make the norm "
          "with track_running_stats=False"))
    return {};
  return {op.typeOf(0)};
}

void writeInstanceNorm(OpView &op, Writer &writer) {
  Formula f(writer);
  const std::string rows = normalizedRows(op, writer, elementsOfChannels(op, 1));
  writer.define(op.out(),
                {{"op", "add"}, {"in", {f.mul(rows, ofChannels(op, writer, 1)), ofChannels(op, writer, 2)}}});
}

/// Whether there is one scale per group, as before operator set 21, and not per channel.
bool scalesGroups(OpView &op) {
  constexpr int64_t kPerChannel = 21;
  return op.graph.opset < kPerChannel;
}

std::vector<Type> inferGroupNorm(OpView &op) {
  const int64_t groups = op.integer("num_groups", 0);
  if (!checkChannels(op) || !op.needElements(0) ||
      !op.need(groups > 0 && op.shape(0)[1] % groups == 0, "num_groups must divide " +
                                                               std::to_string(op.shape(0)[1]) +
                                                               " channels, is " + std::to_string(groups)) ||
      !checkVectors(op, scalesGroups(op) ? groups : op.shape(0)[1]))
    return {};
  return {op.typeOf(0)};
}

/// Input i by channel; if it is given by group, repeated within each group.
std::string ofGroups(OpView &op, Writer &writer, size_t i) {
  const int64_t groups = op.integer("num_groups", 1), channels = op.shape(0)[1];
  if (!scalesGroups(op))
    return ofChannels(op, writer, i);
  const std::string repeated = writer.intermediate(
      {{"op", "expand"}, {"in", {writer.as(op.in(i), {groups, 1})}}, {"shape", {groups, channels / groups}}});
  return Formula(writer).reshape(repeated, channelShape(op, channels));
}

void writeGroupNorm(OpView &op, Writer &writer) {
  Formula f(writer);
  const std::string rows =
      normalizedRows(op, writer, elementsOfChannels(op, op.shape(0)[1] / op.integer("num_groups", 1)));
  writer.define(op.out(),
                {{"op", "add"}, {"in", {f.mul(rows, ofGroups(op, writer, 1)), ofGroups(op, writer, 2)}}});
}

constexpr Operator kOperators[] = {
    {"BatchNormalization", "`batch_norm`; frozen `sub`, `mul`, `add`", 5, 5, inferBatchNorm, nullptr,
     writeBatchNorm},
    {"InstanceNormalization", "`layer_norm`, `mul`, `add`", 3, 3, inferInstanceNorm, nullptr,
     writeInstanceNorm},
    {"GroupNormalization", "`layer_norm`, `mul`, `add`", 3, 3, inferGroupNorm, nullptr, writeGroupNorm},
};

} // namespace

std::span<const Operator> channelNormOperators() { return kOperators; }

} // namespace windlass::onnx
