// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites gradients of whole parameters as sums over ranks, each rank's term from its own rows.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Graph/rows/OwnRows.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_SPLITROWSUMS
#include "passes/Graph/SplitPasses.h.inc"

namespace {

/// Rewrites sums over all rows, and ops on such sums, to this rank's terms.
class TermsOfSums {
public:
  explicit TermsOfSums(int64_t ranks) : ranks(ranks) {}

  /// This rank's term of `sum`; null if `sum` is no sum over rows.
  Value of(Value sum) {
    if (Value known = terms.lookup(sum))
      return known;
    Operation *op = sum.getDefiningOp();
    if (!op)
      return {};
    Operation *made = isa<ReduceOp, EmbeddingGradOp>(op) ? sumOwnRows(op)
                      : isa<MapOp, ReshapeOp>(op)        ? computeOnTerms(op)
                                                         : nullptr;
    if (!made)
      return {};
    for (auto [whole, own] : llvm::zip_equal(op->getResults(), made->getResults()))
      terms[whole] = own;
    replaced.push_back(op);
    return terms.lookup(sum);
  }

  /// Erases the sums over all rows that have no users any more.
  void eraseUnread() {
    for (Operation *op : llvm::reverse(replaced))
      if (op->use_empty())
        op->erase();
  }

private:
  Operation *sumOwnRows(Operation *op) {
    std::optional<SplitWay> way;
    for (unsigned i = 0; i < op->getNumOperands() && !way; ++i)
      way = rowWay(op, i, ranks, RowUse::Sum);
    if (!way)
      return nullptr;
    OpBuilder builder(op);
    Operation *own = op->clone();
    for (auto [i, form] : llvm::enumerate(way->reads))
      if (form.isSplit())
        own->setOperand(i, ownRows(builder, op, op->getOperand(i)));
    builder.insert(own);
    return own;
  }

  Value ownRows(OpBuilder &builder, Operation *op, Value whole) {
    Operation *last = builder.getInsertionPoint() == op->getBlock()->begin() ? nullptr : op->getPrevNode();
    Value own = RowExchange{builder, op->getLoc(), ranks}.own(whole);
    for (Operation *made = last ? last->getNextNode() : &op->getBlock()->front(); made != op;
         made = made->getNextNode())
      setPhase(made, phaseOf(op));
    return own;
  }

  /// Repeats an op, a cast or an addition of sums, on terms. `verify-splits` refuses ops that are not linear.
  Operation *computeOnTerms(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      if (Value own = of(operand))
        operands.push_back(own);
      else
        return nullptr;
    OpBuilder builder(op);
    Operation *own = builder.clone(*op);
    own->setOperands(operands);
    return own;
  }

  int64_t ranks;
  llvm::DenseMap<Value, Value> terms;
  SmallVector<Operation *> replaced; ///< ops come after the ops that they read
};

struct SplitRowSumsPass : impl::SplitRowSumsBase<SplitRowSumsPass> {
  void runOnOperation() override {
    TermsOfSums terms(tensorRanksOf(getOperation()));
    SmallVector<AllReduceOp> sums;
    getOperation().walk([&](AllReduceOp sum) {
      if (sum.getOwnRows())
        sums.push_back(sum);
    });
    for (AllReduceOp sum : sums) {
      Value own = terms.of(sum.getInput());
      if (!own) {
        sum.emitOpError("adds sums over each rank's own rows, but its operand is none");
        return signalPassFailure();
      }
      sum.getInputMutable().assign(own);
      sum.setOwnRows(false);
    }
    terms.eraseUnread();
  }
};

} // namespace
} // namespace windlass::graph
