// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the train step batch norms that normalise with the batch itself.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphCalls.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include "runtime/base/StepItems.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_MATERIALIZEBATCHNORM
#include "passes/Graph/Passes.h.inc"

namespace {

/// The place of a batch norm among those of a micro-batch that keep the same statistics, as the calls of one
/// module do.
struct Turn {
  double momentum = 0;
  int64_t keepers = 1; ///< batch norms with these statistics
  int64_t later = 0;   ///< of these, those that run after this one

  auto operator<=>(const Turn &) const = default;
};

/// Visits the batch norms of a step and of the functions it calls, in the order in which they run. `site`:
/// the op of the step that is one, or calls it.
void forEachNorm(StepOp step, llvm::function_ref<void(Operation *site, BatchNormOp norm)> visit) {
  for (Operation &op : step.getBody().front()) {
    if (auto norm = dyn_cast<BatchNormOp>(op))
      visit(&op, norm);
    auto call = dyn_cast<func::CallOp>(op);
    if (func::FuncOp function = call ? calleeOf(call) : func::FuncOp(); function && !function.isExternal())
      for (auto norm : function.front().getOps<BatchNormOp>())
        visit(&op, norm);
  }
}

/// The turns of the batch norms of each site, in program order.
llvm::DenseMap<Operation *, SmallVector<Turn>> turnsOf(StepOp step) {
  auto keptBy = [](Operation *site, BatchNormOp norm) {
    return stateBehind(norm.getMean(), dyn_cast<func::CallOp>(site));
  };
  llvm::DenseMap<Operation *, int64_t> keepers, before;
  forEachNorm(step, [&](Operation *site, BatchNormOp norm) { ++keepers[keptBy(site, norm)]; });
  llvm::DenseMap<Operation *, SmallVector<Turn>> turns;
  forEachNorm(step, [&](Operation *site, BatchNormOp norm) {
    const StateOp state = keptBy(site, norm);
    const int64_t all = keepers.at(state);
    turns[site].push_back({norm.getMomentum().convertToDouble(), all, all - ++before[state]});
  });
  return turns;
}

/// The weight of a micro-batch's statistics in the running statistics after the step, as with PyTorch's
/// DistributedDataParallel: the running statistics are those of the first rank, and each of its micro-batches
/// updates them. The weight is momentum * (1 - momentum)^later, with `later` the updates that follow in the
/// step; other ranks have the weight 0. Several batch norms that keep the same statistics update them in
/// turn.
struct Share {
  int64_t ranks, microBatches;

  /// `block`: the number of batches of the step before this one, counted rank by rank in each micro-batch.
  Value of(const Scalars &s, Value block, const Turn &turn) const {
    Value number = arith::SIToFPOp::create(s.builder, s.loc, s.builder.getF32Type(), block);
    Value round = math::FloorOp::create(s.builder, s.loc, s.div(number, s.like(number, double(ranks))));
    Value isFirst = s.compare(arith::CmpFPredicate::OEQ, number, s.mul(round, s.like(round, double(ranks))));
    Value later = s.sub(s.like(round, double(microBatches - 1)), round);
    if (turn.keepers > 1) {
      Value turns = s.mul(later, s.like(later, double(turn.keepers)));
      later = s.add(turns, s.like(later, double(turn.later)));
    }
    Value left = power(s, 1 - turn.momentum, later, microBatches * turn.keepers);
    Value share = s.mul(left, s.like(left, turn.momentum));
    return s.select(isFirst, share, s.like(share, 0));
  }

private:
  /// base^exponent of a whole number below `bound`, by its bits: only products, which every machine rounds
  /// alike.
  static Value power(const Scalars &s, double base, Value exponent, int64_t bound) {
    Value bits = arith::FPToSIOp::create(s.builder, s.loc, s.builder.getI32Type(), exponent);
    Value product = s.like(exponent, 1);
    for (int64_t bit = 1; bit < bound; bit *= 2, base *= base) {
      Value masked = arith::AndIOp::create(s.builder, s.loc, bits, s.like(bits, double(bit)));
      Value isSet = s.compare(arith::CmpIPredicate::ne, masked, s.like(bits, 0));
      product = s.select(isSet, s.mul(product, s.like(product, base)), product);
    }
    return product;
  }
};

/// Switches the batch norms of the train step and of the functions it calls.
class TrainingNorms {
public:
  TrainingNorms(StepOp step, Share share)
      : module(step->getParentOfType<ModuleOp>()), step(step), share(share), builder(step.getContext()) {}

  void run() {
    const auto turns = turnsOf(step);
    llvm::MapVector<Operation *, SmallVector<func::CallOp>> callsOf; // by what they call
    for (Operation &op : body())
      if (auto norm = dyn_cast<BatchNormOp>(op))
        norm.getShareMutable().assign(sharedBy(turns.at(&op)[0]));
      else if (turns.contains(&op))
        callsOf[calleeOf(cast<func::CallOp>(op))].push_back(cast<func::CallOp>(op));
    for (auto &[function, calls] : callsOf)
      trainCalls(cast<func::FuncOp>(function), calls, turns);
  }

private:
  Block &body() { return step.getBody().front(); }

  /// A function gets a share for each group of batch norms that take the same turn wherever it is called.
  void trainCalls(func::FuncOp function, ArrayRef<func::CallOp> calls,
                  const llvm::DenseMap<Operation *, SmallVector<Turn>> &turns) {
    const size_t norms = turns.at(calls[0]).size();
    SmallVector<size_t> groupOf, firstOf; // by batch norm; by group
    for (size_t i = 0; i < norms; ++i) {
      auto isAlike = [&](size_t other) {
        return llvm::all_of(calls,
                            [&](func::CallOp call) { return turns.at(call)[i] == turns.at(call)[other]; });
      };
      groupOf.push_back(llvm::find_if(firstOf, isAlike) - firstOf.begin());
      if (groupOf.back() == firstOf.size())
        firstOf.push_back(i);
    }
    func::FuncOp form = trainingForm(function, groupOf, firstOf.size());
    for (func::CallOp call : calls) {
      call.setCallee(form.getName());
      call.getOperandsMutable().append(
          llvm::map_to_vector(firstOf, [&](size_t i) { return sharedBy(turns.at(call)[i]); }));
    }
  }

  /// The share of a batch norm with this turn, as a value of the step.
  Value sharedBy(const Turn &turn) {
    Value &value = shares[turn];
    if (value)
      return value;
    Value block = rowBlock();
    builder.setInsertionPointAfterValue(block);
    RankedTensorType type = tensorType({}, builder.getF32Type());
    return value = buildMap(builder, step.getLoc(), block, identityMap(builder.getContext(), 0), type,
                            [&](const Scalars &s, ValueRange in) { return share.of(s, in[0], turn); });
  }

  /// The feed of the row block, which dropout reads, too.
  Value rowBlock() {
    for (auto feed : body().getOps<FeedOp>())
      if (feed.getItem() == StringRef(kRowBlock))
        return feed.getValue();
    builder.setInsertionPointToStart(&body());
    return FeedOp::create(builder, step.getLoc(), tensorType({}, builder.getI32Type()), kRowBlock);
  }

  /// The function as the train step calls it, with a share for each group of batch norms as its last
  /// arguments; a copy where another step calls it, too.
  func::FuncOp trainingForm(func::FuncOp function, ArrayRef<size_t> groupOf, size_t groups) {
    func::FuncOp form = function;
    auto uses = SymbolTable::getSymbolUses(function, module);
    if (uses && llvm::any_of(*uses, [&](SymbolTable::SymbolUse use) {
          return use.getUser()->getParentOfType<StepOp>() != step;
        })) {
      builder.setInsertionPointAfter(function);
      form = cast<func::FuncOp>(builder.clone(*function));
      form.setName((function.getName() + ".train").str());
    }
    const unsigned arguments = form.getNumArguments();
    for (size_t group = 0; group < groups; ++group)
      (void)form.insertArgument(form.getNumArguments(), tensorType({}, builder.getF32Type()), {},
                                form.getLoc());
    for (auto [norm, group] : llvm::zip_equal(form.front().getOps<BatchNormOp>(), groupOf))
      norm.getShareMutable().assign(form.getArgument(arguments + static_cast<unsigned>(group)));
    return form;
  }

  ModuleOp module;
  StepOp step;
  Share share;
  OpBuilder builder;
  std::map<Turn, Value> shares;
};

/// Whether a step normalises batches, itself or in the functions it calls.
bool normalises(StepOp step) {
  bool found = false;
  forEachNorm(step, [&](Operation *, BatchNormOp) { found = true; });
  return found;
}

struct MaterializeBatchNormPass : impl::MaterializeBatchNormBase<MaterializeBatchNormPass> {
  using MaterializeBatchNormBase::MaterializeBatchNormBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto evaluate = module.lookupSymbol<StepOp>("evaluate"), train = module.lookupSymbol<StepOp>("train");
    if (!evaluate || !normalises(evaluate))
      return;
    if (failed(verifyStatistics(evaluate)))
      return signalPassFailure();
    if (!train) {
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfter(evaluate);
      train = cast<StepOp>(builder.clone(*evaluate));
      train.setName("train");
    }
    TrainingNorms(train, {ranks, microBatches}).run();
  }
};

} // namespace
} // namespace windlass::graph
