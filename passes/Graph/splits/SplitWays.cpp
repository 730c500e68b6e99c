// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/SplitWays.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/splits/TameMaps.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// The form of an operand that is not split, for an op of which each rank runs a part: varied. Operands that
/// are no floats have no gradient, and are whole.
SplitForm unsplit(Value operand) {
  return hasFloatElements(operand) ? SplitForm::varied() : SplitForm::whole();
}

/// Whether the loops and maps of an op alone say how it can be shared out. Not if attributes or the body
/// depend on the place: `causal` compares numbers of queries and keys, a window reads neighbours, and the
/// value of a shared loop differs between ranks.
bool isKnownByLoops(Operation *op) {
  if (auto map = dyn_cast<MapOp>(op))
    return !map.getInputs().empty();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return !reduce.getExtents();
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return !matmul.getOnto();
  return isa<LayerNormOp, RmsNormOp, BatchNormOp>(op);
}

/// Whether the last rank's part of a loop may have padding. Padding must not be summed, so the loop must be
/// parallel; and an op must make finite numbers from padding: a product, or a tame map. Columns of logits are
/// such parts.
bool allowsPadding(Operation *op, LoopKind kind) {
  auto map = dyn_cast<MapOp>(op);
  return kind == LoopKind::Parallel && (map ? isTame(map) : isa<MatmulOp>(op));
}

std::string wordOf(Operation *op, const PeriodicPart &loop, int64_t extent) {
  std::string word = "loop " + std::to_string(loop.of);
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    const unsigned loops = typeOf(matmul.getResult()).getRank() + 1;
    const char *names[] = {"m", "n", "k"};
    if (loop.of + 3 >= loops)
      word = names[loop.of + 3 - loops];
  }
  return extent == loop.period ? word : word + "/" + std::to_string(extent / loop.period);
}

/// The form that a tensor, indexed by `map`, must have if `loop` is shared out: a split if the loop walks
/// through a dimension, nothing if no index uses the loop. False in all other cases.
bool formAlong(Value tensor, AffineMap map, const PeriodicPart &loop, std::optional<SplitForm> &form) {
  if (!map)
    return false;
  bool isElsewhere = false;
  std::optional<unsigned> dim = plainDimension(map, loop.of, isElsewhere);
  if (isElsewhere)
    return false;
  ArrayRef<int64_t> shape = typeOf(tensor).getShape();
  if (dim)
    form = formOf(shape, {*dim, loop.period, loop.width});
  return !dim || splitDimension(shape, *form).has_value();
}

/// The way that shares out a loop.
std::optional<SplitWay> shareLoop(Operation *op, const PeriodicPart &loop, int64_t ranks) {
  auto space = dyn_cast<IterationSpaceOpInterface>(op);
  if (!space || !isKnownByLoops(op) || readsLoopValue(op, loop.of))
    return std::nullopt;
  const LoopKind kind = space.getLoopKinds()[loop.of];
  const int64_t extent = space.getIterationExtents()[loop.of];
  if (kind == LoopKind::Whole || extent % loop.period != 0)
    return std::nullopt;
  if (loop.width * ranks != loop.period && !allowsPadding(op, kind))
    return std::nullopt;
  SplitWay way;
  way.word = wordOf(op, loop, extent);
  for (auto [operand, map] : llvm::zip_equal(op->getOperands(), space.getOperandMaps())) {
    std::optional<SplitForm> form;
    if (!formAlong(operand, map, loop, form))
      return std::nullopt;
    way.reads.push_back(form.value_or(unsplit(operand)));
  }
  for (auto [result, map] : llvm::zip_equal(op->getResults(), space.getResultMaps())) {
    std::optional<SplitForm> form;
    if (!formAlong(result, map, loop, form) || form.has_value() != (kind == LoopKind::Parallel))
      return std::nullopt;
    way.makes.push_back(form.value_or(SplitForm::terms()));
  }
  return way;
}

/// The loop of an op that walks through the split dimension of a tensor.
std::optional<PeriodicPart> loopThrough(Value tensor, AffineMap map, const SplitForm &form) {
  std::optional<PeriodicPart> dim = splitDimension(typeOf(tensor).getShape(), form);
  std::optional<unsigned> loop = dim && map ? plainLoop(map, dim->of) : std::nullopt;
  if (!loop)
    return std::nullopt;
  return PeriodicPart{*loop, dim->period, dim->width};
}

/// The way in which each rank has some query heads, and the key heads that serve them.
std::optional<SplitWay> shareHeads(AttentionOp op, int64_t ranks) {
  const auto heads = static_cast<int64_t>(op.getHeads());
  const auto kvHeads = static_cast<int64_t>(op.getKvHeads().value_or(heads));
  const bool hasOneKeyHead = kvHeads == 1 && op.getInputs().size() == 3; // it serves all query heads
  if (heads % ranks != 0 || (kvHeads % ranks != 0 && !hasOneKeyHead))
    return std::nullopt;
  const int64_t size = typeOf(op.getResult()).getDimSize(1) / heads;
  const SplitForm query = evenSplit(heads * size, ranks);
  SplitWay way;
  way.word = "heads";
  way.reads = {query};
  for (Value keys : op.getInputs().drop_front())
    way.reads.push_back(hasOneKeyHead ? unsplit(keys) : evenSplit(kvHeads * size, ranks));
  if (Value mask = op.getMask()) {
    ArrayRef<int64_t> shape = typeOf(mask).getShape();
    way.reads.push_back(shape[1] == 1 ? unsplit(mask) : evenSplit(shape[1] * shape[2] * shape[3], ranks));
  }
  way.makes = {query, evenSplit(heads * typeOf(op.getLse()).getDimSize(2), ranks)};
  return way;
}

/// The way in which each rank looks up indices in its rows of the table.
SplitWay shareRows(EmbeddingOp op, int64_t ranks) {
  RankedTensorType table = typeOf(op.getTable());
  const PeriodicPart rows{0, table.getDimSize(0), (table.getDimSize(0) + ranks - 1) / ranks};
  return {"rows", {formOf(table.getShape(), rows), SplitForm::whole()}, {SplitForm::terms()}};
}

/// The way in which each rank computes the losses of its columns; the losses of all ranks are joined on every
/// rank.
SplitWay shareColumns(CrossEntropyOp op, int64_t ranks) {
  SplitWay way{"columns",
               {evenSplit(typeOf(op.getLogits()).getShape().back(), ranks), SplitForm::whole()},
               {SplitForm::whole(), SplitForm::whole()}};
  way.moved = 2.0 * static_cast<double>(ranks * typeOf(op.getLosses()).getNumElements());
  return way;
}

/// Whether every rank gets at least one index of a dimension.
bool isEnough(int64_t extent, int64_t ranks) { return (extent + ranks - 1) / ranks * (ranks - 1) < extent; }

/// Whether a value is a state or an argument, perhaps reshaped.
bool comesAsItIs(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return isa<BlockArgument>(value) || value.getDefiningOp<ReadOp>();
}

/// The ways of a product: by columns (n), and by terms (k). Also by rows (m) if the left operand is a
/// parameter, as in a convolution over patches, where rows are channels.
SmallVector<SplitWay> matmulWays(MatmulOp op, int64_t ranks) {
  SmallVector<SplitWay> ways;
  const SmallVector<int64_t> extents = op.getIterationExtents();
  const unsigned loops = extents.size();
  SmallVector<unsigned> open{loops - 2, loops - 1}; // n, k
  if (comesAsItIs(op.getA()) && !comesAsItIs(op.getB()))
    open.push_back(loops - 3); // m
  for (unsigned loop : open) {
    const SplitForm even = evenSplit(extents[loop], ranks);
    if (isEnough(extents[loop], ranks))
      if (auto way = shareLoop(op, {loop, even.period, even.width}, ranks))
        ways.push_back(*way);
  }
  return ways;
}

} // namespace

double flopsOf(Operation *op) {
  auto space = dyn_cast<IterationSpaceOpInterface>(op);
  return space ? space.getFlops() : 0;
}

SplitWay wholeWay(Operation *op) {
  return {"whole", std::vector<SplitForm>(op->getNumOperands(), SplitForm::whole()),
          std::vector<SplitForm>(op->getNumResults(), SplitForm::whole())};
}

SmallVector<SplitWay> ownWays(Operation *op, const SplitScope &scope) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmulWays(matmul, scope.ranks);
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    std::optional<SplitWay> way = shareHeads(attention, scope.ranks);
    return way ? SmallVector<SplitWay>{*way} : SmallVector<SplitWay>{};
  }
  if (!scope.isStep)
    return {};
  if (auto embedding = dyn_cast<EmbeddingOp>(op))
    if (!embedding.getFirst() && !embedding.getOnto() &&
        isEnough(typeOf(embedding.getTable()).getDimSize(0), scope.ranks))
      return {shareRows(embedding, scope.ranks)};
  if (auto loss = dyn_cast<CrossEntropyOp>(op))
    if (loss.getSmoothing().isZero() && typeOf(loss.getLosses()).getRank() == 1 &&
        isEnough(typeOf(loss.getLogits()).getShape().back(), scope.ranks))
      return {shareColumns(loss, scope.ranks)};
  return {};
}

/// The way of a reshape: both shapes have the same split, if each has a dimension for it.
static std::optional<SplitWay> shareReshape(ReshapeOp op, const SplitForm &form) {
  if (!splitDimension(typeOf(op.getInput()).getShape(), form) ||
      !splitDimension(typeOf(op.getResult()).getShape(), form))
    return std::nullopt;
  return SplitWay{"part", {form}, {form}};
}

/// The way of a pad: a dimension that gets no padding can be split. `from`: the shape, of input or result,
/// that has the form.
static std::optional<SplitWay> sharePad(PadOp op, const SplitForm &form, ArrayRef<int64_t> from) {
  ArrayRef<int64_t> input = typeOf(op.getInput()).getShape(), result = typeOf(op.getResult()).getShape();
  std::optional<PeriodicPart> part = splitDimension(from, form);
  if (!part || input[part->of] != result[part->of])
    return std::nullopt;
  SplitWay way{"part", {formOf(input, *part)}, {formOf(result, *part)}};
  const auto is = [&](ArrayRef<int64_t> shape, const SplitForm &split) {
    std::optional<PeriodicPart> found = splitDimension(shape, split);
    return found && found->of == part->of;
  };
  return is(input, way.reads[0]) && is(result, way.makes[0]) ? std::optional(way) : std::nullopt;
}

std::optional<SplitWay> wayThatReads(Operation *op, unsigned operand, const SplitForm &form,
                                     const SplitScope &scope) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return shareReshape(reshape, form);
  if (auto pad = dyn_cast<PadOp>(op))
    return sharePad(pad, form, typeOf(pad.getInput()).getShape());
  auto space = dyn_cast<IterationSpaceOpInterface>(op);
  if (!space || !isKnownByLoops(op))
    return std::nullopt;
  auto loop = loopThrough(op->getOperand(operand), space.getOperandMaps()[operand], form);
  return loop ? shareLoop(op, *loop, scope.ranks) : std::nullopt;
}

std::optional<SplitWay> wayThatMakes(Operation *op, unsigned result, const SplitForm &form,
                                     const SplitScope &scope) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return shareReshape(reshape, form);
  if (auto pad = dyn_cast<PadOp>(op))
    return sharePad(pad, form, typeOf(pad.getResult()).getShape());
  auto space = dyn_cast<IterationSpaceOpInterface>(op);
  if (!space || !isKnownByLoops(op))
    return std::nullopt;
  auto loop = loopThrough(op->getResult(result), space.getResultMaps()[result], form);
  return loop ? shareLoop(op, *loop, scope.ranks) : std::nullopt;
}

} // namespace windlass::graph
