// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/ExamplesApart.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphIndexing.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Graph/placements/Linear.h"
#include "passes/Graph/placements/Repeats.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// How a value depends on the examples of a micro-batch.
enum class Holds : uint8_t {
  Nothing, ///< not at all, nor on their number
  Each,    ///< a run of elements per example, in order; each depends on that example alone
  Sum,     ///< the sum over examples of a term of each
  Mixture, ///< anything else
};

using Held = SmallVector<Holds>;

bool has(ArrayRef<Holds> operands, Holds held) { return llvm::is_contained(operands, held); }

class Walk {
public:
  Walk(ModuleOp module, int64_t examples) : symbols(module), examples(examples) {}

  /// Whether everything that a step reports depends on no example, or is a sum over examples.
  bool areSums(StepOp step) {
    llvm::DenseMap<Value, Holds> values;
    walk(step.getBody().front(), values);
    return llvm::all_of(step.getBody().front().getOps<ReportOp>(), [&](ReportOp report) {
      const Holds held = values.lookup(report.getValue());
      return held == Holds::Nothing || held == Holds::Sum;
    });
  }

private:
  void walk(Block &block, llvm::DenseMap<Value, Holds> &values) {
    for (Operation &op : block.without_terminator()) {
      Held operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.lookup(operand));
      for (auto [result, held] : llvm::zip_equal(op.getResults(), resultsOf(op, operands)))
        values[result] = held;
    }
  }

  Held resultsOf(Operation &op, const Held &operands) {
    if (auto call = dyn_cast<func::CallOp>(op))
      return resultsOfCall(call, operands);
    if (auto feed = dyn_cast<FeedOp>(op))
      return {ofFeed(feed)};
    return Held(op.getNumResults(), ofResults(op, operands));
  }

  /// Feeds other than inputs of examples are single numbers, the same for all examples.
  Holds ofFeed(FeedOp feed) const {
    ArrayRef<int64_t> shape = typeOf(feed.getValue()).getShape();
    if (!shape.empty() && shape.front() == examples)
      return Holds::Each;
    return llvm::product_of(shape) == 1 ? Holds::Nothing : Holds::Mixture;
  }

  Held resultsOfCall(func::CallOp call, const Held &operands) {
    auto function = symbols.lookup<func::FuncOp>(call.getCallee());
    auto &[given, returned] = called[function.getName()];
    if (given == operands)
      return returned;
    llvm::DenseMap<Value, Holds> values;
    for (auto [argument, held] : llvm::zip_equal(function.getArguments(), operands))
      values[argument] = held;
    walk(function.front(), values);
    given = operands;
    returned.clear();
    for (Value value : function.front().getTerminator()->getOperands())
      returned.push_back(values.lookup(value));
    return returned;
  }

  /// The dependence of all results of an op: its rule gives one for all.
  Holds ofResults(Operation &op, const Held &operands) {
    if (has(operands, Holds::Mixture))
      return Holds::Mixture;
    if (has(operands, Holds::Sum))
      return isLinearInSums(op, operands) ? Holds::Sum : Holds::Mixture;
    if (!has(operands, Holds::Each))
      return isMadeForEach(op) ? Holds::Each : Holds::Nothing;
    if (isa<ReshapeOp, DropoutOp>(op))
      return Holds::Each;
    if (auto attention = dyn_cast<AttentionOp>(op))
      return isOfEach(attention, operands) ? Holds::Each : Holds::Mixture;
    if (auto pad = dyn_cast<PadOp>(op))
      return typeOf(pad.getInput()).getDimSize(0) == typeOf(pad.getResult()).getDimSize(0) ? Holds::Each
                                                                                           : Holds::Mixture;
    if (auto stack = dyn_cast<StackOp>(op); stack && !stack.getMap().isFunctionOfDim(stack.getAxis()))
      return ofLoops(cast<IterationSpaceOpInterface>(op), operands);
    if (auto stack = dyn_cast<StackOp>(op))
      return stack.getAxis() > 0 && llvm::all_equal(operands) ? Holds::Each : Holds::Mixture;
    auto space = dyn_cast<IterationSpaceOpInterface>(op);
    return space && !isa<BatchNormOp>(op) ? ofLoops(space, operands) : Holds::Mixture;
  }

  static bool isLinearInSums(Operation &op, const Held &operands) {
    if (has(operands, Holds::Each))
      return false;
    SmallVector<bool> areSums;
    for (Holds held : operands)
      areSums.push_back(held == Holds::Sum);
    auto map = dyn_cast<MapOp>(op);
    auto reduce = dyn_cast<ReduceOp>(op);
    const bool isPlainSum = reduce && reduce.getCombine() == Combine::Sum &&
                            llvm::equal(reduce.getYielded(), reduce.getBody().front().getArguments());
    return isa<ReshapeOp>(op) || isPlainSum || (map && isLinear(map, areSums));
  }

  /// Whether queries, keys and values are of each example, and the mask of each example or one for all.
  bool isOfEach(AttentionOp attention, const Held &operands) const {
    for (auto [i, held] : llvm::enumerate(ArrayRef(operands).take_front(attention.getInputs().size())))
      if (held != Holds::Each)
        return false;
    const bool hasOwnMask = attention.getMask() && operands[attention.getInputs().size()] != Holds::Each;
    return static_cast<int64_t>(attention.getBatch()) % examples == 0 &&
           !(hasOwnMask && typeOf(attention.getMask()).getDimSize(0) != 1);
  }

  /// Whether an op spreads one value over all examples: positions, a parameter in front of each sequence.
  bool isMadeForEach(Operation &op) const {
    auto map = dyn_cast<MapOp>(op);
    ArrayRef<int64_t> shape = map ? typeOf(map->getResult(0)).getShape() : ArrayRef<int64_t>();
    return !shape.empty() && shape.front() == examples && repeatsAlong(map->getResult(0), 0);
  }

  /// An op of which one loop walks through the examples; no other operand may differ along this loop.
  Holds ofLoops(IterationSpaceOpInterface op, const Held &operands) const {
    const SmallVector<AffineMap> maps = op.getOperandMaps();
    const std::optional<unsigned> loop = loopOfExamples(op, operands, maps);
    if (!loop || readsIndex(op, *loop))
      return Holds::Mixture;
    const int64_t perExample = op.getIterationExtents()[*loop] / examples;
    for (auto [held, map] : llvm::zip_equal(operands, maps))
      if (!(held == Holds::Each ? isReadAlong(map, *loop) : isAlikeAlong(op, map, *loop, perExample)))
        return Holds::Mixture;
    if (op.getLoopKinds()[*loop] == LoopKind::Sum)
      return Holds::Sum;
    const bool areRows =
        op.getLoopKinds()[*loop] == LoopKind::Parallel &&
        llvm::all_of(op.getResultMaps(), [&](AffineMap map) { return isReadAlong(map, *loop); });
    return areRows ? Holds::Each : Holds::Mixture;
  }

  /// The loop that walks through the first dimension of operands of each example.
  std::optional<unsigned> loopOfExamples(IterationSpaceOpInterface op, const Held &operands,
                                         ArrayRef<AffineMap> maps) const {
    for (auto [operand, held, map] : llvm::zip_equal(op->getOperands(), operands, maps)) {
      if (held != Holds::Each)
        continue;
      ArrayRef<int64_t> shape = typeOf(operand).getShape();
      if (!map || shape.empty() || shape.front() % examples != 0)
        return std::nullopt;
      const std::optional<LinearIndex> index = linearIndex(map.getResult(0));
      const bool isWhole =
          index && index->isPlain() && op.getIterationExtents()[index->terms[0].loop] == shape.front();
      return isWhole ? std::optional(index->terms[0].loop) : std::nullopt;
    }
    return std::nullopt;
  }

  static bool readsIndex(Operation *op, unsigned loop) {
    bool found = false;
    op->walk([&](IndexOp index) { found |= isa<ReduceOp>(op) || index.getDim() == loop; });
    return found;
  }

  /// Whether the loop is the first index of the map, and part of no other index.
  static bool isReadAlong(AffineMap map, unsigned loop) {
    if (!map || map.getNumResults() == 0 || map.getResult(0) != getAffineDimExpr(loop, map.getContext()))
      return false;
    return llvm::none_of(map.getResults().drop_front(),
                         [&](AffineExpr index) { return index.isFunctionOfDim(loop); });
  }

  /// Whether an operand that depends on no example is read alike for each example: no index uses the loop,
  /// but for an index modulo a divisor of `perExample`. Without a map, data decides what is read, and only
  /// look-ups in tables are known to read alike.
  static bool isAlikeAlong(Operation *op, AffineMap map, unsigned loop, int64_t perExample) {
    if (!map)
      return isa<EmbeddingOp>(op);
    return llvm::all_of(map.getResults(), [&](AffineExpr index) {
      auto period = dyn_cast<AffineBinaryOpExpr>(index);
      const auto length = period && period.getKind() == AffineExprKind::Mod
                              ? dyn_cast<AffineConstantExpr>(period.getRHS())
                              : AffineConstantExpr();
      return !index.isFunctionOfDim(loop) || (length && perExample % length.getValue() == 0);
    });
  }

  SymbolTable symbols;
  int64_t examples;
  llvm::StringMap<std::pair<Held, Held>> called; ///< by function: its arguments and results at the last call
};

} // namespace

std::vector<double> numbersOf(ModuleOp imported) {
  std::vector<double> numbers;
  imported.walk([&](arith::ConstantOp constant) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      numbers.push_back(number.getValueAsDouble());
  });
  return numbers;
}

bool areExamplesApart(ModuleOp imported, int64_t examples) {
  auto evaluate = imported.lookupSymbol<StepOp>("evaluate");
  return evaluate && examples > 1 && llvm::none_of(imported.getOps<StateOp>(), isStatistic) &&
         Walk(imported, examples).areSums(evaluate);
}

} // namespace windlass::graph
