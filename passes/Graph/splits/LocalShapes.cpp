// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/LocalShapes.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"
#include "passes/Graph/splits/Exchanges.h"
#include "passes/Graph/splits/PartialLosses.h"
#include "passes/Graph/splits/SplitShapes.h"
#include <map>

using namespace mlir;

namespace windlass::graph {
namespace {

class Localiser {
public:
  Localiser(Block &block, const SplitChoice &choice, int64_t ranks)
      : block(block), choice(choice), ranks(ranks), builder(block.getParentOp()) {}

  void run();

private:
  /// The placement of a value over ranks.
  struct Lies {
    SplitForm made;
    SmallVector<int64_t> whole;            ///< shape
    bool hasGradient = false;              ///< depends on a trained parameter
    std::map<SplitForm, Value> forms = {}; ///< the values built so far, by form
  };

  void note(Value value);
  void readForms();
  Value inForm(Value value, const SplitForm &form);
  void noteDimensions(Operation *op);
  void setOperands(Operation *op);
  void rewrite(Operation *op);
  void shareHeads(AttentionOp op);
  void shiftIndices(EmbeddingOp op);
  RankColumns columnsOf(int64_t extent, int64_t width);
  void shareColumns(CrossEntropyOp op);
  Value coordinate();

  Block &block;
  const SplitChoice &choice;
  int64_t ranks;
  OpBuilder builder;
  llvm::DenseMap<Value, Lies> lies;
  llvm::DenseMap<Operation *, SmallVector<SplitForm>> asked;
  llvm::DenseMap<Operation *, std::string> ways;
  Value fedCoordinate;
};

void Localiser::note(Value value) {
  lies[value] = {choice.formOf(value), SmallVector<int64_t>(typeOf(value).getShape()),
                 choice.hasGradient(value)};
}

/// Reads all forms of the choice before any shape changes, since the choice depends on shapes.
void Localiser::readForms() {
  for (BlockArgument argument : block.getArguments())
    note(argument);
  for (Operation &op : block) {
    for (Value result : op.getResults())
      note(result);
    if (isa<ReadOp>(op))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      asked[&op].push_back(choice.formAsked(operand));
    ways[&op] = choice.wayOf(&op).str();
  }
}

void Localiser::run() {
  readForms();
  for (auto &[key, lie] : lies)
    if (Value value = key; lie.made.isSplit())
      value.setType(tensorType(localShape(lie.whole, lie.made), typeOf(value).getElementType()));
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (asked.contains(&op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    if (isa<PadOp, ReshapeOp>(op))
      noteDimensions(op);
    setOperands(op);
    rewrite(op);
  }
}

/// The value in the form that a reader needs. New ops are built before the first such reader.
Value Localiser::inForm(Value value, const SplitForm &form) {
  Lies &lie = lies.find(value)->second;
  if (form == lie.made)
    return value;
  if (form.kind == SplitForm::Kind::Varied && !lie.hasGradient)
    return inForm(value, SplitForm::whole());
  if (auto known = lie.forms.find(form); known != lie.forms.end())
    return known->second;
  const ExchangeBuilder exchange{builder, value.getLoc(), ranks};
  Value built;
  if (form.kind == SplitForm::Kind::Varied)
    built = exchange.vary(inForm(value, SplitForm::whole()));
  else if (form.isSplit())
    built = exchange.cut(inForm(value, SplitForm::whole()), form);
  else if (lie.made.isSplit())
    built = exchange.gather(value, lie.made, lie.whole);
  else
    built = exchange.reduce(value);
  return lies.find(value)->second.forms[form] = built;
}

/// Notes which dimensions of operand and result are shared out, if they are.
void Localiser::noteDimensions(Operation *op) {
  const Lies &operand = lies.find(op->getOperand(0))->second, &result = lies.find(op->getResult(0))->second;
  const std::optional<PeriodicPart> from = splitDimension(operand.whole, asked[op].front()),
                                    to = splitDimension(result.whole, result.made);
  if (from && to)
    setSplitDimensions(op, from->of, to->of);
}

void Localiser::setOperands(Operation *op) {
  builder.setInsertionPoint(op);
  for (auto [i, form] : llvm::enumerate(asked[op]))
    op->setOperand(i, inForm(op->getOperand(i), form));
}

void Localiser::rewrite(Operation *op) {
  if (ways[op] == "whole")
    return;
  if (auto attention = dyn_cast<AttentionOp>(op))
    shareHeads(attention);
  else if (auto embedding = dyn_cast<EmbeddingOp>(op))
    shiftIndices(embedding);
  else if (auto loss = dyn_cast<CrossEntropyOp>(op))
    shareColumns(loss);
}

/// Makes an attention one of a rank's heads. Its dropout mask is drawn as part of the mask of all heads.
void Localiser::shareHeads(AttentionOp op) {
  if (op.getDropout())
    op->setAttr(kWithin, builder.getI64IntegerAttr(static_cast<int64_t>(op.getHeads())));
  op.setHeads(op.getHeads() / ranks);
  if (op.getKvHeads()) // a single key head serves all ranks
    op.setKvHeads(std::max<int64_t>(*op.getKvHeads() / ranks, 1));
}

/// A rank's `width` of `extent` rows or columns.
RankColumns Localiser::columnsOf(int64_t extent, int64_t width) {
  return {coordinate(), ranks, width, extent};
}

/// Shifts the indices of a look-up to a rank's rows. Look-ups of other rows give 0.
void Localiser::shiftIndices(EmbeddingOp op) {
  const SplitForm form = asked[op].front();
  const int64_t rowElements = typeOf(op.getTable()).getDimSize(1);
  const RankColumns rows = columnsOf(form.period / rowElements, form.width / rowElements);
  Value indices = op.getIndices();
  op.getIndicesMutable().assign(shiftToRank(builder, op.getLoc(), indices, rows));
  op.setFirst(0);
  auto padding = op->getAttrOfType<IntegerAttr>(kPadding);
  if (!padding)
    return;
  op->removeAttr(kPadding); // it is an index of the whole table, and the op now has a rank's own indices
  builder.setInsertionPointAfter(op);
  Value kept = op.getResult(), masked = detachRow(builder, op.getLoc(), kept, indices, padding.getInt());
  lies.insert({masked, Lies(lies.find(kept)->second)});
  kept.replaceUsesWithIf(masked, [&](OpOperand &use) { return asked.contains(use.getOwner()); });
}

void Localiser::shareColumns(CrossEntropyOp op) {
  const SplitForm form = asked[op].front(); // of the logits: a column is one element
  ResultRange joined = joinLosses(op, columnsOf(form.period, form.width));
  for (auto [old, value] : llvm::zip_equal(op->getResults(), joined))
    lies.insert({value, Lies(lies.find(old)->second)});
  op->replaceAllUsesWith(joined);
  op->erase();
}

Value Localiser::coordinate() {
  if (!fedCoordinate) {
    OpBuilder start = OpBuilder::atBlockBegin(&block);
    fedCoordinate = FeedOp::create(start, block.getParentOp()->getLoc(), tensorType({}, start.getI32Type()),
                                   kTensorCoordinate);
  }
  return fedCoordinate;
}

} // namespace

void makeLocal(Block &block, const SplitChoice &choice, int64_t ranks) {
  Localiser(block, choice, ranks).run();
}

} // namespace windlass::graph
