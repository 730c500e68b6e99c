// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, softmax and log-softmax.
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

#include <algorithm>
#include <cmath>

namespace windlass::onnx {
namespace {

/// The reduced dimensions. If the node names none: all, or none with "noop_with_empty_axes".
std::vector<int64_t> reducedAxes(OpView &op) {
  std::optional<std::vector<int64_t>> axes = op.axes("axes", 1, op.rank(0));
  if (axes && !axes->empty())
    return *axes;
  std::vector<int64_t> all;
  if (op.integer("noop_with_empty_axes", 0) == 0)
    for (int64_t d = 0; d < op.rank(0); ++d)
      all.push_back(d);
  return all;
}

Shape reducedShape(const Shape &shape, const std::vector<int64_t> &axes, bool keep) {
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool goes = std::ranges::find(axes, static_cast<int64_t>(d)) != axes.end();
    if (!goes || keep)
      result.push_back(goes ? 1 : shape[d]);
  }
  return result;
}

std::vector<Type> inferReduce(OpView &op) {
  const std::vector<int64_t> axes = reducedAxes(op);
  return {{op.type(0), reducedShape(op.shape(0), axes, op.integer("keepdims", 1) != 0)}};
}

enum class Kind { Sum, Mean, Max, Min, Product };

template <Kind kind> std::vector<Literal> evaluateReduce(OpView &op) {
  const Literal &source = *op.literal(0);
  const std::vector<int64_t> axes = reducedAxes(op);
  Literal result = Literal::filled(source.type, op.result().shape, 0);
  std::vector<double> sums(static_cast<size_t>(result.size()), kind == Kind::Product ? 1 : 0);
  std::vector<int64_t> counts(sums.size(), 0);
  const Shape kept = reducedShape(source.shape, axes, true);
  const std::vector<int64_t> to = broadcastOffsets(kept, source.shape);
  for (int64_t i = 0; i < source.size(); ++i) {
    double &sum = sums[static_cast<size_t>(to[static_cast<size_t>(i)])];
    int64_t &count = counts[static_cast<size_t>(to[static_cast<size_t>(i)])];
    const double x = source.real(i);
    if (kind == Kind::Max || kind == Kind::Min)
      sum = count == 0 ? x : kind == Kind::Max ? std::max(sum, x) : std::min(sum, x);
    else
      sum = kind == Kind::Product ? sum * x : sum + x;
    ++count;
  }
  for (size_t i = 0; i < sums.size(); ++i)
    result.set(static_cast<int64_t>(i),
               kind == Kind::Mean ? sums[i] / static_cast<double>(std::max<int64_t>(counts[i], 1)) : sums[i]);
  return {result};
}

/// The shape in which the input of a reduction is read, and its reduced dimensions. A reduction over the last
/// dimension alone reads rows; a reduction over all dimensions reads one row.
struct Reduced {
  Shape form;
  std::vector<int64_t> axes;
};

Reduced reducedOf(OpView &op, Writer &writer) {
  std::vector<int64_t> axes = reducedAxes(op);
  const Shape &shape = op.shape(0);
  if (axes.size() == shape.size())
    return {{1, elementsOf(shape)}, axes.empty() ? axes : std::vector<int64_t>{1}};
  if (axes.size() != 1 || axes[0] + 1 != op.rank(0))
    return {shape, axes};
  const Shape held = writer.held(op.in(0));
  const Shape form = held.back() == shape.back() && held.size() > 1 ? held : shape;
  return {form, {static_cast<int64_t>(form.size()) - 1}};
}

void writeKind(OpView &op, Writer &writer, const char *kind) {
  if (reducedAxes(op).empty())
    return writer.alias(op.out(), op.in(0));
  const auto [form, axes] = reducedOf(op, writer);
  writer.define(op.out(),
                {{"op", "reduce"},
                 {"in", {writer.as(op.in(0), form)}},
                 {"kind", kind},
                 {"dims", axes},
                 {"keep", false}},
                reducedShape(form, axes, false));
}

/// Reductions that are formulas: `formula(f, x, dims)` gives the reduced value of x.
using Reduction = std::string (*)(Formula &, const std::string &, const std::vector<int64_t> &);

template <Reduction formula> void writeFormula(OpView &op, Writer &writer) {
  const auto [form, axes] = reducedOf(op, writer);
  Formula f(writer);
  const Shape result = reducedShape(form, axes, false);
  writer.declare(op.out(), formula(f, writer.as(op.in(0), form), axes), result.empty() ? Shape{1} : result);
}

std::string total(Formula &f, const std::string &x, const std::vector<int64_t> &dims) {
  return f.reduce("sum", x, dims, false);
}
std::string sumOfSizes(Formula &f, const std::string &x, const std::vector<int64_t> &dims) {
  return total(f, f.apply("abs", {x}), dims);
}
std::string sumOfSquares(Formula &f, const std::string &x, const std::vector<int64_t> &dims) {
  return total(f, f.mul(x, x), dims);
}
/// The root of 0 has no derivative; like PyTorch's norm, a length of 0 has the gradient 0.
std::string length(Formula &f, const std::string &x, const std::vector<int64_t> &dims) {
  const std::string sum = sumOfSquares(f, x, dims), zero = f.number(0),
                    isZero = f.apply("equal", {sum, zero});
  const std::string root = f.apply("sqrt", {f.where(isZero, f.number(1), sum)});
  return f.where(isZero, zero, root);
}
std::string logOfSum(Formula &f, const std::string &x, const std::vector<int64_t> &dims) {
  return f.apply("log", {total(f, x, dims)});
}
/// log(sum(exp(x))), with the maximum subtracted in the exponents so that they do not overflow.
std::string logOfExponentials(Formula &f, const std::string &x, const std::vector<int64_t> &dims) {
  const std::string most = f.reduce("max", x, dims, true);
  const std::string sum = total(f, f.apply("exp", {f.sub(x, most)}), dims);
  const std::string shifted = f.apply("log", {sum});
  return f.add(shifted, f.reduce("sum", most, dims, false));
}

void writeSum(OpView &op, Writer &writer) { writeKind(op, writer, "sum"); }
void writeMean(OpView &op, Writer &writer) { writeKind(op, writer, "mean"); }

/// Whether the first of several maxima gets the gradient. In PyTorch it does for x.max(dim), while
/// x.amax(dim) and x.max() share the gradient among all maxima. If the file does not say which it was, a
/// reduction of one dimension is taken for x.max(dim).
bool isOfFirst(OpView &op) {
  const TorchCall &call = op.node.call;
  return reducedAxes(op).size() == 1 &&
         (call.operation.empty() ? op.rank(0) > 1 : call.isOf("aten.max.dim") || call.isOf("aten.min.dim"));
}

/// The maximum along a dimension, as the pool of one window of its length: the first maximum gets the
/// gradient.
std::string firstMaximum(Formula &f, const std::string &x, const Reduced &reduced) {
  const auto dim = reduced.form.begin() + reduced.axes[0];
  const Shape outer(reduced.form.begin(), dim), inner(dim + 1, reduced.form.end());
  const std::string window = f.reshape(x, {elementsOf(outer), 1, *dim, elementsOf(inner)});
  return f.reshape(f.maxPool(window, {*dim, 1}), reducedShape(reduced.form, reduced.axes, false));
}

void writeExtremum(OpView &op, Writer &writer) {
  if (reducedAxes(op).empty())
    return writer.alias(op.out(), op.in(0));
  const Reduced reduced = reducedOf(op, writer);
  const bool isMin = op.node.is("ReduceMin");
  Formula f(writer);
  std::string x = writer.as(op.in(0), reduced.form);
  if (isMin)
    x = f.apply("neg", {x});
  x = isOfFirst(op) ? firstMaximum(f, x, reduced) : f.reduce("max", x, reduced.axes, false);
  const Shape form = reducedShape(reduced.form, reduced.axes, false);
  writer.declare(op.out(), isMin ? f.apply("neg", {x}) : x, form.empty() ? Shape{1} : form);
}

std::vector<Type> inferSoftmax(OpView &op) {
  if (!op.need(op.rank(0) > 0 && isFloat(op.type(0)), "must be numbers of rank 1 or more"))
    return {};
  op.axis("axis", -1, op.rank(0));
  return {op.typeOf(0)};
}

template <bool isLog> void writeSoftmax(OpView &op, Writer &writer) {
  int64_t axis = op.axis("axis", -1, op.rank(0));
  Shape form = op.shape(0);
  if (axis + 1 == op.rank(0)) {
    if (const Shape held = writer.held(op.in(0)); held.back() == form.back())
      form = held;
    axis = static_cast<int64_t>(form.size()) - 1;
  }
  writer.define(
      op.out(),
      {{"op", isLog ? "log_softmax" : "softmax"}, {"in", {writer.as(op.in(0), form)}}, {"dim", axis}}, form);
}

//===----------------------------------------------------------------------===//
// CumSum
//===----------------------------------------------------------------------===//

/// Cumulative sums along the `extent` of a tensor of outer x extent x inner elements.
struct Running {
  int64_t outer = 1, extent = 1, inner = 1;
  bool isReverse = false, isExclusive = false;
};

Running runningOf(OpView &op) {
  const Literal *axis = op.literal(1);
  if (!op.need(axis && axis->size() == 1 && !axis->isFloat(), "the axis must be a known integer"))
    return {};
  const auto dim = static_cast<size_t>(op.normalized(axis->integers[0], op.rank(0)));
  if (!op.isOk())
    return {};
  const Shape &shape = op.shape(0);
  return {elementsOf({shape.begin(), shape.begin() + static_cast<int64_t>(dim)}), shape[dim],
          elementsOf({shape.begin() + static_cast<int64_t>(dim) + 1, shape.end()}),
          op.integer("reverse", 0) != 0, op.integer("exclusive", 0) != 0};
}

std::vector<Type> inferCumSum(OpView &op) {
  if (!op.need(op.rank(0) > 0, "must have a dimension to sum along"))
    return {};
  runningOf(op);
  return {op.typeOf(0)};
}

std::vector<Literal> evaluateCumSum(OpView &op) {
  const Running sums = runningOf(op);
  const Literal &source = *op.literal(0);
  Literal result = Literal::filled(source.type, source.shape, 0);
  for (int64_t o = 0; o < sums.outer; ++o)
    for (int64_t i = 0; i < sums.inner; ++i) {
      auto at = [&](int64_t e) { return (o * sums.extent + e) * sums.inner + i; };
      double sum = 0;
      for (int64_t n = 0; n < sums.extent; ++n) {
        const int64_t e = sums.isReverse ? sums.extent - 1 - n : n;
        const double x = source.real(at(e));
        result.set(at(e), sums.isExclusive ? sum : sum + x);
        sum += x;
      }
    }
  return {result};
}

/// Writes a cumulative sum as a product with a triangle of ones. Integers are computed in f32, and exact up
/// to 2^24.
void writeCumSum(OpView &op, Writer &writer) {
  const Running sums = runningOf(op);
  if (!op.needElements(0))
    return;
  const bool isReal = isFloat(op.type(0));
  Formula f(writer);
  const std::string to = f.positions(sums.extent, sums.extent, 0),
                    from = f.positions(sums.extent, sums.extent, 1);
  const char *test = sums.isReverse     ? sums.isExclusive ? "greater" : "greater_equal"
                     : sums.isExclusive ? "less"
                                        : "less_equal";
  const std::string triangle = f.cast(f.apply(test, {from, to}), "f32");
  std::string x = writer.as(op.in(0), {sums.outer, sums.extent, sums.inner});
  x = f.apply("matmul", {triangle, isReal ? x : f.cast(x, "f32")});
  writer.declare(op.out(), f.reshape(isReal ? x : f.cast(x, "i32"), op.shape(0)), op.shape(0));
}

constexpr Operator kOperators[] = {
    {"CumSum", "`positions`, `matmul`", 2, 2, inferCumSum, evaluateCumSum, writeCumSum},
    {"ReduceSum", "`reduce`", 1, 2, inferReduce, evaluateReduce<Kind::Sum>, writeSum},
    {"ReduceMean", "`reduce`", 1, 2, inferReduce, evaluateReduce<Kind::Mean>, writeMean},
    {"ReduceMax", "`reduce`, or `max_pool`", 1, 2, inferReduce, evaluateReduce<Kind::Max>, writeExtremum},
    {"ReduceMin", "`neg` of `reduce`, or of `max_pool`", 1, 2, inferReduce, evaluateReduce<Kind::Min>,
     writeExtremum},
    {"ReduceProd", "known before the run", 1, 2, inferReduce, evaluateReduce<Kind::Product>, nullptr},
    {"ReduceL1", "`abs`, `reduce`", 1, 2, inferReduce, nullptr, writeFormula<sumOfSizes>},
    {"ReduceL2", "`mul`, `reduce`, `where`, `sqrt`", 1, 2, inferReduce, nullptr, writeFormula<length>},
    {"ReduceSumSquare", "`mul`, `reduce`", 1, 2, inferReduce, nullptr, writeFormula<sumOfSquares>},
    {"ReduceLogSum", "`reduce`, `log`", 1, 2, inferReduce, nullptr, writeFormula<logOfSum>},
    {"ReduceLogSumExp", "`exp`, `reduce`, `log`", 1, 2, inferReduce, nullptr,
     writeFormula<logOfExponentials>},
    {"Softmax", "`softmax`", 1, 1, inferSoftmax, nullptr, writeSoftmax<false>},
    {"LogSoftmax", "`log_softmax`", 1, 1, inferSoftmax, nullptr, writeSoftmax<true>},
};

} // namespace

std::span<const Operator> reductionOperators() { return kOperators; }

} // namespace windlass::onnx
