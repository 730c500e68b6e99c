// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/rows/RowChoice.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"

using namespace mlir;

namespace windlass::graph {

RowChoice::RowChoice(Block &block, int64_t ranks, const RowBoundaries &called, const ArgumentKinds &kinds,
                     ArrayRef<bool> inRows)
    : ranks(ranks), called(&called) {
  for (BlockArgument argument : block.getArguments()) {
    const unsigned i = argument.getArgNumber();
    if (kinds.areWhole[i])
      whole.insert(argument);
    if (kinds.areReached[i] && hasFloatElements(argument))
      reached.insert(argument);
    if (i < inRows.size() && inRows[i])
      rows.insert(argument);
  }
  for (Operation &op : block.without_terminator())
    visit(&op);
  pullProducers();
}

/// Whether all ranks run the op alike, on whole values.
bool RowChoice::isWholeOp(Operation *op) const {
  if (auto feed = dyn_cast<FeedOp>(op))
    return feed.getItem() != kTensorCoordinate;
  if (auto read = dyn_cast<ReadOp>(op)) {
    auto state = SymbolTable::lookupNearestSymbolFrom<StateOp>(op, read.getStateAttr());
    return state && !splitOf(state);
  }
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return !gather.getVaried();
  if (isa<AllReduceOp, func::CallOp>(op)) // arguments and results of layers are whole
    return true;
  return !isa<VaryOp, ReduceScatterOp, OwnPartOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return whole.contains(operand); });
}

void RowChoice::visit(Operation *op) {
  if (isa<ReadOp>(op) || llvm::any_of(op->getOperands(), [&](Value v) { return reached.contains(v); }))
    for (Value result : op->getResults())
      if (hasFloatElements(result))
        reached.insert(result);
  if (!isWholeOp(op))
    return;
  whole.insert(op->result_begin(), op->result_end());
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto boundary = called->find(calleeOf(call));
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      if (boundary != called->end() && boundary->second.results[i])
        rows.insert(result);
    return;
  }
  if (isa<AllReduceOp>(op)) {
    if (rowForm(op->getResult(0), ranks))
      rows.insert(op->getResult(0));
    return;
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!rows.contains(operand))
      continue;
    std::optional<SplitWay> way = rowWay(op, i, ranks, RowUse::RowByRow);
    auto needsAll = [&](auto read) {
      return !std::get<0>(read).isSplit() && rows.contains(std::get<1>(read));
    };
    if (!way || llvm::any_of(llvm::zip_equal(way->reads, op->getOperands()), needsAll))
      continue;
    ways[op] = *way;
    rows.insert(op->result_begin(), op->result_end());
    return;
  }
}

/// Whether an op can be moved to rows for its readers: a look-up, or an op on look-ups, whose readers all
/// read rows.
bool RowChoice::mayPull(Operation *producer) const {
  if (!producer || ways.contains(producer) || producer->getNumResults() != 1 || !isWholeOp(producer) ||
      !isa<EmbeddingOp>(producer))
    return false;
  return llvm::all_of(producer->getUses(), [&](OpOperand &use) {
    auto reader = ways.find(use.getOwner());
    return reader != ways.end() && reader->second.reads[use.getOperandNumber()].isSplit();
  });
}

/// Moves producers to rows if their results are added to rows and they can make single rows; otherwise
/// gradients would have to be gathered.
void RowChoice::pullProducers() {
  SmallVector<Operation *> readers;
  for (auto &[op, way] : ways)
    readers.push_back(op);
  for (Operation *reader : llvm::reverse(readers))
    for (auto [i, operand] : llvm::enumerate(reader->getOperands())) {
      Operation *producer = operand.getDefiningOp();
      if (!ways.find(reader)->second.reads[i].isSplit() || rows.contains(operand) || !mayPull(producer))
        continue;
      if (std::optional<SplitWay> way = rowWay(producer, 1, ranks, RowUse::RowByRow)) { // along its indices
        ways[producer] = *way;
        rows.insert(operand);
      }
    }
}

} // namespace windlass::graph
