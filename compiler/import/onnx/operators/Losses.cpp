// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses of classes: scores or log-probabilities of batch x classes x ..., and labels of batch x ...
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

bool isMean(OpView &op) { return op.text("reduction", "mean") == "mean"; }
bool isNone(OpView &op) { return op.text("reduction", "mean") == "none"; }

std::vector<Type> inferLoss(OpView &op) {
  if (!op.need(op.rank(0) >= 2 && op.rank(1) + 1 == op.rank(0) && !isFloat(op.type(1)),
               "must have scores of rows x classes and as many integer labels") ||
      !op.need(!op.has(2) || op.shape(2) == Shape{op.shape(0)[1]}, "must have one weight for each class"))
    return {};
  const std::string reduction = op.text("reduction", "mean");
  op.need(reduction == "none" || reduction == "sum" || reduction == "mean",
          "reduction must be none, sum or mean, is \"" + reduction + "\"");
  return {{op.type(0), isNone(op) ? op.shape(1) : Shape()}, op.typeOf(0)};
}

/// Input 0 as rows x classes: dimension 1 becomes the last.
std::string rowsOfClasses(OpView &op, Writer &writer) {
  const int64_t classes = op.shape(0)[1], rows = elementsOf(op.shape(1));
  if (op.rank(0) == 2)
    return writer.as(op.in(0), {rows, classes});
  std::vector<int64_t> perm = {0};
  for (int64_t d = 2; d < op.rank(0); ++d)
    perm.push_back(d);
  perm.push_back(1);
  const std::string moved =
      writer.intermediate({{"op", "transpose"}, {"in", {writer.as(op.in(0))}}, {"perm", perm}});
  return Formula(writer).reshape(moved, {rows, classes});
}

std::optional<int64_t> ignoredLabel(OpView &op) {
  const auto *given = op.node.attribute<int64_t>("ignore_index");
  return given ? std::optional(*given) : std::nullopt;
}

/// The weight of each row: that of its class, or 0 if its label is ignored. Empty if all weights are equal.
std::string rowWeights(OpView &op, Writer &writer, const std::string &labels) {
  const std::optional<int64_t> ignored = ignoredLabel(op);
  Formula f(writer);
  std::string counts, known = labels;
  if (ignored) {
    const std::string isIgnored = f.apply("equal", {labels, f.number(static_cast<double>(*ignored), "i32")});
    const std::string nothing = f.number(0);
    counts = f.where(isIgnored, nothing, f.number(1));
    known = f.where(isIgnored, f.number(0, "i32"), labels);
  }
  if (!op.has(2))
    return counts;
  const std::string weights =
      writer.intermediate({{"op", "gather"}, {"in", {writer.as(op.in(2)), known}}, {"dim", 0}});
  return counts.empty() ? weights : f.mul(weights, counts);
}

/// Writes the reduction of `losses`, one per row. A mean divides by the sum of the weights of rows. A mean
/// without weights that is the model's loss has become a sum before (LossTerms.h).
void writeReduced(OpView &op, Writer &writer, std::string losses, const std::string &weights) {
  const int64_t rows = elementsOf(op.shape(1));
  Formula f(writer);
  if (!weights.empty())
    losses = f.mul(losses, weights);
  if (isNone(op))
    return writer.declare(op.out(), losses, {rows});
  std::string loss = f.reduce("sum", losses, {0}, true);
  if (isMean(op))
    loss = f.div(loss,
                 weights.empty() ? f.number(static_cast<double>(rows)) : f.reduce("sum", weights, {0}, true));
  writer.declare(op.out(), loss, {1});
}

//===----------------------------------------------------------------------===//
// SoftmaxCrossEntropyLoss
//===----------------------------------------------------------------------===//

void writeCrossEntropy(OpView &op, Writer &writer) {
  const int64_t rows = elementsOf(op.shape(1));
  const std::string scores = rowsOfClasses(op, writer), labels = writer.as(op.in(1), {rows});
  nlohmann::json json = {{"op", "cross_entropy"}, {"in", {scores, labels}}};
  json["ignore_index"] = ignoredLabel(op).value_or(-100); // that of the input may be another loss's
  if (const double smoothing = op.real("smoothing", 0); smoothing != 0)
    json["smoothing"] = smoothing;
  if (op.hasOut(1))
    writer.define(op.out(1), {{"op", "log_softmax"}, {"in", {writer.as(op.in(0))}}, {"dim", 1}});
  if (isNone(op) && !op.has(2)) // the operation itself leaves out ignored rows
    return writer.define(op.out(), json, {rows});
  const std::string weights = rowWeights(op, writer, labels);
  writeReduced(op, writer, writer.intermediate(json), weights);
}

//===----------------------------------------------------------------------===//
// NegativeLogLikelihoodLoss
//===----------------------------------------------------------------------===//

void writeLikelihood(OpView &op, Writer &writer) {
  const int64_t rows = elementsOf(op.shape(1));
  Formula f(writer);
  const std::string scores = rowsOfClasses(op, writer), labels = writer.as(op.in(1), {rows});
  std::string known = labels;
  if (const std::optional<int64_t> ignored = ignoredLabel(op)) {
    const std::string isIgnored = f.apply("equal", {labels, f.number(static_cast<double>(*ignored), "i32")});
    known = f.where(isIgnored, f.number(0, "i32"), labels);
  }
  const std::string column = f.reshape(known, {rows, 1});
  const std::string chosen =
      writer.intermediate({{"op", "gather_elements"}, {"in", {scores, column}}, {"dim", 1}});
  const std::string losses = f.reshape(f.apply("neg", {chosen}), {rows});
  writeReduced(op, writer, losses, rowWeights(op, writer, labels));
}

constexpr Operator kOperators[] = {
    {"SoftmaxCrossEntropyLoss", "`cross_entropy`", 2, 3, inferLoss, nullptr, writeCrossEntropy},
    {"NegativeLogLikelihoodLoss", "`gather_elements`, or `cross_entropy`", 2, 3, inferLoss, nullptr,
     writeLikelihood},
};

} // namespace

std::span<const Operator> lossOperators() { return kOperators; }

} // namespace windlass::onnx
