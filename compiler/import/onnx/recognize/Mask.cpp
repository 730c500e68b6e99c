// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/Mask.h"

#include "compiler/import/onnx/recognize/Terms.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace windlass::onnx {
namespace {

constexpr double kNever = -1e4; ///< scores below have probability 0 beside any score that counts

enum class Kind {
  Nothing,
  Causal,       ///< minus infinity hides later keys
  CausalFinite, ///< finite numbers hide some of them
  Other
};

/// The kind of a known mask over queries x keys; `weight`: the number that it adds to each score.
template <typename Weight> Kind kindOf(const Literal &mask, Weight weight) {
  const size_t rank = mask.shape.size();
  const int64_t columns = rank > 0 ? mask.shape[rank - 1] : 1, rows = rank > 1 ? mask.shape[rank - 2] : 1;
  bool isNothing = true, isCausal = rows == columns, isFinite = false;
  for (int64_t i = 0; i < mask.size(); ++i) {
    const bool isFuture = i % columns > i / columns % rows;
    isNothing &= weight(i) == 0;
    isCausal &= isFuture ? weight(i) <= kNever : weight(i) == 0;
    isFinite |= isFuture && std::isfinite(weight(i));
  }
  return isNothing ? Kind::Nothing : !isCausal ? Kind::Other : isFinite ? Kind::CausalFinite : Kind::Causal;
}

/// Notes a known mask that needs no tensor.
void note(Kind kind, Mask &mask) {
  mask.isCausal |= kind == Kind::Causal || kind == Kind::CausalFinite;
  mask.isCausalFinite |= kind == Kind::CausalFinite;
}

/// Takes a mask of the form Where(visible, scores, never), or Where(hidden, never, scores), off the scores.
bool takeChoice(NodeMaker &maker, ValueId &scores, Mask &mask) {
  const Graph &graph = maker.graph;
  const std::vector<ValueId> choice = operandsOf(graph, scores, "Where");
  for (size_t i = 1; i < choice.size(); ++i) {
    const std::optional<double> never = numberOf(graph, choice[3 - i]);
    if (!never || *never > kNever || graph.at(choice[i]).shape != graph.at(scores).shape)
      continue;
    const Literal *known = graph.at(choice[0]).literal.get();
    Kind kind = Kind::Other;
    if (known)
      kind = kindOf(*known, [&](int64_t at) { return (known->real(at) != 0) == (i == 1) ? 0 : *never; });
    if (kind == Kind::Other) {
      const ValueId zero = maker.literal(Literal::filled(DataType::Float, {1}, 0));
      const ValueId added = i == 1 ? maker.make("Where", {choice[0], zero, choice[2]})
                                   : maker.make("Where", {choice[0], choice[1], zero});
      if (mask.added != kAbsent)
        return false;
      mask.added = added;
      mask.hidden = *never;
    }
    note(kind, mask);
    scores = choice[i];
    return true;
  }
  return choice.empty();
}

constexpr double kUnseen = -1e30; ///< scores of hidden keys, -inf included, are below

/// The bound below which the added number of a mask means a hidden key.
double boundOf(const Mask &mask) {
  return mask.hidden && std::isfinite(*mask.hidden) ? *mask.hidden / 2 : kUnseen;
}

ValueId isAbove(NodeMaker &maker, ValueId value, double bound) {
  return maker.make("Greater", {value, maker.literal(Literal::filled(DataType::Float, {1}, bound))});
}

/// 1 for elements above a bound, 0 for others.
ValueId onesAbove(NodeMaker &maker, ValueId value, double bound) {
  return maker.make("Cast", {isAbove(maker, value, bound)}, {{"to", static_cast<int64_t>(DataType::Float)}});
}

/// Whether any of the ones and zeros along a dimension, whose size becomes 1, is a one.
ValueId hasOne(NodeMaker &maker, ValueId ones, int64_t axis) {
  return isAbove(maker, maker.make("ReduceSum", {ones, maker.literal(Literal::ofIntegers({axis}))}), 0);
}

/// Whether what is added to the scores is computed from parameters alone. Such a bias hides no key.
bool isLearned(const Graph &graph, ValueId added) {
  return added != kAbsent && !graph.sourcesOf(added).empty() && !graph.dependsOnData(added);
}

} // namespace

bool mayHideAll(const Graph &graph, const Mask &mask) {
  if (mask.added == kAbsent)
    return false;
  const Literal *known = graph.at(mask.added).literal.get();
  if (!known || known->shape.empty())
    return true;
  const int64_t columns = known->shape.back(), rows = known->size() / std::max<int64_t>(columns, 1);
  const int64_t queries = known->shape.size() > 1 ? known->shape[known->shape.size() - 2] : 1;
  for (int64_t row = 0; row < rows; ++row) {
    bool sees = false;
    for (int64_t column = 0; column < columns && !(mask.isCausal && column > row % queries); ++column)
      sees |= known->real(row * columns + column) > boundOf(mask);
    if (!sees)
      return true;
  }
  return false;
}

ValueId seesAny(NodeMaker &maker, ValueId scores, int64_t axis) {
  return hasOne(maker, onesAbove(maker, scores, kUnseen), axis);
}

ValueId seeingRows(NodeMaker &maker, const Mask &mask, int64_t queries, int64_t keys, bool headsLast) {
  Shape shape = maker.graph.at(mask.added).shape;
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  ValueId seen = onesAbove(maker, maker.reshape(mask.added, shape), boundOf(mask));
  if (mask.isCausal) { // row q of the lower triangle has keys 0 to q
    const ValueId whole = maker.literal(Literal::ofIntegers({shape[0], shape[1], queries, keys}));
    seen = maker.make("Trilu", {maker.make("Expand", {seen, whole})}, {{"upper", int64_t(0)}});
  }
  const ValueId rows = hasOne(maker, seen, 3);
  return headsLast ? maker.transpose(rows, {0, 2, 1, 3}) : rows;
}

bool addMask(NodeMaker &maker, ValueId operand, Mask &mask) {
  const Graph &graph = maker.graph;
  const Literal *known = graph.at(operand).literal.get();
  const bool isTruth = !isFloat(graph.at(operand).type);
  Kind kind = Kind::Other;
  if (known)
    kind = kindOf(*known, [&](int64_t at) {
      return !isTruth ? known->real(at) : known->real(at) != 0 ? 0 : -std::numeric_limits<double>::infinity();
    });
  note(kind, mask);
  if (kind != Kind::Other)
    return true;
  if (mask.added != kAbsent)
    return false;
  constexpr double kLowest = std::numeric_limits<float>::lowest();
  mask.added = isTruth
                   ? maker.make("Where", {operand, maker.literal(Literal::filled(DataType::Float, {1}, 0)),
                                          maker.literal(Literal::filled(DataType::Float, {1}, kLowest))})
                   : operand;
  return true;
}

bool takeMask(NodeMaker &maker, ValueId &scores, Mask &mask) {
  const Graph &graph = maker.graph;
  const std::vector<ValueId> terms = operandsOf(graph, scores, "Add");
  if (terms.size() == 2) {
    const bool isFirst = graph.at(terms[0]).producer && graph.at(terms[0]).shape == graph.at(scores).shape &&
                         productOf(graph, terms[0]).factors.size() == 1;
    scores = terms[isFirst ? 0 : 1];
    if (!addMask(maker, terms[isFirst ? 1 : 0], mask))
      return false;
  }
  if (!takeChoice(maker, scores, mask))
    return false;
  return !mask.isCausalFinite || isLearned(graph, mask.added) || !mayHideAll(graph, mask);
}

} // namespace windlass::onnx
