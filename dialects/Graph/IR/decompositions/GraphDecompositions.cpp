// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decompositions of the ops on rows to maps and reductions. Between two passes over a row only scalars of the
// row are kept, so that a kernel that works row by row needs no memory of its own.

#include "dialects/Graph/IR/GraphBuilders.h"

#include <limits>

using namespace mlir;
using namespace windlass::graph;

namespace {
/// Rows of a tensor: its loops, and the maps by which a body reads elements, rows and columns.
struct Rows {
  OpBuilder &builder;
  Location loc;
  RankedTensorType type;

  unsigned loops() const { return type.getRank(); }
  unsigned column() const { return loops() - 1; }
  int64_t width() const { return type.getShape().back(); }
  AffineMap element() const { return identityMap(builder.getContext(), loops()); }
  AffineMap row() const { return leadingMap(builder.getContext(), loops(), loops() - 1); }
  AffineMap columns() const { return loopsMap(builder.getContext(), loops(), {column()}); }
  RankedTensorType scalars() const {
    return tensorType(type.getShape().drop_back(), computeType(type.getElementType()));
  }

  Value reduce(Combine combine, ValueRange inputs, ArrayRef<AffineMap> maps, ScalarFn body) const {
    return buildReduce(builder, loc, combine, {column()}, inputs, maps, scalars(), body);
  }
  /// Two sums over each row in one pass.
  ReduceOp sums(ValueRange inputs, ArrayRef<AffineMap> maps, BodyFn body) const {
    return buildReduce(builder, loc, Combine::Sum, {column()}, inputs, maps, {scalars(), scalars()}, body);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Layer normalisation
//===----------------------------------------------------------------------===//

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getInput())};
  double width = rows.width(), epsilon = getEpsilon().convertToDouble();
  Value sum = rows.reduce(Combine::Sum, getInput(), rows.element(),
                          [](const Scalars &s, ValueRange in) { return s.widen(in[0]); });
  Value mean = buildElementwise(builder, getLoc(), sum, rows.scalars(), [&](const Scalars &s, ValueRange in) {
    return s.div(in[0], s.like(in[0], width));
  });
  Value squares = rows.reduce(Combine::Sum, {getInput(), mean}, {rows.element(), rows.row()},
                              [](const Scalars &s, ValueRange in) {
                                Value centred = s.sub(s.widen(in[0]), in[1]);
                                return s.mul(centred, centred);
                              });
  Value rstd = buildElementwise(
      builder, getLoc(), squares, rows.scalars(), [&](const Scalars &s, ValueRange in) -> Value {
        Value variance = s.div(in[0], s.like(in[0], width));
        return math::RsqrtOp::create(builder, getLoc(), s.add(variance, s.like(variance, epsilon)));
      });
  Value result = buildMap(builder, getLoc(), {getInput(), mean, rstd, getScale(), getShift()},
                          {rows.element(), rows.row(), rows.row(), rows.columns(), rows.columns()},
                          typeOf(getResult()), [](const Scalars &s, ValueRange in) {
                            Value normal = s.mul(s.sub(s.widen(in[0]), in[1]), in[2]);
                            Value scaled = s.mul(normal, s.widen(in[3]));
                            return s.add(scaled, s.widen(in[4]));
                          });
  return {result, mean, rstd};
}

/// With n the normalised input and w = gradient * scale: rstd * (w - mean(w) - n * mean(w * n)).
SmallVector<Value> LayerNormGradOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getInput())};
  double width = rows.width();
  auto normalAndWeighted = [](const Scalars &s, ValueRange in) {
    Value wide = s.widen(in[0]), weighted = s.mul(wide, s.widen(in[2]));
    Value normal = s.mul(s.sub(s.widen(in[1]), in[3]), in[4]);
    return std::pair(normal, weighted);
  };
  SmallVector<Value> inputs{getGradient(), getInput(), getScale(), getMean(), getRstd()};
  SmallVector<AffineMap> maps{rows.element(), rows.element(), rows.columns(), rows.row(), rows.row()};
  ReduceOp sums = rows.sums(inputs, maps, [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
    auto [normal, weighted] = normalAndWeighted(s, in);
    return {weighted, s.mul(weighted, normal)};
  });
  inputs.append({sums.getResult(0), sums.getResult(1)});
  maps.append({rows.row(), rows.row()});
  return {
      buildMap(builder, getLoc(), inputs, maps, typeOf(getResult()), [&](const Scalars &s, ValueRange in) {
        auto [normal, weighted] = normalAndWeighted(s, in);
        Value count = s.like(weighted, width);
        Value centred = s.sub(weighted, s.div(in[5], count));
        return s.mul(in[4], s.sub(centred, s.mul(normal, s.div(in[6], count))));
      })};
}

SmallVector<Value> RmsNormOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getInput())};
  double width = rows.width(), epsilon = getEpsilon().convertToDouble();
  Value squares = rows.reduce(Combine::Sum, getInput(), rows.element(), [](const Scalars &s, ValueRange in) {
    Value wide = s.widen(in[0]);
    return s.mul(wide, wide);
  });
  Value rstd = buildElementwise(
      builder, getLoc(), squares, rows.scalars(), [&](const Scalars &s, ValueRange in) -> Value {
        Value mean = s.div(in[0], s.like(in[0], width));
        return math::RsqrtOp::create(builder, getLoc(), s.add(mean, s.like(mean, epsilon)));
      });
  Value result = buildMap(builder, getLoc(), {getInput(), rstd, getScale()},
                          {rows.element(), rows.row(), rows.columns()}, typeOf(getResult()),
                          [](const Scalars &s, ValueRange in) {
                            Value normal = s.mul(s.widen(in[0]), in[1]);
                            return s.mul(normal, s.widen(in[2]));
                          });
  return {result, rstd};
}

/// With n the normalised input and w = gradient * scale: rstd * (w - n * mean(w * n)).
SmallVector<Value> RmsNormGradOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getInput())};
  double width = rows.width();
  auto normalAndWeighted = [](const Scalars &s, ValueRange in) {
    Value normal = s.mul(s.widen(in[1]), in[3]);
    Value wide = s.widen(in[0]), weighted = s.mul(wide, s.widen(in[2]));
    return std::pair(normal, weighted);
  };
  SmallVector<Value> inputs{getGradient(), getInput(), getScale(), getRstd()};
  SmallVector<AffineMap> maps{rows.element(), rows.element(), rows.columns(), rows.row()};
  inputs.push_back(rows.reduce(Combine::Sum, inputs, maps, [&](const Scalars &s, ValueRange in) {
    auto [normal, weighted] = normalAndWeighted(s, in);
    return s.mul(weighted, normal);
  }));
  maps.push_back(rows.row());
  return {
      buildMap(builder, getLoc(), inputs, maps, typeOf(getResult()), [&](const Scalars &s, ValueRange in) {
        auto [normal, weighted] = normalAndWeighted(s, in);
        Value mean = s.div(in[4], s.like(weighted, width));
        return s.mul(in[3], s.sub(weighted, s.mul(normal, mean)));
      })};
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// `value` if the softmax covers the column of the row (the last two loops), else `other`.
static Value masked(const Scalars &s, SoftmaxOp op, Value value, double other) {
  unsigned column = typeOf(op.getInput()).getRank() - 1, row = column - 1;
  Value nothing = s.like(value, other);
  if (op.getCausal()) {
    Value key = s.index(column);
    value = s.select(s.compare(arith::CmpIPredicate::sle, key, s.index(row)), value, nothing);
  }
  if (!op.getWindow())
    return value;
  Value width = s.constant(s.builder.getIndexType(), static_cast<double>(*op.getWindow()));
  Value reach = arith::AddIOp::create(s.builder, s.loc, s.index(column), width);
  return s.select(s.compare(arith::CmpIPredicate::slt, s.index(row), reach), value, nothing);
}

/// Whether the mask or the window may hide all columns of a row.
static bool mayHideRows(SoftmaxOp op) {
  if (op.getMask())
    return true;
  ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
  return op.getWindow() && shape[shape.size() - 2] - shape.back() >= static_cast<int64_t>(*op.getWindow());
}

/// The number that is subtracted from the scores of a row: the largest one, or 0 if all columns are hidden,
/// so that their exponentials are 0.
static Value shiftOf(const Rows &rows, SoftmaxOp op, Value max) {
  if (!mayHideRows(op))
    return max;
  return buildElementwise(rows.builder, rows.loc, max, rows.scalars(), [](const Scalars &s, ValueRange in) {
    Value nothing = s.like(in[0], -std::numeric_limits<double>::infinity()), zero = s.like(in[0], 0.0);
    return s.select(s.compare(arith::CmpFPredicate::OEQ, in[0], nothing), zero, in[0]);
  });
}

/// The log-sum-exp of each row and 1 over its sum of exponentials: inf and 0 if all columns are hidden, since
/// only then is the sum 0.
static MapOp perRowOf(const Rows &rows, SoftmaxOp op, Value shift, Value sum) {
  AffineMap each = identityMap(rows.builder.getContext(), rows.loops() - 1);
  return buildMap(rows.builder, rows.loc, {shift, sum}, {each, each}, {op.getLse().getType(), rows.scalars()},
                  [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                    Value lse = s.add(in[0], s.log(in[1])), factor = s.div(s.like(in[1], 1.0), in[1]);
                    if (!mayHideRows(op))
                      return {lse, factor};
                    Value zero = s.like(in[1], 0.0);
                    Value isHidden = s.compare(arith::CmpFPredicate::OEQ, in[1], zero);
                    Value infinity = s.like(lse, std::numeric_limits<double>::infinity());
                    lse = s.select(isHidden, infinity, lse);
                    return {lse, s.select(isHidden, zero, factor)};
                  });
}

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getInput())};
  double scale = getScale().convertToDouble();
  SmallVector<Value> scores(getOperands());
  SmallVector<AffineMap> maps(getOperandMaps());
  size_t perElement = scores.size();
  auto scaled = [&](const Scalars &s, ValueRange in) {
    Value x = s.widen(in[0]);
    if (scale != 1.0)
      x = s.mul(x, s.like(x, scale));
    if (getMask())
      x = s.add(x, s.widen(in[1]));
    return getBase() ? s.sub(x, in[perElement - 1]) : x;
  };
  auto shiftedExp = [&](const Scalars &s, ValueRange in) {
    return s.exp(s.sub(scaled(s, in), in[perElement]));
  };
  auto with = [](auto list, auto last) {
    list.push_back(last);
    return list;
  };
  Value max = rows.reduce(Combine::Max, scores, maps, [&](const Scalars &s, ValueRange in) {
    return masked(s, *this, scaled(s, in), -std::numeric_limits<double>::infinity());
  });
  Value shift = shiftOf(rows, *this, max);
  scores = with(scores, shift), maps = with(maps, rows.row());
  Value sum = rows.reduce(Combine::Sum, scores, maps, [&](const Scalars &s, ValueRange in) {
    return masked(s, *this, shiftedExp(s, in), 0.0);
  });
  MapOp perRow = perRowOf(rows, *this, shift, sum);
  Value result = buildMap(builder, getLoc(), with(scores, perRow.getResult(1)), with(maps, rows.row()),
                          typeOf(getResult()), [&](const Scalars &s, ValueRange in) {
                            return masked(s, *this, s.mul(shiftedExp(s, in), in.back()), 0.0);
                          });
  return {result, perRow.getResult(0)};
}

//===----------------------------------------------------------------------===//
// Cross-entropy
//===----------------------------------------------------------------------===//

/// True in the column that the row's label names.
static Value isLabel(const Scalars &s, const Rows &rows, Value label) {
  return s.compare(arith::CmpIPredicate::eq, s.index(rows.column(), label.getType()), label);
}

static Value isIgnored(const Scalars &s, Value label, int64_t ignoreIndex) {
  return s.compare(arith::CmpIPredicate::eq, label,
                   s.constant(label.getType(), static_cast<double>(ignoreIndex)));
}

/// One row's target: 1 at the label, smoothed towards the mean of all columns.
static Value target(const Scalars &s, const Rows &rows, Value label, double smoothing) {
  Type type = s.builder.getF32Type();
  double share = smoothing / static_cast<double>(rows.width());
  Value named = isLabel(s, rows, label), most = s.constant(type, 1.0 - smoothing + share);
  return s.select(named, most, s.constant(type, share));
}

SmallVector<Value> CrossEntropyOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getLogits())};
  int64_t ignored = static_cast<int64_t>(getIgnoreIndex());
  double smoothing = getSmoothing().convertToDouble();
  Value max = rows.reduce(Combine::Max, getLogits(), rows.element(),
                          [](const Scalars &s, ValueRange in) { return s.widen(in[0]); });
  ReduceOp sums = rows.sums({getLogits(), max, getLabels()}, {rows.element(), rows.row(), rows.row()},
                            [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                              Value logit = s.widen(in[0]);
                              Value picked;
                              if (smoothing == 0) {
                                Value named = isLabel(s, rows, in[2]);
                                picked = s.select(named, logit, s.like(logit, 0.0));
                              } else {
                                picked = s.mul(target(s, rows, in[2], smoothing), logit);
                              }
                              return {s.exp(s.sub(logit, in[1])), picked};
                            });
  SmallVector<AffineMap> each(4, identityMap(builder.getContext(), rows.loops() - 1));
  MapOp perRow = buildMap(builder, getLoc(), {max, sums.getResult(0), sums.getResult(1), getLabels()}, each,
                          {getLosses().getType(), getLse().getType()},
                          [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                            Value lse = s.add(in[0], s.log(in[1]));
                            Value skipped = isIgnored(s, in[3], ignored), zero = s.like(lse, 0.0);
                            return {s.select(skipped, zero, s.sub(lse, in[2])), lse};
                          });
  return {perRow.getResult(0), perRow.getResult(1)};
}

SmallVector<Value> CrossEntropyGradOp::decompose(OpBuilder &builder) {
  Rows rows{builder, getLoc(), typeOf(getLogits())};
  int64_t ignored = static_cast<int64_t>(getIgnoreIndex());
  double smoothing = getSmoothing().convertToDouble();
  return {buildMap(builder, getLoc(), {getGradient(), getLogits(), getLabels(), getLse()},
                   {rows.row(), rows.element(), rows.row(), rows.row()}, typeOf(getResult()),
                   [&](const Scalars &s, ValueRange in) {
                     Value probability = s.exp(s.sub(s.widen(in[1]), in[3]));
                     Value gradient = s.mul(s.sub(probability, target(s, rows, in[2], smoothing)), in[0]);
                     Value skipped = isIgnored(s, in[2], ignored);
                     return s.select(skipped, s.like(gradient, 0.0), gradient);
                   })};
}
