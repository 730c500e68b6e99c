// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule of each op: from the placements of its operands to the placements of its results.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"
#include "passes/Graph/placements/Linear.h"
#include "passes/Graph/placements/Placements.h"
#include "passes/Graph/placements/Repeats.h"
#include "passes/Graph/placements/ShapeRules.h"

using namespace mlir;

namespace windlass::graph {
namespace {

using Kind = Placement::Kind;
using Result = FailureOr<Placements>;

/// A loop that ranks share out, each with `width` of every ranks * width iterations.
struct SharedLoop {
  unsigned loop;
  unsigned dimension; ///< of the tensor, through which it walks
  int64_t width;
  bool isOnce;    ///< a rank's part holds one such run: the loop ends where the part ends
  int dimensions; ///< of the tensor that may be the split one
};

/// The loops that may walk through the split dimension of a tensor; `extents`: of all loops. If a rank has
/// one index of a dimension, there may be several. A loop may walk through a tile of a rank's part if the
/// part is one run.
SmallVector<SharedLoop> loopsThrough(Value tensor, AffineMap map, const Placement &placement,
                                     ArrayRef<int64_t> extents) {
  SmallVector<SharedLoop> loops;
  ArrayRef<int64_t> shape = typeOf(tensor).getShape();
  int64_t inner = 1;
  int dimensions = 0; // that may be the split one
  for (unsigned dim = shape.size(); map && dim-- > 0; inner *= shape[dim]) {
    if (!maySplit(shape, dim, placement.width))
      continue;
    ++dimensions;
    std::optional<LinearIndex> index = linearIndex(map.getResult(dim));
    const bool isOneRun = shape[dim] * inner == placement.width;
    if (isOneRun && index && index->terms.size() == 1 && index->terms[0].factor == 1 &&
        extents[index->terms[0].loop] < shape[dim])
      loops.push_back({index->terms[0].loop, dim, extents[index->terms[0].loop], true, 0});
    else if (index && index->isPlain())
      loops.push_back({index->terms[0].loop, dim, placement.width / inner, isOneRun, 0});
  }
  for (SharedLoop &loop : loops)
    loop.dimensions = dimensions;
  return loops;
}

/// Whether every user of the op's results adds up terms.
bool areExchangedAsTerms(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<AllReduceOp, ReduceScatterOp>(user);
  });
}

/// The rule of an op with loops: tries which of the loops the ranks share out.
class LoopRule {
public:
  LoopRule(IterationSpaceOpInterface op, const Placements &operands, int64_t ranks, bool isBackward)
      : op(op), operands(operands), ranks(ranks), isBackward(isBackward), maps(op.getOperandMaps()),
        kinds(op.getLoopKinds()), extents(op.getIterationExtents()) {}

  /// The candidate placements of the results, the likeliest first. Without any, `why` says what is wrong with
  /// the first loop that was tried.
  Ways apply(std::string &why) {
    Ways found;
    for (auto [i, placement] : llvm::enumerate(operands)) {
      if (!placement.is(Kind::Split))
        continue;
      SmallVector<SharedLoop> candidates = loopsThrough(op->getOperand(i), maps[i], placement, extents);
      // The shared loop may be ambiguous: 8 of 16 elements may be half of a row, or one of two rows. The loop
      // through the dimension that is likely comes first, then loops that end where the part ends. Of these,
      // parallel loops (parts) come before sum loops (terms), unless all users add up terms.
      SmallVector<LoopKind> order{LoopKind::Parallel, LoopKind::Sum};
      if (areExchangedAsTerms(op))
        std::swap(order[0], order[1]);
      auto add = [&](const SharedLoop &shared) {
        if (std::optional<Placements> results = share(shared, why))
          addWay(found, std::move(*results));
      };
      for (const SharedLoop &shared : candidates)
        if (shared.dimension == placement.dimension)
          add(shared);
      for (bool isOnce : {true, false})
        for (LoopKind kind : order)
          for (const SharedLoop &shared : candidates)
            if (kinds[shared.loop] == kind && shared.isOnce == isOnce)
              add(shared);
      if (std::optional<SharedLoop> parallel = parallelAmongSums(candidates); parallel && found.empty()) {
        areRepeatsTrusted = true;
        if (std::optional<Placements> results = share(*parallel, why))
          found = {std::move(*results)};
      }
      if (candidates.empty() && why.empty())
        why = "no loop walks through what is split of operand " + std::to_string(i);
      break;
    }
    if (found.empty() && why.empty())
      why = "goes through a row as a whole, of which each rank has a part";
    return found;
  }

private:
  /// The parallel loop, if only sum loops walk through the other dimensions that may be the split one. What
  /// it makes are parts, and what they make are terms, so that exchanges behind the op tell one from the
  /// other.
  std::optional<SharedLoop> parallelAmongSums(ArrayRef<SharedLoop> candidates) {
    const auto isParallel = [&](SharedLoop shared) { return kinds[shared.loop] == LoopKind::Parallel; };
    if (candidates.empty() || static_cast<int>(candidates.size()) != candidates.front().dimensions ||
        llvm::count_if(candidates, isParallel) != 1)
      return std::nullopt;
    return *llvm::find_if(candidates, isParallel);
  }

  /// Whether ranks that share out the loop read different elements of an operand that is not split. A
  /// dimension along which the operand repeats one number does not count, if the loop is one run, or the only
  /// candidate, or the parallel one among sum loops that suit no operands.
  bool readsInParts(unsigned i, SharedLoop shared) {
    for (unsigned dim = 0; dim < maps[i].getNumResults(); ++dim) {
      const AffineExpr index = maps[i].getResult(dim);
      const bool repeats = (shared.isOnce || shared.dimensions == 1 || areRepeatsTrusted) &&
                           index == getAffineDimExpr(shared.loop, op->getContext()) &&
                           repeatsAlong(op->getOperand(i), dim);
      if (index.isFunctionOfDim(shared.loop) && !repeats)
        return true;
    }
    return false;
  }

  /// Whether the placement of an operand allows the shared loop; else `why` says what is wrong.
  bool fits(unsigned i, SharedLoop shared, std::string &why) {
    const Placement &placement = operands[i];
    const std::string name = "operand " + std::to_string(i);
    if (placement.is(Kind::Own))
      return true;
    if (placement.is(Kind::Split)) {
      if (llvm::any_of(loopsThrough(op->getOperand(i), maps[i], placement, extents), [&](SharedLoop other) {
            return other.loop == shared.loop && other.width == shared.width;
          }))
        return true;
      why = name + " is split along another loop";
      return false;
    }
    const bool isRead = !maps[i] || readsInParts(i, shared);
    if (placement.is(Kind::Terms) || isRead) {
      why = name + " is " + describe(placement) + (isRead ? ", but read in parts" : "");
      return false;
    }
    if (placement.is(Kind::Whole) && !isBackward && hasFloatElements(op->getOperand(i))) {
      why = name + " is whole and was not varied";
      return false;
    }
    return true;
  }

  std::optional<Placements> share(SharedLoop shared, std::string &why) {
    std::string wrong;
    for (unsigned i = 0; i < operands.size(); ++i)
      if (!fits(i, shared, wrong))
        break;
    const bool hasOwn = llvm::any_of(operands, [](const Placement &p) { return p.is(Kind::Own); });
    if (wrong.empty() && readsLoopValue(op, shared.loop) && !hasOwn)
      wrong = "reads the value of a loop that ranks share out, without their coordinate";
    Placements results;
    for (auto [result, map] : llvm::zip_equal(op->getResults(), op.getResultMaps()))
      if (std::optional<Placement> placement = ofResult(result, map, shared))
        results.push_back(*placement);
      else if (wrong.empty())
        wrong = "ranks that share out its loop make parts of no result";
    if (wrong.empty())
      return results;
    if (why.empty())
      why = wrong;
    return std::nullopt;
  }

  std::optional<Placement> ofResult(Value result, AffineMap map, SharedLoop shared) {
    if (kinds[shared.loop] == LoopKind::Sum)
      return Placement{Kind::Terms};
    ArrayRef<int64_t> shape = typeOf(result).getShape();
    int64_t inner = 1;
    for (unsigned dim = shape.size(); map && dim-- > 0; inner *= shape[dim])
      if (auto index = linearIndex(map.getResult(dim));
          index && index->isPlain() && index->terms[0].loop == shared.loop)
        return Placement::split(ranks * inner * shared.width, inner * shared.width, dim);
    return std::nullopt;
  }

  IterationSpaceOpInterface op;
  const Placements &operands;
  int64_t ranks;
  bool isBackward;
  bool areRepeatsTrusted = false; ///< of parallelAmongSums()
  SmallVector<AffineMap> maps;
  SmallVector<LoopKind> kinds;
  SmallVector<int64_t> extents;
};

bool any(const Placements &operands, Kind kind) {
  return llvm::any_of(operands, [&](const Placement &placement) { return placement.is(kind); });
}

/// Whether an op makes integers, through which no gradient flows.
bool makesIntegers(Operation *op) {
  return llvm::none_of(op->getResults(), [](Value result) { return hasFloatElements(result); });
}

/// The rule of an op that all ranks run alike, or each rank on its own numbers.
Result placeAlike(Operation *op, const Placements &operands, bool isBackward) {
  Placement result{Kind::Free};
  if (isBackward && (any(operands, Kind::Whole) || any(operands, Kind::Varied)))
    result = {Kind::Whole};
  else if (any(operands, Kind::Whole))
    result = {Kind::Whole};
  else if (any(operands, Kind::Varied))
    result = {Kind::Varied};
  if (!isBackward && any(operands, Kind::Whole) && any(operands, Kind::Varied))
    return op->emitOpError("reads a whole value beside a varied one");
  if (any(operands, Kind::Own)) {
    if (!isBackward && !result.is(Kind::Free) && !makesIntegers(op))
      return op->emitOpError("reads a ") << describe(result) << " value beside each rank's own";
    result = {Kind::Own};
  }
  return Placements(op->getNumResults(), result);
}

/// The rule of an op that reads terms: it must be linear in them.
Result placeTerms(Operation *op, const Placements &operands) {
  SmallVector<bool> areTerms;
  for (const Placement &placement : operands)
    areTerms.push_back(placement.is(Kind::Terms));
  auto map = dyn_cast<MapOp>(op);
  const bool standsBeside = isa<StackOp>(op) && !llvm::is_contained(areTerms, false);
  if (any(operands, Kind::Split) || any(operands, Kind::Own) ||
      !(isa<ReshapeOp>(op) || standsBeside || (map && isLinear(map, areTerms))))
    return op->emitOpError("reads terms, whose sum it would need");
  return Placements(op->getNumResults(), Placement{Kind::Terms});
}

/// The placement of a stack whose inputs are all split along its axis, with one run of each on a rank: the
/// stacked runs are one run. Else none.
std::optional<Placement> placeBeside(StackOp op, const Placements &operands, int64_t ranks) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  const auto axis = static_cast<unsigned>(op.getAxis());
  const int64_t inner = llvm::product_of(shape.drop_front(axis + 1));
  for (auto [part, placement] : llvm::zip_equal(op.getInputs(), operands))
    if (typeOf(part).getRank() != typeOf(op.getResult()).getRank() || !placement.is(Kind::Split) ||
        placement.width != typeOf(part).getDimSize(axis) * inner)
      return std::nullopt;
  return Placement::split(ranks * shape[axis] * inner, shape[axis] * inner);
}

/// Whether each operand is placed as its width says: split, with so many elements on a rank; or, of width 0,
/// neither split nor terms and, if the op is differentiated, not whole.
bool areSplit(const Placements &operands, ArrayRef<int64_t> widths, bool isBackward) {
  return llvm::all_of(llvm::zip_equal(operands, widths), [&](auto pair) {
    auto [placement, width] = pair;
    if (placement.is(Kind::Split))
      return placement.width == width;
    return width == 0 && !placement.is(Kind::Terms) && (isBackward || !placement.is(Kind::Whole));
  });
}

/// The elements that a rank has of each input of an attention, of its mask, and of the operands of its
/// dropout; 0 for operands that are not split. A mask of one head is for all heads, and so are keys and
/// values of one head, unless their placement is a split, of which the rank has one head. `placements`: of
/// inputs and mask.
template <typename OpT> SmallVector<int64_t> widthsOf(OpT op, ArrayRef<Placement> placements) {
  auto heads = static_cast<int64_t>(op.getHeads()),
       kvHeads = static_cast<int64_t>(op.getKvHeads().value_or(heads));
  const bool isPacked = op.getInputs().size() == 1;
  const int64_t size = typeOf(op.getInputs()[0]).getDimSize(1) / (isPacked ? 3 : 1) / heads;
  SmallVector<int64_t> widths{heads * size};
  if (!isPacked)
    for (const Placement &ofKeys : placements.slice(1, 2))
      widths.push_back(kvHeads == 1 && !ofKeys.is(Kind::Split) ? 0 : kvHeads * size);
  if (Value mask = op.getMask()) {
    ArrayRef<int64_t> shape = typeOf(mask).getShape();
    const bool isOfAll = shape[1] == 1 && !placements[widths.size()].is(Kind::Split);
    widths.push_back(isOfAll ? 0 : shape[1] * shape[2] * shape[3]);
  }
  widths.append(op.getRandom().size(), 0);
  return widths;
}

Result placeAttention(AttentionOp op, const Placements &operands, int64_t ranks, bool isBackward) {
  SmallVector<int64_t> widths = widthsOf(op, operands);
  if (!areSplit(operands, widths, isBackward))
    return op.emitOpError("has some heads, but not of every operand");
  const int64_t rows = static_cast<int64_t>(op.getHeads()) * typeOf(op.getLse()).getDimSize(2);
  return Placements{Placement::split(ranks * widths[0], widths[0]), Placement::split(ranks * rows, rows)};
}

Result placeAttentionGrad(AttentionGradOp op, const Placements &operands) {
  const ArrayRef<Placement> placements = ArrayRef(operands).drop_front(3);
  SmallVector<int64_t> inputs = widthsOf(op, placements);
  SmallVector<int64_t> widths{inputs[0], inputs[0],
                              static_cast<int64_t>(op.getHeads()) * typeOf(op.getLse()).getDimSize(2)};
  widths.append(inputs);
  if (!areSplit(operands, widths, /*isBackward=*/true))
    return op.emitOpError("has some heads, but not of every operand");
  Placements results; // the gradient of an input that all heads read is terms
  for (unsigned i = 0; i < op.getInputs().size() + (op.hasMaskGradient() ? 1 : 0); ++i)
    results.push_back(inputs[i] ? placements[i] : Placement{Kind::Terms});
  return results;
}

/// The rule of dropout: elements of a part are dropped by their place in the whole tensor.
Result placeDropout(DropoutOp op, const Placement &operand) {
  auto whole = op->getAttrOfType<DenseI64ArrayAttr>(kWithin);
  if (!whole || llvm::product_of(whole.asArrayRef()) != operand.period)
    return op.emitOpError("drops elements of a part, but does not say of which tensor");
  return Placements{operand};
}

/// The rule of a look-up of a rank's own indices in a table that every rank has.
Result placeLookUpOfRows(EmbeddingOp op, const Placements &operands, int64_t ranks, bool isBackward) {
  RankedTensorType indices = typeOf(op.getIndices());
  const bool isVaried = operands[0].is(Kind::Varied) || operands[0].is(Kind::Free) || isBackward;
  if (!isVaried || operands[1].width != indices.getNumElements())
    return op.emitOpError("looks up a rank's indices in a table that is ") << describe(operands[0]);
  const int64_t elements = typeOf(op.getResult()).getNumElements();
  return Placements{Placement::split(ranks * elements, elements)};
}

/// The rule of a look-up in a rank's rows of a table, by indices of its own.
Result placeLookUp(EmbeddingOp op, const Placements &operands) {
  if (operands[0].width != typeOf(op.getTable()).getNumElements() || !operands[1].is(Kind::Own) ||
      !op.getFirst())
    return op.emitOpError("looks up in rows of its table, but not by indices of these");
  return Placements{{Kind::Terms}};
}

/// The rule of a cross-entropy: the losses of a rank's columns are the rank's own.
Result placeLosses(CrossEntropyOp op, const Placements &operands) {
  if (operands[0].width != typeOf(op.getLogits()).getShape().back() || !operands[1].is(Kind::Own))
    return op.emitOpError("has columns of its logits, but not labels of these");
  return Placements(2, Placement{Kind::Own});
}

/// The rule of the gradient of a table: from whole rows and a rank's own indices comes the gradient of the
/// rank's rows.
Result placeTableGradient(EmbeddingGradOp op, const Placements &operands, int64_t ranks) {
  if (operands[0].is(Kind::Split) || operands[0].is(Kind::Terms))
    return op.emitOpError("adds rows of ") << describe(operands[0]) << " gradients";
  const int64_t elements = typeOf(op.getResult()).getNumElements();
  return Placements{Placement::split(ranks * elements, elements)};
}

/// The single candidate of an op whose rule is not ambiguous.
FailureOr<Ways> onlyWay(const Result &results) {
  return failed(results) ? FailureOr<Ways>(failure()) : Ways{*results};
}

FailureOr<Ways> placeInParts(Operation *op, const Placements &operands, int64_t ranks, bool isBackward) {
  if (auto attention = dyn_cast<AttentionOp>(op))
    return onlyWay(placeAttention(attention, operands, ranks, isBackward));
  if (auto attention = dyn_cast<AttentionGradOp>(op))
    return onlyWay(placeAttentionGrad(attention, operands));
  if (auto embedding = dyn_cast<EmbeddingOp>(op))
    return onlyWay(operands[0].is(Kind::Split) ? placeLookUp(embedding, operands)
                                               : placeLookUpOfRows(embedding, operands, ranks, isBackward));
  if (auto dropout = dyn_cast<DropoutOp>(op))
    return onlyWay(placeDropout(dropout, operands[0]));
  if (auto loss = dyn_cast<CrossEntropyOp>(op))
    return onlyWay(placeLosses(loss, operands));
  if (auto stack = dyn_cast<StackOp>(op))
    if (std::optional<Placement> beside = placeBeside(stack, operands, ranks))
      return Ways{{*beside}};
  if (auto pad = dyn_cast<PadOp>(op))
    if (Ways ways = placePad(pad, operands[0], ranks); !ways.empty())
      return ways;
  auto space = dyn_cast<IterationSpaceOpInterface>(op);
  if (!space)
    return op->emitOpError("has no rule for what ranks have parts of");
  std::string why;
  if (Ways ways = LoopRule(space, operands, ranks, isBackward).apply(why); !ways.empty())
    return ways;
  return op->emitOpError("cannot be run in parts: ") << why;
}

Result placeMade(Operation *op, const Placements &operands, int64_t ranks, bool isBackward, OpenWays &open) {
  if (auto gradient = dyn_cast<EmbeddingGradOp>(op); gradient && operands[1].is(Kind::Own))
    return placeTableGradient(gradient, operands, ranks);
  if (any(operands, Kind::Terms))
    return placeTerms(op, operands);
  if (!isa<ReshapeOp>(op) && !any(operands, Kind::Split))
    return placeAlike(op, operands, isBackward);
  auto reshape = dyn_cast<ReshapeOp>(op);
  FailureOr<Ways> ways = reshape ? FailureOr<Ways>(placeReshape(reshape, operands[0]))
                                 : placeInParts(op, operands, ranks, isBackward);
  return failed(ways) ? Result(failure()) : Result((*ways)[open.take(op, ways->size())]);
}

} // namespace

Result placeResults(Operation *op, const Placements &operands, int64_t ranks, bool isBackward,
                    OpenWays &open) {
  auto adds = dyn_cast<AccumulatingOpInterface>(op);
  Value onto = adds ? adds.getOnto() : Value();
  if (!onto || !(any(operands, Kind::Split) || any(operands, Kind::Terms)))
    return placeMade(op, operands, ranks, isBackward, open);
  // The op adds its product to `onto`, the sum of earlier tiles, which must have the placement of the
  // product.
  Placements others = operands;
  const auto place = llvm::find(op->getOperands(), onto) - op->operand_begin();
  others[place] = {Kind::Own}; // fits beside any part
  Result results = placeMade(op, others, ranks, isBackward, open);
  if (succeeded(results) && !results->front().hasElementsOf(operands[place]))
    return op->emitOpError("adds ") << describe(results->front()) << " to " << describe(operands[place]);
  return results;
}

} // namespace windlass::graph
