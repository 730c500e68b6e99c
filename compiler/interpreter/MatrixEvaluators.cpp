// Matmul, embedding, attention and their gradients, as their formulas say; the gradient norm.

#include "compiler/interpreter/Evaluators.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include <cmath>

using namespace mlir;

namespace windlass::interpreter {

static Result<Tensors> evaluateMatmul(graph::MatmulOp op, Inputs inputs, const Options &) {
  const Tensor &a = *inputs[0], &b = *inputs[1];
  Tensor result(shapeOf(op.getResult()));
  size_t rank = result.shape.size();
  int64_t m = result.shape[rank - 2], n = result.shape[rank - 1];
  int64_t k = a.shape[op.getTransposeA() ? rank - 2 : rank - 1];
  for (int64_t batch = 0, count = result.size() / (m * n); batch < count; ++batch)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += a.data[batch * m * k + (op.getTransposeA() ? l * m + i : i * k + l)] *
                 b.data[batch * k * n + (op.getTransposeB() ? j * k + l : l * n + j)];
        result.data[(batch * m + i) * n + j] = sum;
      }
  return Tensors{result};
}

/// Every index is a row of a table of `rows`.
static Status checkIndices(const Tensor &indices, int64_t rows) {
  for (double index : indices.data)
    if (index < 0 || index >= static_cast<double>(rows))
      return Status::badInput("index " + std::to_string(static_cast<int64_t>(index)) +
                              " is outside the table's " + std::to_string(rows) + " rows");
  return Status::ok();
}

static Result<Tensors> evaluateEmbedding(graph::EmbeddingOp op, Inputs inputs, const Options &) {
  const Tensor &table = *inputs[0], &indices = *inputs[1];
  WINDLASS_TRY(checkIndices(indices, table.shape[0]));
  Tensor result(shapeOf(op.getResult()));
  int64_t width = table.shape[1];
  for (int64_t i = 0; i < indices.size(); ++i)
    for (int64_t d = 0; d < width; ++d)
      result.data[i * width + d] = table.data[static_cast<int64_t>(indices.data[i]) * width + d];
  return Tensors{result};
}

static Result<Tensors> evaluateEmbeddingGrad(graph::EmbeddingGradOp op, Inputs inputs, const Options &) {
  const Tensor &gradient = *inputs[0], &indices = *inputs[1];
  Tensor result(shapeOf(op.getResult()));
  WINDLASS_TRY(checkIndices(indices, result.shape[0]));
  int64_t width = result.shape[1];
  for (int64_t i = 0; i < indices.size(); ++i)
    for (int64_t d = 0; d < width; ++d)
      result.data[static_cast<int64_t>(indices.data[i]) * width + d] += gradient.data[i * width + d];
  return Tensors{result};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Where the packed tensors of one attention hold what.
struct Layout {
  int64_t batch, heads, tokens, size;
  bool causal;

  Layout(const Tensor &qkv, int64_t batch, int64_t heads, bool causal)
      : batch(batch), heads(heads), tokens(qkv.shape[0] / batch), size(qkv.shape[1] / (3 * heads)),
        causal(causal) {}

  /// Start of query (0), key (1) or value (2) of a token in qkv.
  int64_t packed(int64_t b, int64_t t, int64_t h, int64_t which) const {
    return ((b * tokens + t) * 3 + which) * heads * size + h * size;
  }
  /// Start of a token in the result.
  int64_t mixed(int64_t b, int64_t t, int64_t h) const { return (b * tokens + t) * heads * size + h * size; }
  int64_t row(int64_t b, int64_t h, int64_t t) const { return (b * heads + h) * tokens + t; }
  /// How many keys a query sees.
  int64_t keys(int64_t query) const { return causal ? query + 1 : tokens; }
  double scale() const { return asF32(1.0 / std::sqrt(static_cast<double>(size))); }

  double dot(const Tensor &a, int64_t from, const Tensor &b, int64_t with) const {
    double sum = 0;
    for (int64_t d = 0; d < size; ++d)
      sum += a.data[from + d] * b.data[with + d];
    return sum;
  }
  /// Calls `visit(b, h, query)` for every row of scores.
  template <typename Visit> void forEachQuery(Visit visit) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t t = 0; t < tokens; ++t)
          visit(b, h, t);
  }
};
} // namespace

static Result<Tensors> evaluateAttention(graph::AttentionOp op, Inputs inputs, const Options &) {
  const Tensor &qkv = *inputs[0];
  Layout at(qkv, op.getBatch(), op.getHeads(), op.getCausal());
  Tensor result(shapeOf(op.getResult())), lse(shapeOf(op.getLse()));
  at.forEachQuery([&](int64_t b, int64_t h, int64_t t) {
    std::vector<double> scores(at.keys(t));
    for (int64_t s = 0; s < at.keys(t); ++s)
      scores[s] = at.scale() * at.dot(qkv, at.packed(b, t, h, 0), qkv, at.packed(b, s, h, 1));
    double max = *llvm::max_element(scores), sum = 0;
    for (double score : scores)
      sum += std::exp(score - max);
    lse.data[at.row(b, h, t)] = max + std::log(sum);
    for (int64_t s = 0; s < at.keys(t); ++s)
      for (int64_t d = 0; d < at.size; ++d)
        result.data[at.mixed(b, t, h) + d] +=
            std::exp(scores[s] - max) / sum * qkv.data[at.packed(b, s, h, 2) + d];
  });
  return Tensors{result, lse};
}

static Result<Tensors> evaluateAttentionGrad(graph::AttentionGradOp op, Inputs inputs, const Options &) {
  const Tensor &dO = *inputs[0], &qkv = *inputs[1], &output = *inputs[2], &lse = *inputs[3];
  Layout at(qkv, op.getBatch(), op.getHeads(), op.getCausal());
  Tensor result(qkv.shape);
  at.forEachQuery([&](int64_t b, int64_t h, int64_t t) {
    int64_t query = at.packed(b, t, h, 0), mixed = at.mixed(b, t, h);
    double delta = at.dot(dO, mixed, output, mixed);
    for (int64_t s = 0; s < at.keys(t); ++s) {
      int64_t key = at.packed(b, s, h, 1), value = at.packed(b, s, h, 2);
      double p = std::exp(at.scale() * at.dot(qkv, query, qkv, key) - lse.data[at.row(b, h, t)]);
      double dScore = p * (at.dot(dO, mixed, qkv, value) - delta) * at.scale();
      for (int64_t d = 0; d < at.size; ++d) {
        result.data[query + d] += dScore * qkv.data[key + d];
        result.data[key + d] += dScore * qkv.data[query + d];
        result.data[value + d] += p * dO.data[mixed + d];
      }
    }
  });
  return Tensors{result};
}

static Result<Tensors> evaluateGradNorm(graph::GradNormOp op, Inputs inputs, const Options &) {
  double squares = 0;
  for (const Tensor *gradient : inputs)
    for (double value : gradient->data)
      squares += value * value;
  return Tensors{Tensor(shapeOf(op.getNorm()), std::sqrt(squares))};
}

void addMatrixEvaluators(Interpreter &interpreter) {
  addLocal<graph::MatmulOp>(interpreter, evaluateMatmul);
  addLocal<graph::EmbeddingOp>(interpreter, evaluateEmbedding);
  addLocal<graph::EmbeddingGradOp>(interpreter, evaluateEmbeddingGrad);
  addLocal<graph::AttentionOp>(interpreter, evaluateAttention);
  addLocal<graph::AttentionGradOp>(interpreter, evaluateAttentionGrad);
  addLocal<graph::GradNormOp>(interpreter, evaluateGradNorm);
}

} // namespace windlass::interpreter
