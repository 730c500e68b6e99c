// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/kernels/GraphBodyCost.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;

namespace windlass::graph {
namespace {

/// Operations of rounding to bf16, and of reading or storing a bf16.
constexpr double kRoundBf16 = 8, kMoveBf16 = 2;
/// Operations of a conversion between f16 and f32.
constexpr double kConvertF16 = 1;
/// Operations of a random number that needs a block of the generator alone, and of one that shares the block
/// with three others.
constexpr double kRandom = 206, kSharedRandom = 105;

/// Operations on lanes of the op's own width.
double laneOperations(Operation &op) {
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case<arith::ConstantOp, arith::BitcastOp>([](Operation *) { return 0; })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>( // an index has 64 bits
          [](Operation *cast) { return cast->getResult(0).getType().getIntOrFloatBitWidth() == 64 ? 0 : 1; })
      .Case<arith::DivFOp, math::SqrtOp>([](Operation *) { return kDivisionOperations; })
      .Case([](math::RsqrtOp) { return 2 * kDivisionOperations; })
      .Case([](math::ExpOp) { return 24; })
      .Case([](math::LogOp) { return 33; })
      .Case([](math::Log1pOp) { return 40 + kDivisionOperations; })
      .Case([](math::TanhOp) { return 18 + kDivisionOperations; })
      .Case([](math::ErfOp) { return 36 + kDivisionOperations; })
      .Case([](math::SinOp) { return 30; }) // in f64
      .Case([](math::CosOp) { return 31; })
      .Case([](math::PowFOp) { return 79; })
      .Default([](Operation *) { return 1; });
}

/// Operations of rounding to a 16-bit type. An f16 that is computed with is widened to f32 again; one that is
/// only stored is not.
double roundOperations(Operation &op) {
  Type element = op.getResult(0).getType();
  if (isa<arith::ConstantOp>(op) || !(element.isBF16() || element.isF16()))
    return 0;
  if (element.isBF16())
    return kRoundBf16;
  bool isStored = llvm::all_of(op.getUsers(), [](Operation *user) { return isa<YieldOp>(user); });
  return isStored ? kConvertF16 : 2 * kConvertF16;
}

double loadOperations(Type element) {
  return element.isBF16() ? kMoveBf16 : element.isF16() ? kConvertF16 : 0;
}

unsigned laneBits(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

bool isInF64(Operation &op) { return isa<math::SinOp, math::CosOp>(op); }

double scalarOperations(Operation &op) {
  unsigned bits = isInF64(op) ? 64 : 32;
  for (Type type : llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
    bits = std::max(bits, laneBits(type));
  // 16-bit floats are computed with as f32, so that only rounding counts for these conversions.
  bool isNothing = isa<arith::ExtFOp, arith::TruncFOp>(op) && bits == 32;
  return (isNothing ? 0 : laneOperations(op)) * bits / 32 + roundOperations(op);
}

/// Counts the operations per element of one loop over vectors: bodies, the maps spliced into them, and loads.
/// Each counts once, however often it is used.
class LoopCost {
public:
  LoopCost(MLIRContext *context, unsigned loops) : context(context), innermost(loops - 1) {}

  /// Operations of what a map or reduction yields; `loops`: its loops as functions of the loops of this nest.
  double ofBody(Operation *op, AffineMap loops) {
    if (!counted.insert({op, loops}).second)
      return 0;
    return llvm::TypeSwitch<Operation *, double>(op).Case<MapOp, ReduceOp>([&](auto loopOp) {
      double sum = 0;
      llvm::SmallPtrSet<Value, 16> varying; // along the innermost loop
      for (auto [input, map, argument] :
           llvm::zip(loopOp.getInputs(), loopOp.getMapValues(), loopOp.getBody().getArguments())) {
        AffineMap element = map.compose(loops);
        sum += ofInput(input, element);
        if (element.isFunctionOfDim(innermost))
          varying.insert(argument);
      }
      return sum + ofScalars(loopOp.getBody().front(), loops, varying);
    });
  }

private:
  double ofInput(Value tensor, AffineMap map) {
    if (Operation *producer = tensor.getDefiningOp<MapOp>())
      return ofBody(producer, map);
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (!map.isFunctionOfDim(innermost) || !loaded.insert({tensor, map}).second)
      return 0;
    return (isContiguous(map) ? 0 : kLaneLoadOperations) + loadOperations(element);
  }

  double ofScalars(Block &body, AffineMap loops, llvm::SmallPtrSetImpl<Value> &varying) {
    double sum = 0;
    for (Operation &op : body.without_terminator()) {
      bool varies = llvm::any_of(op.getOperands(), [&](Value value) { return varying.contains(value); });
      if (auto index = dyn_cast<IndexOp>(op))
        varies = loops.getResult(index.getDim()).isFunctionOfDim(innermost);
      if (!varies)
        continue;
      varying.insert(op.getResult(0));
      sum += llvm::TypeSwitch<Operation *, double>(&op)
                 .Case([&](LookupOp lookup) { return ofLookup(lookup, loops, varying); })
                 .Case([&](RandomOp random) { return ofRandom(random, loops, varying); })
                 .Case([&](IndexOp index) {
                   return indices.insert(loops.getResult(index.getDim())).second ? scalarOperations(op) : 0;
                 })
                 .Default([](Operation *scalar) { return scalarOperations(*scalar); });
    }
    return sum;
  }

  /// Operations of a look-up: none of its own if the innermost loop runs along a row, which is loaded as
  /// vectors.
  double ofLookup(LookupOp lookup, AffineMap loops, const llvm::SmallPtrSetImpl<Value> &varying) const {
    auto last = lookup.getIndices().back().getDefiningOp<IndexOp>();
    bool isRow =
        last && loops.getResult(last.getDim()) == getAffineDimExpr(innermost, context) &&
        llvm::none_of(lookup.getIndices().drop_back(), [&](Value index) { return varying.contains(index); });
    return isRow ? 0 : kLaneLoadOperations;
  }

  /// Operations of a random number: neighbouring columns share a block of the generator.
  double ofRandom(RandomOp random, AffineMap loops, const llvm::SmallPtrSetImpl<Value> &varying) const {
    auto column = random.getColumn().getDefiningOp<IndexOp>();
    bool isShared = column && loops.getResult(column.getDim()) == getAffineDimExpr(innermost, context) &&
                    !varying.contains(random.getRow());
    return isShared ? kSharedRandom : kRandom;
  }

  bool isContiguous(AffineMap map) const {
    return map.getResults().back() == getAffineDimExpr(innermost, context) &&
           llvm::none_of(map.getResults().drop_back(),
                         [&](AffineExpr index) { return index.isFunctionOfDim(innermost); });
  }

  MLIRContext *context;
  unsigned innermost;
  llvm::DenseSet<std::pair<Operation *, AffineMap>> counted;
  llvm::DenseSet<std::pair<Value, AffineMap>> loaded;
  llvm::DenseSet<AffineExpr> indices;
};

double product(ArrayRef<int64_t> extents) {
  double product = 1;
  for (int64_t extent : extents)
    product *= static_cast<double>(extent);
  return product;
}

double storeOperations(Type tensor) {
  return cast<RankedTensorType>(tensor).getElementType().isBF16() ? kMoveBf16 : 0;
}

} // namespace

double countOperations(MapOp op) {
  SmallVector<int64_t> extents = loopExtents(op);
  if (extents.empty())
    return 0;
  double each =
      LoopCost(op.getContext(), extents.size()).ofBody(op, identityMap(op.getContext(), extents.size()));
  for (Type type : op.getResultTypes())
    each += storeOperations(type);
  return product(extents) * each;
}

double countOperations(ReduceOp op) {
  SmallVector<int64_t> extents = loopExtents(op);
  double each =
      LoopCost(op.getContext(), extents.size()).ofBody(op, identityMap(op.getContext(), extents.size()));
  for (Type type : op.getResultTypes()) { // 16 bits are added up as f32
    unsigned bits = cast<RankedTensorType>(type).getElementTypeBitWidth();
    each += std::max(32u, bits) / 32;
  }
  return product(extents) * each;
}

double countDecomposedOperations(DecomposableOpInterface op) {
  Block block;
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, block.addArgument(operand.getType(), op.getLoc()));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  Operation *copy = builder.clone(*op, operands);
  builder.setInsertionPoint(copy);
  SmallVector<Value> results = cast<DecomposableOpInterface>(copy).decompose(builder);
  double sum = 0;
  size_t rows = 0; // number of loops of a value with one element per row
  for (auto reduce : block.getOps<ReduceOp>()) {
    sum += countOperations(reduce);
    rows = loopExtents(reduce).size() - reduce.getDims().size();
  }
  std::map<size_t, LoopCost> loops; // results of one shape are computed in one loop
  for (Value result : results)
    if (auto map = result.getDefiningOp<MapOp>()) {
      SmallVector<int64_t> extents = loopExtents(map);
      if (extents.size() == rows)
        continue; // once a row
      LoopCost &loop = loops.try_emplace(extents.size(), op.getContext(), extents.size()).first->second;
      double each = loop.ofBody(map, identityMap(op.getContext(), extents.size()));
      sum += product(extents) * (each + storeOperations(result.getType()));
    }
  return sum;
}

} // namespace windlass::graph
