// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/Mask.h"

#include "compiler/import/onnx/recognize/Terms.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace windlass::onnx {
namespace {

constexpr double kNever = -1e4; ///< scores below have probability 0 beside any score that counts

constexpr int kDeepest = 6; ///< nested nodes, at most, of a mask that hides later keys by itself
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Kind {
  Nothing,
  Causal, ///< hides later keys
  Other
};

/// The form of a known mask over queries x keys.
struct Form {
  Kind kind = Kind::Other;
  double later = -kInfinity; ///< of a causal mask: the largest number at a later key
};

/// The form of a known mask; `weight`: the number that it adds to each score.
template <typename Weight> Form formOf(const Literal &mask, Weight weight) {
  const size_t rank = mask.shape.size();
  const int64_t columns = rank > 0 ? mask.shape[rank - 1] : 1, rows = rank > 1 ? mask.shape[rank - 2] : 1;
  bool isNothing = true, isCausal = rows == columns;
  double later = -kInfinity;
  for (int64_t i = 0; i < mask.size(); ++i) {
    const bool isFuture = i % columns > i / columns % rows;
    isNothing &= weight(i) == 0;
    isCausal &= isFuture ? weight(i) <= kNever : weight(i) == 0;
    if (isFuture)
      later = std::max<double>(later, weight(i));
  }
  return {isNothing ? Kind::Nothing : isCausal ? Kind::Causal : Kind::Other, later};
}

/// Notes a known mask that needs no tensor.
void note(const Form &form, Mask &mask) {
  if (form.kind != Kind::Causal)
    return;
  mask.isCausal = true;
  mask.later = std::max(mask.later, form.later);
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
    Form form;
    if (known)
      form = formOf(*known, [&](int64_t at) { return (known->real(at) != 0) == (i == 1) ? 0 : *never; });
    if (form.kind == Kind::Other) {
      const ValueId zero = maker.literal(Literal::filled(DataType::Float, {1}, 0));
      const ValueId added = i == 1 ? maker.make("Where", {choice[0], zero, choice[2]})
                                   : maker.make("Where", {choice[0], choice[1], zero});
      if (mask.added != kAbsent)
        return false;
      mask.added = added;
      mask.hidden = *never;
    }
    note(form, mask);
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

//===----------------------------------------------------------------------===//
// A mask that depends on data, and hides later keys whatever the data
//===----------------------------------------------------------------------===//

/// Bounds of what is added to scores.
struct Bounds {
  double least; ///< of all its elements
  double later; ///< the largest at a later key
};

/// What is known of a mask before the run, for scores of as many queries as keys.
struct LaterKeys {
  const Graph &graph;
  int64_t keys;

  Bounds boundsOf(const Literal &known) const {
    const size_t rank = known.shape.size();
    const bool isSquare = rank > 1 && known.shape[rank - 1] == keys && known.shape[rank - 2] == keys;
    Bounds bounds{kInfinity, -kInfinity};
    for (int64_t i = 0; i < known.size(); ++i) {
      bounds.least = std::min<double>(bounds.least, known.real(i));
      if (!isSquare || i % keys > i / keys % keys)
        bounds.later = std::max<double>(bounds.later, known.real(i));
    }
    return bounds;
  }

  /// Whether truth values are false for all later keys, whatever the data.
  bool areHidden(ValueId id, int depth = kDeepest) const {
    if (const Literal *known = graph.at(id).literal.get())
      return boundsOf(*known).later <= 0;
    const std::vector<ValueId> operands = operandsOf(graph, id, "And");
    return depth > 0 &&
           std::ranges::any_of(operands, [&](ValueId operand) { return areHidden(operand, depth - 1); });
  }

  /// The bounds of numbers that truth values choose from known ones; nothing for other numbers.
  std::optional<Bounds> boundsOf(ValueId id, int depth = kDeepest) const {
    if (const Literal *known = graph.at(id).literal.get())
      return boundsOf(*known);
    const std::vector<ValueId> choice = operandsOf(graph, id, "Where");
    if (choice.size() != 3 || depth == 0)
      return std::nullopt;
    const std::optional<Bounds> x = boundsOf(choice[1], depth - 1), y = boundsOf(choice[2], depth - 1);
    if (!x || !y)
      return std::nullopt;
    return Bounds{std::min(x->least, y->least),
                  areHidden(choice[0]) ? y->later : std::max(x->later, y->later)};
  }
};

/// Whether later keys have the probability 0 even for a query whose other keys are all hidden, because what
/// is added hides later keys as well. Both masks together must lie below the one that hides the query's own
/// key. In f32 they do not if one is so large that the other is rounded away.
bool hidesLaterTwice(const Graph &graph, const Mask &mask, int64_t keys) {
  constexpr double kLowest = std::numeric_limits<float>::lowest();
  const std::optional<Bounds> bounds = LaterKeys{graph, keys}.boundsOf(mask.added);
  if (!bounds || bounds->least < kLowest || mask.later < kLowest)
    return false;
  const float both = static_cast<float>(mask.later) + static_cast<float>(bounds->later);
  return both < bounds->least && both <= bounds->least + kNever; // a large `least` rounds kNever away
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
  Form form;
  if (known)
    form = formOf(*known, [&](int64_t at) {
      return !isTruth ? known->real(at) : known->real(at) != 0 ? 0 : -kInfinity;
    });
  note(form, mask);
  if (form.kind != Kind::Other)
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
  return !std::isfinite(mask.later) || isLearned(graph, mask.added) || !mayHideAll(graph, mask) ||
         hidesLaterTwice(graph, mask, graph.at(scores).shape.back());
}

} // namespace windlass::onnx
