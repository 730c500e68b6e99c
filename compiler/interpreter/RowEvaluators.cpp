// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations, softmax, cross-entropy and their gradients, by their formulas.

#include "compiler/interpreter/Evaluators.h"
#include "compiler/interpreter/LoopNest.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace windlass::interpreter {

/// Calls `visit(row, start)` for every row of a tensor of this shape.
template <typename Visit> static void forEachRow(const Tensor &tensor, Visit visit) {
  int64_t width = tensor.shape.back();
  for (int64_t row = 0, rows = tensor.size() / width; row < rows; ++row)
    visit(row, row * width);
}

static Tensor perRow(const Tensor &tensor) { return Tensor(ArrayRef(tensor.shape).drop_back()); }

//===----------------------------------------------------------------------===//
// Layer normalisation
//===----------------------------------------------------------------------===//

static Result<Tensors> evaluateLayerNorm(graph::LayerNormOp op, Inputs inputs, const Options &) {
  const Tensor &x = *inputs[0], &scale = *inputs[1], &shift = *inputs[2];
  int64_t width = x.shape.back();
  double epsilon = asF32(op.getEpsilon().convertToDouble());
  Tensor result(x.shape), mean = perRow(x), rstd = perRow(x);
  forEachRow(x, [&](int64_t row, int64_t start) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += x.data[start + i];
    double centre = mean.data[row] = sum / width;
    for (int64_t i = 0; i < width; ++i)
      squares += std::pow(x.data[start + i] - centre, 2);
    double factor = rstd.data[row] = 1.0 / std::sqrt(squares / width + epsilon);
    for (int64_t i = 0; i < width; ++i)
      result.data[start + i] = (x.data[start + i] - centre) * factor * scale.data[i] + shift.data[i];
  });
  return Tensors{result, mean, rstd};
}

static Result<Tensors> evaluateLayerNormGrad(graph::LayerNormGradOp, Inputs inputs, const Options &) {
  const Tensor &g = *inputs[0], &x = *inputs[1], &scale = *inputs[2], &mean = *inputs[3], &rstd = *inputs[4];
  int64_t width = x.shape.back();
  Tensor result(x.shape);
  forEachRow(x, [&](int64_t row, int64_t start) {
    auto normal = [&](int64_t i) { return (x.data[start + i] - mean.data[row]) * rstd.data[row]; };
    double sum = 0, dot = 0;
    for (int64_t i = 0; i < width; ++i) {
      double weighted = g.data[start + i] * scale.data[i];
      sum += weighted;
      dot += weighted * normal(i);
    }
    for (int64_t i = 0; i < width; ++i)
      result.data[start + i] =
          rstd.data[row] * (g.data[start + i] * scale.data[i] - sum / width - normal(i) * dot / width);
  });
  return Tensors{result};
}

static Result<Tensors> evaluateRmsNorm(graph::RmsNormOp op, Inputs inputs, const Options &) {
  const Tensor &x = *inputs[0], &scale = *inputs[1];
  int64_t width = x.shape.back();
  double epsilon = asF32(op.getEpsilon().convertToDouble());
  Tensor result(x.shape), rstd = perRow(x);
  forEachRow(x, [&](int64_t row, int64_t start) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i)
      squares += std::pow(x.data[start + i], 2);
    double factor = rstd.data[row] = 1.0 / std::sqrt(squares / width + epsilon);
    for (int64_t i = 0; i < width; ++i)
      result.data[start + i] = x.data[start + i] * factor * scale.data[i];
  });
  return Tensors{result, rstd};
}

static Result<Tensors> evaluateRmsNormGrad(graph::RmsNormGradOp, Inputs inputs, const Options &) {
  const Tensor &g = *inputs[0], &x = *inputs[1], &scale = *inputs[2], &rstd = *inputs[3];
  int64_t width = x.shape.back();
  Tensor result(x.shape);
  forEachRow(x, [&](int64_t row, int64_t start) {
    double dot = 0, factor = rstd.data[row];
    for (int64_t i = 0; i < width; ++i)
      dot += g.data[start + i] * scale.data[i] * x.data[start + i] * factor;
    for (int64_t i = 0; i < width; ++i)
      result.data[start + i] =
          factor * (g.data[start + i] * scale.data[i] - x.data[start + i] * factor * dot / width);
  });
  return Tensors{result};
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

/// Calls `visit(channel, element)` for every element of an image of batch x channels x ...
template <typename Visit> static void forEachOfChannel(const Tensor &image, Visit visit) {
  int64_t channels = image.shape[1], inner = llvm::product_of(ArrayRef(image.shape).drop_front(2));
  for (int64_t i = 0; i < image.size(); ++i)
    visit(i / inner % channels, i);
}

static Result<Tensors> evaluateBatchNorm(graph::BatchNormOp op, Inputs inputs, const Options &) {
  const Tensor &x = *inputs[0], &scale = *inputs[1], &shift = *inputs[2];
  Tensor mean = *inputs[3], variance = *inputs[4], result(x.shape);
  auto count = static_cast<double>(op.getCount());
  if (op.isTraining()) {
    mean = Tensor(mean.shape);
    variance = Tensor(variance.shape);
    forEachOfChannel(x, [&](int64_t c, int64_t i) { mean.data[c] += x.data[i] / count; });
    forEachOfChannel(
        x, [&](int64_t c, int64_t i) { variance.data[c] += std::pow(x.data[i] - mean.data[c], 2) / count; });
  }
  double epsilon = asF32(op.getEpsilon().convertToDouble());
  forEachOfChannel(x, [&](int64_t c, int64_t i) {
    double normal = (x.data[i] - mean.data[c]) / std::sqrt(variance.data[c] + epsilon);
    result.data[i] = normal * scale.data[c] + shift.data[c];
  });
  return Tensors{result, mean, variance};
}

//===----------------------------------------------------------------------===//
// Softmax and cross-entropy
//===----------------------------------------------------------------------===//

constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
/// The largest of some values, and the sum of the exponentials of their differences from it.
struct Exponentials {
  double largest, sum = 0;

  explicit Exponentials(ArrayRef<double> values) : largest(*llvm::max_element(values)) {
    for (double value : values)
      sum += std::exp(value - largest);
  }
  double logSum() const { return largest + std::log(sum); }
};
} // namespace

static Result<Tensors> evaluateSoftmax(graph::SoftmaxOp op, Inputs inputs, const Options &) {
  const Tensor &x = *inputs[0];
  int64_t width = x.shape.back();
  int64_t height = x.shape.size() > 1 ? x.shape[x.shape.size() - 2] : 1;
  double scale = asF32(op.getScale().convertToDouble());
  Tensor scores(x.shape), result(x.shape), lse = perRow(x);
  std::optional<Access> mask, base;
  if (op.getMask())
    mask.emplace(op.getOperandMaps()[1], inputs[1]->shape);
  if (op.getBase())
    base.emplace(op.getOperandMaps().back(), inputs.back()->shape);
  int64_t next = 0;
  forEachIndex(x.shape, [&](ArrayRef<int64_t> loops) {
    scores.data[next] = scale * x.data[next] + (mask ? inputs[1]->data[mask->at(loops)] : 0) -
                        (base ? inputs.back()->data[base->at(loops)] : 0);
    ++next;
  });
  forEachRow(x, [&](int64_t row, int64_t start) {
    int64_t i = row % height, end = op.getCausal() ? std::min(width, i + 1) : width;
    int64_t begin = op.getWindow() ? i - static_cast<int64_t>(*op.getWindow()) + 1 : 0;
    begin = std::clamp<int64_t>(begin, 0, end);
    ArrayRef<double> seen = ArrayRef(scores.data).slice(start + begin, end - begin);
    const bool isHidden = llvm::all_of(seen, [](double score) { return score == -kInfinity; });
    if (isHidden && (seen.empty() || mask)) { // the row is 0
      lse.data[row] = kInfinity;
      return;
    }
    const Exponentials exponentials(seen); // not by their logarithm, which a score of -1e30 rounds away
    lse.data[row] = exponentials.logSum();
    for (int64_t column = begin; column < end; ++column)
      result.data[start + column] =
          std::exp(scores.data[start + column] - exponentials.largest) / exponentials.sum;
  });
  return Tensors{result, lse};
}

static Result<Tensors> evaluateCrossEntropy(graph::CrossEntropyOp op, Inputs inputs, const Options &) {
  const Tensor &logits = *inputs[0], &labels = *inputs[1];
  int64_t width = logits.shape.back();
  auto ignored = static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex()));
  Tensor losses = perRow(logits), lse = perRow(logits);
  double smoothing = op.getSmoothing().convertToDouble(), share = asF32(smoothing / width);
  Status wrong;
  forEachRow(logits, [&](int64_t row, int64_t start) {
    lse.data[row] = Exponentials(ArrayRef(logits.data).slice(start, width)).logSum();
    double label = labels.data[row];
    if (label == ignored)
      return;
    if (label < 0 || label >= static_cast<double>(width))
      wrong = Status::badInput("label " + std::to_string(label) + " is outside the logits' " +
                               std::to_string(width));
    else {
      double picked = asF32(1 - smoothing + smoothing / width) - share, all = 0;
      for (int64_t i = 0; i < width; ++i)
        all += logits.data[start + i];
      losses.data[row] =
          lse.data[row] - picked * logits.data[start + static_cast<int64_t>(label)] - share * all;
    }
  });
  WINDLASS_TRY(wrong);
  return Tensors{losses, lse};
}

static Result<Tensors> evaluateCrossEntropyGrad(graph::CrossEntropyGradOp op, Inputs inputs,
                                                const Options &) {
  const Tensor &g = *inputs[0], &logits = *inputs[1], &labels = *inputs[2], &lse = *inputs[3];
  auto ignored = static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex()));
  Tensor result(logits.shape);
  int64_t width = logits.shape.back();
  double smoothing = op.getSmoothing().convertToDouble(), share = smoothing / static_cast<double>(width);
  forEachRow(logits, [&](int64_t row, int64_t start) {
    if (labels.data[row] == ignored)
      return;
    for (int64_t i = 0; i < width; ++i) {
      bool isLabel = labels.data[row] == static_cast<double>(i);
      double target = asF32(isLabel ? 1 - smoothing + share : share);
      result.data[start + i] = (std::exp(logits.data[start + i] - lse.data[row]) - target) * g.data[row];
    }
  });
  return Tensors{result};
}

void addRowEvaluators(Interpreter &interpreter) {
  addLocal<graph::LayerNormOp>(interpreter, evaluateLayerNorm);
  addLocal<graph::LayerNormGradOp>(interpreter, evaluateLayerNormGrad);
  addLocal<graph::RmsNormOp>(interpreter, evaluateRmsNorm);
  addLocal<graph::RmsNormGradOp>(interpreter, evaluateRmsNormGrad);
  addLocal<graph::BatchNormOp>(interpreter, evaluateBatchNorm);
  addLocal<graph::SoftmaxOp>(interpreter, evaluateSoftmax);
  addLocal<graph::CrossEntropyOp>(interpreter, evaluateCrossEntropy);
  addLocal<graph::CrossEntropyGradOp>(interpreter, evaluateCrossEntropyGrad);
}

} // namespace windlass::interpreter
