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
  Same,    ///< as Each, but all examples have equal runs, without data
  Each,    ///< runs of elements, each of one example, which take turns; each depends on that example alone
  Sum,     ///< the sum over examples of a term of each
  Number,  ///< one number that is computed from such sums
  Mixture, ///< anything else
};

struct Held {
  Holds how = Holds::Nothing;
  int64_t run = 0;          ///< of Same and Each: neighbours of one example, in row-major order
  bool hasOther = false;    ///< places in the micro-batch count, too, or terms without data
  Operation *met = nullptr; ///< of Sum, Number and Mixture: the operation where examples met first

  bool operator==(const Held &) const = default;
};

using AllHeld = SmallVector<Held>;

bool has(ArrayRef<Held> operands, Holds how) {
  return llvm::any_of(operands, [&](const Held &held) { return held.how == how; });
}

/// The dimension whose index tells an example.
struct Turns {
  unsigned dim = 0;
  int64_t repeats = 1; ///< neighbouring indices of one example

  bool operator==(const Turns &) const = default;
};

int64_t elementsAfter(ArrayRef<int64_t> shape, unsigned dim) {
  return llvm::product_of(shape.drop_front(dim + 1));
}

class Walk {
public:
  Walk(ModuleOp module, int64_t examples) : symbols(module), examples(examples) {}

  /// What each report of a step holds.
  AllHeld reports(StepOp step) {
    llvm::DenseMap<Value, Held> values;
    walk(step.getBody().front(), values);
    return llvm::map_to_vector(step.getBody().front().getOps<ReportOp>(),
                               [&](ReportOp report) { return values.lookup(report.getValue()); });
  }

private:
  void walk(Block &block, llvm::DenseMap<Value, Held> &values) {
    for (Operation &op : block.without_terminator()) {
      AllHeld operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.lookup(operand));
      for (auto [result, held] : llvm::zip_equal(op.getResults(), resultsOf(op, operands)))
        values[result] = held;
    }
  }

  AllHeld resultsOf(Operation &op, const AllHeld &operands) {
    if (auto call = dyn_cast<func::CallOp>(op))
      return resultsOfCall(call, operands);
    if (auto feed = dyn_cast<FeedOp>(op))
      return {ofFeed(feed)};
    AllHeld results = resultsOfCompute(op, operands);
    for (Held &held : results)
      held.hasOther |= llvm::any_of(operands, [](const Held &operand) { return operand.hasOther; });
    return results;
  }

  AllHeld resultsOfCompute(Operation &op, const AllHeld &operands) const {
    if (llvm::any_of(operands, [](const Held &held) { return held.met != nullptr; }))
      return AllHeld(op.getNumResults(), ofSums(op, operands));
    if (!has(operands, Holds::Same) && !has(operands, Holds::Each))
      return AllHeld(op.getNumResults(), ofMade(op));
    const Holds runs = has(operands, Holds::Each) ? Holds::Each : Holds::Same;
    if (std::optional<AllHeld> found = ofRuns(op, operands, runs))
      return *found;
    return AllHeld(op.getNumResults(),
                   runs == Holds::Each ? Held{.how = Holds::Mixture, .met = &op} : Held());
  }

  /// Feeds other than inputs of examples are single numbers, the same for all examples.
  Held ofFeed(FeedOp feed) const {
    ArrayRef<int64_t> shape = typeOf(feed.getValue()).getShape();
    if (!shape.empty() && shape.front() == examples)
      return {.how = Holds::Each, .run = elementsAfter(shape, 0)};
    if (llvm::product_of(shape) == 1)
      return {};
    return {.how = Holds::Mixture, .met = feed};
  }

  AllHeld resultsOfCall(func::CallOp call, const AllHeld &operands) {
    auto function = symbols.lookup<func::FuncOp>(call.getCallee());
    auto &[given, returned] = called[function.getName()];
    if (given == operands)
      return returned;
    llvm::DenseMap<Value, Held> values;
    for (auto [argument, held] : llvm::zip_equal(function.getArguments(), operands))
      values[argument] = held;
    walk(function.front(), values);
    given = operands;
    returned.clear();
    for (Value value : function.front().getTerminator()->getOperands())
      returned.push_back(values.lookup(value));
    return returned;
  }

  /// The dimension of a value of each example that tells the examples apart; none if several together do.
  std::optional<Turns> turnsOf(ArrayRef<int64_t> shape, int64_t run) const {
    for (unsigned dim = 0; run > 0 && dim < shape.size(); ++dim) {
      const int64_t after = elementsAfter(shape, dim);
      if (run < after || run >= after * shape[dim])
        continue;
      const bool isWhole = run % after == 0 && shape[dim] % (run / after * examples) == 0;
      return isWhole ? std::optional(Turns{dim, run / after}) : std::nullopt;
    }
    return std::nullopt;
  }
  std::optional<Turns> turnsOf(Value value, const Held &held) const {
    return turnsOf(typeOf(value).getShape(), held.run);
  }

  /// The results of an op some of whose operands are sums over examples, or mixtures.
  static Held ofSums(Operation &op, const AllHeld &operands) {
    const Held &first = *llvm::find_if(operands, [](const Held &held) { return held.met != nullptr; });
    for (const Held &held : operands)
      if (held.how == Holds::Mixture)
        return held;
    if (isLinearInSums(op, operands))
      return first;
    if (isSumOfTerms(op, operands))
      return {.how = Holds::Sum, .hasOther = true, .met = first.met};
    const bool areNumbers = llvm::all_of(llvm::zip_equal(op.getOperands(), operands), [](const auto &each) {
      const auto &[operand, held] = each;
      return held.how == Holds::Nothing || (held.how != Holds::Each && isNumber(operand));
    });
    return {.how = areNumbers && llvm::all_of(op.getResults(), isNumber) ? Holds::Number : Holds::Mixture,
            .met = first.met};
  }

  /// Whether an op adds or subtracts sums over examples and values without data.
  static bool isSumOfTerms(Operation &op, const AllHeld &operands) {
    auto map = dyn_cast<MapOp>(op);
    const auto isTerm = [](const Held &held) { return held.how == Holds::Nothing || held.how == Holds::Sum; };
    return map && llvm::all_of(operands, isTerm) &&
           llvm::all_of(map.getBody().front().without_terminator(),
                        [](Operation &scalar) { return isa<arith::AddFOp, arith::SubFOp>(scalar); });
  }

  static bool isNumber(Value value) { return typeOf(value).getNumElements() == 1; }

  static bool isLinearInSums(Operation &op, const AllHeld &operands) {
    for (Holds how : {Holds::Same, Holds::Each, Holds::Number})
      if (has(operands, how))
        return false;
    SmallVector<bool> areSums;
    for (const Held &held : operands)
      areSums.push_back(held.how == Holds::Sum);
    auto map = dyn_cast<MapOp>(op);
    auto reduce = dyn_cast<ReduceOp>(op);
    const bool isPlainSum = reduce && reduce.getCombine() == Combine::Sum &&
                            llvm::equal(reduce.getYielded(), reduce.getBody().front().getArguments());
    return isa<ReshapeOp>(op) || isPlainSum || (map && isLinear(map, areSums));
  }

  /// The results of an op without data: an op may spread one value over all examples, as positions, or a
  /// parameter in front of each sequence.
  Held ofMade(Operation &op) const {
    auto map = dyn_cast<MapOp>(op);
    ArrayRef<int64_t> shape = map ? typeOf(map->getResult(0)).getShape() : ArrayRef<int64_t>();
    if (!shape.empty() && shape.front() == examples && repeatsAlong(map->getResult(0), 0))
      return {.how = Holds::Same, .run = elementsAfter(shape, 0)};
    return {};
  }

  /// The results of an op all of whose data is of each example; none if examples may meet. `runs`: Each, or
  /// Same if there is no data.
  std::optional<AllHeld> ofRuns(Operation &op, const AllHeld &operands, Holds runs) const {
    if (isa<ReshapeOp, DropoutOp>(op))
      return AllHeld{operands[0]};
    if (auto attention = dyn_cast<AttentionOp>(op))
      return ofAttention(attention, operands, runs);
    if (auto pad = dyn_cast<PadOp>(op))
      return ofPad(pad, operands[0]);
    if (isa<BatchNormOp>(op) && operands[0].how == runs)
      return AllHeld(op.getNumResults(), operands[0]);
    if (auto embedding = dyn_cast<EmbeddingOp>(op); embedding && operands[0].how == Holds::Each)
      return ofOwnRows(embedding, operands);
    auto stack = dyn_cast<StackOp>(op);
    if (stack && stack.getMap().isFunctionOfDim(stack.getAxis()))
      return ofStack(stack, operands, runs);
    auto space = dyn_cast<IterationSpaceOpInterface>(op);
    return space && !isa<BatchNormOp>(op) ? ofLoops(space, operands, runs) : std::nullopt;
  }

  /// Attention whose queries, keys and values are of each example, and the mask of each example or one for
  /// all.
  std::optional<AllHeld> ofAttention(AttentionOp attention, const AllHeld &operands, Holds runs) const {
    const auto isInFront = [&](Value value, const Held &held) {
      return held.run > 0 && held.run * examples == typeOf(value).getNumElements();
    };
    const size_t inputs = attention.getInputs().size();
    for (size_t i = 0; i < inputs; ++i)
      if (!isInFront(attention->getOperand(i), operands[i]))
        return std::nullopt;
    Value mask = attention.getMask();
    if (static_cast<int64_t>(attention.getBatch()) % examples != 0 ||
        (mask && !isInFront(mask, operands[inputs]) &&
         (operands[inputs].how == Holds::Each || typeOf(mask).getDimSize(0) != 1)))
      return std::nullopt;
    return llvm::map_to_vector(attention->getResults(), [&](Value result) {
      return Held{.how = runs, .run = typeOf(result).getNumElements() / examples};
    });
  }

  /// A value with elements put between or around, in other dimensions than that of the examples.
  std::optional<AllHeld> ofPad(PadOp pad, const Held &input) const {
    const std::optional<Turns> turns = turnsOf(pad.getInput(), input);
    ArrayRef<int64_t> shape = typeOf(pad.getResult()).getShape();
    if (!turns || shape[turns->dim] != typeOf(pad.getInput()).getDimSize(turns->dim))
      return std::nullopt;
    return AllHeld{{.how = input.how, .run = elementsAfter(shape, turns->dim) * turns->repeats}};
  }

  /// Rows that an example picks of its own: their indices are its place and its data.
  std::optional<AllHeld> ofOwnRows(EmbeddingOp embedding, const AllHeld &operands) const {
    const std::optional<Turns> turns = turnsOf(embedding->getOperand(0), operands[0]);
    const Held &indices = operands[1];
    if (!turns || turns->dim != 0 || indices.how != Holds::Each || !indices.hasOther || operands.size() > 2)
      return std::nullopt;
    return AllHeld{
        {.how = Holds::Each, .run = indices.run * typeOf(embedding->getResult(0)).getShape().back()}};
  }

  /// Values side by side in another dimension than that of the examples.
  std::optional<AllHeld> ofStack(StackOp stack, const AllHeld &operands, Holds runs) const {
    const size_t first =
        llvm::find_if(operands, [&](const Held &held) { return held.how == runs; }) - operands.begin();
    const std::optional<Turns> turns = turnsOf(stack->getOperand(first), operands[first]);
    if (!turns || turns->dim == stack.getAxis())
      return std::nullopt;
    bool isPlaced = false;
    for (auto [operand, held] : llvm::zip_equal(stack->getOperands(), operands)) {
      const bool isInTurn = turnsOf(operand, held) == turns;
      if (held.how == Holds::Each && !isInTurn)
        return std::nullopt;
      isPlaced |= !isInTurn && !repeatsAlong(operand, turns->dim);
    }
    const int64_t after = elementsAfter(typeOf(stack.getResult()).getShape(), turns->dim);
    return AllHeld{{.how = runs, .run = after * turns->repeats, .hasOther = isPlaced}};
  }

  /// An op of which one loop walks through the examples.
  std::optional<AllHeld> ofLoops(IterationSpaceOpInterface op, const AllHeld &operands, Holds runs) const {
    const SmallVector<AffineMap> maps = op.getOperandMaps();
    const std::optional<Turns> turns = loopOfExamples(op, operands, maps, runs);
    if (!turns)
      return std::nullopt;
    bool isPlaced = readsIndex(op, turns->dim);
    for (auto [operand, held, map] : llvm::zip_equal(op->getOperands(), operands, maps)) {
      const bool isInTurn = isReadAlong(operand, held, map, *turns);
      if (held.how == Holds::Each && !isInTurn)
        return std::nullopt;
      isPlaced |= !isInTurn && !isAlikeAlong(op, operand, map, *turns);
    }
    const LoopKind kind = op.getLoopKinds()[turns->dim];
    if (kind == LoopKind::Sum)
      return AllHeld(op->getNumResults(), Held{.how = Holds::Sum, .hasOther = isPlaced, .met = op});
    AllHeld results;
    for (auto [result, map] : llvm::zip_equal(op->getResults(), op.getResultMaps())) {
      const std::optional<unsigned> dim = dimAlong(map, turns->dim);
      if (kind != LoopKind::Parallel || !dim)
        return std::nullopt;
      results.push_back({.how = runs,
                         .run = elementsAfter(typeOf(result).getShape(), *dim) * turns->repeats,
                         .hasOther = isPlaced});
    }
    return results;
  }

  /// The loop that walks through the examples of the first operand of each example, as a dimension of the
  /// iteration space.
  std::optional<Turns> loopOfExamples(IterationSpaceOpInterface op, const AllHeld &operands,
                                      ArrayRef<AffineMap> maps, Holds runs) const {
    for (auto [operand, held, map] : llvm::zip_equal(op->getOperands(), operands, maps)) {
      if (held.how != runs)
        continue;
      const std::optional<Turns> turns = turnsOf(operand, held);
      if (!map || !turns)
        return std::nullopt;
      const std::optional<LinearIndex> index = linearIndex(map.getResult(turns->dim));
      const bool isWhole =
          index && index->isPlain() &&
          op.getIterationExtents()[index->terms[0].loop] == typeOf(operand).getDimSize(turns->dim);
      return isWhole ? std::optional(Turns{index->terms[0].loop, turns->repeats}) : std::nullopt;
    }
    return std::nullopt;
  }

  static bool readsIndex(Operation *op, unsigned loop) {
    bool found = false;
    op->walk([&](IndexOp index) { found |= isa<ReduceOp>(op) || index.getDim() == loop; });
    return found;
  }

  /// The index of the map that is the loop; none if there is none, or another index depends on the loop.
  static std::optional<unsigned> dimAlong(AffineMap map, unsigned loop) {
    std::optional<unsigned> found;
    for (unsigned dim = 0; map && dim < map.getNumResults(); ++dim) {
      if (!map.getResult(dim).isFunctionOfDim(loop))
        continue;
      if (found || map.getResult(dim) != getAffineDimExpr(loop, map.getContext()))
        return std::nullopt;
      found = dim;
    }
    return found;
  }

  /// Whether the loop, and nothing else, walks through the examples of an operand.
  bool isReadAlong(Value operand, const Held &held, AffineMap map, const Turns &loop) const {
    const std::optional<Turns> turns = turnsOf(operand, held);
    return turns && turns->repeats == loop.repeats && dimAlong(map, loop.dim) == turns->dim;
  }

  /// Whether an operand that depends on no example is read alike for each example: no index uses the loop,
  /// but for an index modulo a divisor of the neighbours of one example, or in a dimension of equal elements.
  /// Without a map, data decides what is read, and only look-ups in tables are known to read alike.
  static bool isAlikeAlong(Operation *op, Value operand, AffineMap map, const Turns &loop) {
    if (!map)
      return isa<EmbeddingOp>(op);
    return llvm::all_of(llvm::enumerate(map.getResults()), [&](const auto &each) {
      const AffineExpr index = each.value();
      auto period = dyn_cast<AffineBinaryOpExpr>(index);
      const auto length = period && period.getKind() == AffineExprKind::Mod
                              ? dyn_cast<AffineConstantExpr>(period.getRHS())
                              : AffineConstantExpr();
      return !index.isFunctionOfDim(loop.dim) || (length && loop.repeats % length.getValue() == 0) ||
             repeatsAlong(operand, each.index());
    });
  }

  SymbolTable symbols;
  int64_t examples;
  llvm::StringMap<std::pair<AllHeld, AllHeld>> called; ///< by function: arguments and results, last call
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
         llvm::all_of(Walk(imported, examples).reports(evaluate), [](const Held &held) {
           return (held.how == Holds::Nothing || held.how == Holds::Sum) && !held.hasOther;
         });
}

Meeting meetingOfExamples(ModuleOp imported, int64_t examples) {
  auto evaluate = imported.lookupSymbol<StepOp>("evaluate");
  if (!evaluate || examples < 2)
    return {};
  const AllHeld reports = Walk(imported, examples).reports(evaluate);
  for (Holds how : {Holds::Mixture, Holds::Number})
    for (const Held &held : reports)
      if (held.how == how)
        return {.op = held.met, .isOfNumbers = how == Holds::Number};
  return {};
}

} // namespace windlass::graph
