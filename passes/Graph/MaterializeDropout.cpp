// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the train step its dropout, and takes it from the other steps.

#include "dialects/Graph/IR/GraphSplits.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include "runtime/base/StepItems.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_MATERIALIZEDROPOUT
#include "passes/Graph/Passes.h.inc"

namespace {

/// The dropout rate of an op; 0 without one.
double rateOf(Operation *op) {
  if (auto dropout = dyn_cast<DropoutOp>(op))
    return dropout.getRate().convertToDouble();
  auto attention = dyn_cast<AttentionOp>(op);
  return attention && attention.getDropout() ? attention.getDropout()->convertToDouble() : 0;
}

int64_t countSites(Block &block) {
  return llvm::count_if(block, [](Operation &op) { return rateOf(&op) > 0; });
}

/// Whether the end of the block, or an op with effects, depends on an op.
bool isRead(Operation *op) {
  llvm::SetVector<Operation *> readers;
  readers.insert(op);
  for (size_t i = 0; i < readers.size(); ++i) {
    if (readers[i]->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(readers[i]))
      return true;
    readers.insert(readers[i]->user_begin(), readers[i]->user_end());
  }
  return false;
}

/// Whether a mask of the block drops anything that is read. Masks of other blocks are not drawn, though their
/// sites are numbered.
bool drawsMasks(Block &block) {
  return llvm::any_of(block, [](Operation &op) { return rateOf(&op) > 0 && isRead(&op); });
}

/// The operands from which masks are drawn: the keys of streams, the number of the block in the batch, and,
/// if ranks share out heads or rows, the rank's coordinate.
struct Drawn {
  Value keys, block, coordinate;
};

bool isPart(Operation *op) { return op->hasAttr(kWithin); }

/// Whether an op in the block applies dropout to a rank's part of a tensor.
bool dropsParts(Block &block) {
  return llvm::any_of(block, [](Operation &op) { return rateOf(&op) > 0 && isPart(&op); });
}

/// The rank's part of the tensor, if ranks share out its rows; else the whole tensor.
TensorPart partOf(DropoutOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
  TensorPart part{SmallVector<int64_t>(shape), SmallVector<int64_t>(shape.size(), 0)};
  auto whole = op->getAttrOfType<DenseI64ArrayAttr>(kWithin);
  if (!whole)
    return part;
  part.whole.assign(whole.asArrayRef().begin(), whole.asArrayRef().end());
  while (part.whole[part.shared] == shape[part.shared])
    ++part.shared;
  part.own = shape[part.shared];
  return part;
}

/// Makes one op draw its mask, from stream `site`.
void drawMask(Operation *op, const Drawn &with, int64_t site) {
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    attention.getRandomMutable().assign({with.keys, with.block});
    if (isPart(op))
      attention.getRandomMutable().append(with.coordinate);
    attention.setSite(site);
    return;
  }
  auto dropout = cast<DropoutOp>(op);
  OpBuilder builder(op);
  Dropout drawn{with.keys, with.block, site, rateOf(op), isPart(op) ? with.coordinate : Value()};
  dropout.replaceAllUsesWith(buildDropout(builder, op->getLoc(), dropout.getInput(), drawn, partOf(dropout)));
  dropout.erase();
}

/// Builds the forward pass of training beside @evaluate, from which it is copied.
class TrainingForward {
public:
  explicit TrainingForward(StepOp evaluate)
      : module(evaluate->getParentOfType<ModuleOp>()), builder(evaluate.getContext()) {
    builder.setInsertionPointAfter(evaluate);
    train = cast<StepOp>(builder.clone(*evaluate));
    train.setName("train");
  }

  void build() {
    number();
    builder.setInsertionPointToStart(&body());
    keys = FeedOp::create(builder, train.getLoc(), keysType(sites), kDropoutKeys);
    block = FeedOp::create(builder, train.getLoc(), tensorType({}, builder.getI32Type()), kRowBlock);
    if (hasParts)
      coordinate = FeedOp::create(builder, train.getLoc(), block.getType(), kTensorCoordinate);
    for (auto [op, site] : ownSites)
      drawMask(op, {keys, block, coordinate}, site);
    for (auto &[function, all] : calls)
      rewriteCalls(cast<func::FuncOp>(function), all);
  }

private:
  struct Call {
    func::CallOp op;
    int64_t first; ///< number of its first site
  };

  Block &body() { return train.getBody().front(); }
  RankedTensorType keysType(int64_t count) { return tensorType({count, 2}, builder.getI32Type()); }

  /// Numbers the sites in program order; those of a layer function at each of its calls.
  void number() {
    hasParts = dropsParts(body());
    for (Operation &op : body()) {
      if (rateOf(&op) > 0)
        ownSites.emplace_back(&op, sites++);
      auto call = dyn_cast<func::CallOp>(op);
      auto function = call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (!function || function.isExternal())
        continue;
      if (drawsMasks(function.front())) {
        calls[function].push_back({call, sites});
        hasParts |= dropsParts(function.front());
      }
      sites += countSites(function.front());
    }
  }

  /// Adds the training form of the function, with the keys of its sites and the block as additional
  /// arguments, and the rank's coordinate if dropout applies to parts.
  func::FuncOp addTrainingFunction(func::FuncOp function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(function);
    auto copy = cast<func::FuncOp>(builder.clone(*function));
    copy.setName((function.getName() + ".train").str());
    Block &inside = copy.front();
    SmallVector<RankedTensorType> types{keysType(countSites(inside)), typeOf(block)};
    const bool drawsParts = dropsParts(inside);
    if (drawsParts)
      types.push_back(typeOf(coordinate));
    for (RankedTensorType type : types)
      (void)copy.insertArgument(copy.getNumArguments(), type, {}, function.getLoc());
    SmallVector<Operation *> drops;
    for (Operation &op : inside)
      if (rateOf(&op) > 0)
        drops.push_back(&op);
    ValueRange last = ValueRange(inside.getArguments()).take_back(types.size());
    for (auto [site, op] : llvm::enumerate(drops))
      drawMask(op, {last[0], last[1], drawsParts ? last[2] : Value()}, static_cast<int64_t>(site));
    return copy;
  }

  void rewriteCalls(func::FuncOp function, ArrayRef<Call> all) {
    const bool drawsParts = dropsParts(function.front());
    func::FuncOp copy = addTrainingFunction(function);
    ArrayRef<Type> types = copy.getArgumentTypes();
    auto ofKeys = cast<RankedTensorType>(types[types.size() - (drawsParts ? 3 : 2)]);
    ResultRange slices = sliceKeys(ofKeys, all);
    for (auto [call, slice] : llvm::zip_equal(all, slices)) {
      func::CallOp op = call.op;
      op.setCallee(copy.getName());
      op.getOperandsMutable().append({slice, block});
      if (drawsParts)
        op.getOperandsMutable().append(coordinate);
    }
  }

  /// Cuts the keys into one part per call, by one map.
  ResultRange sliceKeys(RankedTensorType type, ArrayRef<Call> all) {
    SmallVector<Value> inputs(all.size(), keys);
    SmallVector<AffineMap> maps;
    AffineExpr site = builder.getAffineDimExpr(0), word = builder.getAffineDimExpr(1);
    for (const Call &call : all)
      maps.push_back(AffineMap::get(2, 0, {site + call.first, word}, builder.getContext()));
    builder.setInsertionPointAfterValue(block);
    MapOp map = buildMap(builder, train.getLoc(), inputs, maps, SmallVector<Type>(all.size(), type),
                         [](const Scalars &, ValueRange in) { return llvm::to_vector_of<Value>(in); });
    return map.getResults();
  }

  ModuleOp module;
  OpBuilder builder;
  StepOp train;
  Value keys, block, coordinate;
  bool hasParts = false; ///< ranks share out heads or rows of ops with dropout
  int64_t sites = 0;
  SmallVector<std::pair<Operation *, int64_t>> ownSites;
  llvm::MapVector<Operation *, SmallVector<Call>> calls; ///< by the function called
};

/// Whether a step has dropout, itself or in the functions it calls.
bool dropsElements(StepOp step) {
  const SymbolTable symbols(step->getParentOfType<ModuleOp>());
  return llvm::any_of(step.getBody().front(), [&](Operation &op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto function = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    return rateOf(&op) > 0 || (function && !function.isExternal() && drawsMasks(function.front()));
  });
}

struct MaterializeDropoutPass : impl::MaterializeDropoutBase<MaterializeDropoutPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto evaluate = module.lookupSymbol<StepOp>("evaluate");
    if (evaluate && dropsElements(evaluate))
      TrainingForward(evaluate).build();
    elideDropout(module);
  }
};

} // namespace
} // namespace windlass::graph
