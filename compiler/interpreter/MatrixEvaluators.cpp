// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matmul, embedding and its gradient, by their formulas; the gradient norm.

#include "compiler/interpreter/Evaluators.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include <cmath>
#include <optional>

using namespace mlir;

namespace windlass::interpreter {

/// Matrix `number` of a tensor in row-major order; transposed back if it is stored transposed.
static std::vector<double> matrixOf(const Tensor &tensor, int64_t number, int64_t rows, int64_t columns,
                                    bool isTransposed) {
  auto begin = tensor.data.begin() + number * rows * columns;
  std::vector<double> matrix(begin, begin + rows * columns);
  for (int64_t row = 0; isTransposed && row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      matrix[row * columns + column] = begin[column * rows + row];
  return matrix;
}

/// Evaluates a product: each element is the sum over k in order, beginning with `onto`.
static Result<Tensors> evaluateMatmul(graph::MatmulOp op, Inputs inputs, const Options &) {
  Tensor result(shapeOf(op.getResult()));
  if (op.getOnto())
    result.data = inputs[2]->data;
  size_t rank = result.shape.size();
  int64_t m = result.shape[rank - 2], n = result.shape[rank - 1];
  int64_t k = inputs[0]->shape[op.getTransposeA() ? rank - 2 : rank - 1];
  for (int64_t batch = 0, count = result.size() / (m * n); batch < count; ++batch) {
    const std::vector<double> a = matrixOf(*inputs[0], batch, m, k, op.getTransposeA());
    const std::vector<double> b = matrixOf(*inputs[1], batch, k, n, op.getTransposeB());
    double *sums = result.data.data() + batch * m * n;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l)
        for (int64_t j = 0; j < n; ++j)
          sums[i * n + j] += a[i * k + l] * b[l * n + j];
  }
  return Tensors{result};
}

/// The row of an index in a table, or in the part of it of `rows` rows from row `first` on; nothing if it is
/// outside.
static std::optional<int64_t> tableRow(double index, std::optional<uint64_t> first, int64_t rows) {
  int64_t row = static_cast<int64_t>(index) - static_cast<int64_t>(first.value_or(0));
  return row >= 0 && row < rows ? std::optional(row) : std::nullopt;
}

static Result<Tensors> evaluateEmbedding(graph::EmbeddingOp op, Inputs inputs, const Options &) {
  const Tensor &table = *inputs[0], &indices = *inputs[1];
  Tensor result = op.getOnto() ? *inputs[2] : Tensor(shapeOf(op.getResult()));
  int64_t width = table.shape[1];
  for (int64_t i = 0; i < indices.size(); ++i)
    if (std::optional<int64_t> row = tableRow(indices.data[i], op.getFirst(), table.shape[0]))
      for (int64_t d = 0; d < width; ++d)
        result.data[i * width + d] += table.data[*row * width + d];
  return Tensors{result};
}

static Result<Tensors> evaluateEmbeddingGrad(graph::EmbeddingGradOp op, Inputs inputs, const Options &) {
  const Tensor &gradient = *inputs[0], &indices = *inputs[1];
  Tensor result(shapeOf(op.getResult()));
  int64_t width = result.shape[1];
  for (int64_t i = 0; i < indices.size(); ++i)
    if (std::optional<int64_t> row = tableRow(indices.data[i], op.getFirst(), result.shape[0]))
      for (int64_t d = 0; d < width; ++d)
        result.data[*row * width + d] += gradient.data[i * width + d];
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
  addLocal<graph::GradNormOp>(interpreter, evaluateGradNorm);
}

} // namespace windlass::interpreter
