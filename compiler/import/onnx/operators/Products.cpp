// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products.
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/operators/Writer.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

/// A factor of a product, without the transpose that made it, if that only swaps its last two dimensions.
struct Factor {
  ValueId value;
  bool transposed = false;
};

Factor factorOf(OpView &op, size_t i) {
  const Node *transpose = op.graph.producer(op.in(i), "Transpose");
  if (!transpose)
    return {op.in(i)};
  const Shape &source = op.graph.at(transpose->inputs[0]).shape;
  std::vector<int64_t> swapped(source.size());
  for (size_t d = 0; d < swapped.size(); ++d)
    swapped[d] = static_cast<int64_t>(d);
  if (swapped.size() < 2)
    return {op.in(i)};
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  const auto *perm = transpose->attribute<std::vector<int64_t>>("perm");
  const bool isSwap = perm ? *perm == swapped : source.size() == 2;
  return isSwap ? Factor{transpose->inputs[0], true} : Factor{op.in(i)};
}

std::vector<Type> inferMatMul(OpView &op) {
  if (!op.need(op.rank(0) >= 1 && op.rank(1) >= 1, "factors must not be scalars"))
    return {};
  Shape a = op.shape(0), b = op.shape(1);
  const bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  if (!op.need(a.back() == b[b.size() - 2], "the first factor has " + std::to_string(a.back()) +
                                                " columns, the second " + std::to_string(b[b.size() - 2]) +
                                                " rows"))
    return {};
  Shape shape = op.broadcast({{a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}});
  if (!isRow)
    shape.push_back(a[a.size() - 2]);
  if (!isColumn)
    shape.push_back(b.back());
  return {{op.type(0), shape}};
}

constexpr int64_t kMostProducts =
    int64_t(1) << 26; ///< multiplications, at most, of a product that is evaluated before the run

/// Evaluates products of literals as exporters write them: tables of angles, outer products of vectors.
std::vector<Literal> evaluateMatMul(OpView &op) {
  Shape a = op.shape(0), b = op.shape(1);
  if (a.size() == 1)
    a.insert(a.begin(), 1);
  if (b.size() == 1)
    b.push_back(1);
  Literal result = Literal::filled(op.result().type, op.result().shape, 0);
  const int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  const Shape batch = op.broadcast({{a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}});
  if (k > kMostProducts / std::max<int64_t>(result.size(), 1))
    return {};
  const std::vector<int64_t> ofA = broadcastOffsets({a.begin(), a.end() - 2}, batch),
                             ofB = broadcastOffsets({b.begin(), b.end() - 2}, batch);
  for (size_t at = 0; at < ofA.size(); ++at)
    for (int64_t i = 0; i < m * n; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < k; ++j)
        sum += op.literal(0)->real((ofA[at] * m + i / n) * k + j) *
               op.literal(1)->real((ofB[at] * k + j) * n + i % n);
      result.set(static_cast<int64_t>(at) * m * n + i, sum);
    }
  return {result};
}

nlohmann::json product(const std::string &a, const std::string &b, bool transA, bool transB) {
  nlohmann::json json = {{"op", "matmul"}, {"in", {a, b}}};
  if (transA)
    json["trans_a"] = true;
  if (transB)
    json["trans_b"] = true;
  return json;
}

void writeMatMul(OpView &op, Writer &writer) {
  const Factor b = factorOf(op, 1);
  const Shape &right = op.graph.at(b.value).shape;
  if (!op.needElements(0) || !op.needElements(1))
    return;
  if (right.size() <= 2) { // the rows of the left operand times one matrix
    const int64_t k = op.shape(0).back(), n = elementsOf(op.shape(1)) / k;
    const Shape matrix = right.size() == 2 ? right : Shape{k, 1};
    const std::string rows = writer.matrix(op.in(0), k), columns = writer.as(b.value, matrix);
    writer.define(op.out(), product(rows, columns, false, b.transposed),
                  {elementsOf(op.result().shape) / n, n});
    return;
  }
  const Factor a = op.rank(0) > 1 ? factorOf(op, 0) : Factor{op.in(0)};
  Shape left = op.graph.at(a.value).shape;
  if (left.size() == 1)
    left.insert(left.begin(), 1);
  Shape shape = op.broadcast({{left.begin(), left.end() - 2}, {right.begin(), right.end() - 2}});
  shape.push_back(left[left.size() - (a.transposed ? 1 : 2)]);
  shape.push_back(right[right.size() - (b.transposed ? 2 : 1)]);
  const std::string first = writer.as(a.value, left), second = writer.as(b.value);
  writer.define(op.out(), product(first, second, a.transposed, b.transposed), shape);
}

//===----------------------------------------------------------------------===//
// Gemm: alpha * A' * B' + beta * C
//===----------------------------------------------------------------------===//

std::vector<Type> inferGemm(OpView &op) {
  if (!op.need(op.rank(0) == 2 && op.rank(1) == 2, "factors must be matrices"))
    return {};
  const bool transA = op.integer("transA", 0) != 0, transB = op.integer("transB", 0) != 0;
  if (!op.need(op.shape(0)[transA ? 0 : 1] == op.shape(1)[transB ? 1 : 0],
               "factors must agree, are " + describe(op.shape(0)) + " and " + describe(op.shape(1))))
    return {};
  Shape shape = {op.shape(0)[transA ? 1 : 0], op.shape(1)[transB ? 0 : 1]};
  if (op.has(2) &&
      !op.need(op.broadcast({shape, op.shape(2)}) == shape, "the sum must have the product's shape"))
    return {};
  return {{op.type(0), shape}};
}

std::string scaled(Writer &writer, const std::string &name, double factor) {
  if (factor == 1)
    return name;
  const std::string number =
      writer.intermediate({{"op", "constant"}, {"value", factor}, {"type", "f32"}, {"shape", {1}}});
  return writer.intermediate({{"op", "mul"}, {"in", {name, number}}});
}

void writeGemm(OpView &op, Writer &writer) {
  Factor a = factorOf(op, 0), b = factorOf(op, 1);
  a.transposed ^= op.integer("transA", 0) != 0;
  b.transposed ^= op.integer("transB", 0) != 0;
  const double alpha = op.real("alpha", 1), beta = op.real("beta", 1);
  const std::string first = writer.as(a.value), second = writer.as(b.value);
  nlohmann::json json = product(first, second, a.transposed, b.transposed);
  if (!op.has(2) || beta == 0) {
    if (alpha == 1)
      return writer.define(op.out(), json);
    const std::string name = scaled(writer, writer.intermediate(json), alpha);
    return writer.declare(op.out(), name, op.result().shape);
  }
  const std::string left = scaled(writer, writer.intermediate(json), alpha);
  Shape sum = op.shape(2);
  while (sum.size() > 1 && sum.front() == 1)
    sum.erase(sum.begin());
  writer.define(op.out(), {{"op", "add"}, {"in", {left, scaled(writer, writer.as(op.in(2), sum), beta)}}});
}

constexpr Operator kOperators[] = {
    {"MatMul", "`matmul`", 2, 2, inferMatMul, evaluateMatMul, writeMatMul},
    {"Gemm", "`matmul`, `add`", 2, 3, inferGemm, nullptr, writeGemm},
};

} // namespace

std::span<const Operator> productOperators() { return kOperators; }

} // namespace windlass::onnx
