// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectors/VectorBody.h"

#include "compiler/codegen/vectors/Philox.h"
#include "dialects/Graph/IR/GraphIndexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

Type laneType(Type element, int64_t width) {
  return width == 1 ? element : VectorType::get({width}, element);
}

Value spread(OpBuilder &builder, Location loc, Value value, int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc, VectorType::get({width}, value.getType()), value);
}

/// True if consecutive values of `loop` touch consecutive elements.
bool isContiguousAlong(MemRefType type, AffineMap map, unsigned loop) {
  if (map.getNumResults() == 0 || map.getResults().back() != getAffineDimExpr(loop, map.getContext()))
    return false;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(loop))
      return false;
  auto [strides, offset] = type.getStridesAndOffset();
  return strides.back() == 1;
}

} // namespace

VectorBody::VectorBody(linalg::GenericOp generic)
    : generic(generic), loc(generic.getLoc()), ivs(generic.getNumLoops()) {
  if (generic.getNumReductionLoops() == 0)
    return;
  for (Value yielded : generic.getBody()->getTerminator()->getOperands())
    combiners.push_back(yielded.getDefiningOp());
}

void VectorBody::hoistInvariants(OpBuilder &builder) {
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    bool known = true;
    for (auto [loop, iv] : llvm::enumerate(ivs))
      known &= iv || !map.isFunctionOfDim(loop);
    if (known && !bound.contains(input))
      hoisted[input] = load(builder, *input, 1);
  }
}

SmallVector<Value> VectorBody::indices(OpBuilder &builder, AffineMap map, Value innermostIv) {
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults())
    result.push_back(graph::buildIndex(
        builder, loc, expr, [&](unsigned loop) { return loop == innermost() ? innermostIv : ivs[loop]; }));
  return result;
}

Value VectorBody::load(OpBuilder &builder, OpOperand &operand, int64_t width) {
  AffineMap map = generic.getMatchingIndexingMap(&operand);
  auto type = cast<MemRefType>(operand.get().getType());
  Value iv = ivs.empty() ? Value() : ivs.back();
  if (width == 1 || !map.isFunctionOfDim(innermost()))
    return memref::LoadOp::create(builder, loc, operand.get(), indices(builder, map, iv));
  if (!isContiguousAlong(type, map, innermost()))
    return loadLanes(builder, operand, width);
  auto vectorType = VectorType::get({width}, type.getElementType());
  return vector::LoadOp::create(builder, loc, vectorType, operand.get(), indices(builder, map, iv));
}

Value VectorBody::indexOfLane(OpBuilder &builder, int64_t lane) {
  return arith::AddIOp::create(builder, loc, ivs.back(), arith::ConstantIndexOp::create(builder, loc, lane));
}

/// Lane by lane, where the innermost loop does not walk along consecutive elements.
Value VectorBody::loadLanes(OpBuilder &builder, OpOperand &operand, int64_t width) {
  AffineMap map = generic.getMatchingIndexingMap(&operand);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.push_back(memref::LoadOp::create(builder, loc, operand.get(),
                                           indices(builder, map, indexOfLane(builder, lane))));
  auto type = VectorType::get({width}, cast<MemRefType>(operand.get().getType()).getElementType());
  return vector::FromElementsOp::create(builder, loc, type, lanes);
}

Value VectorBody::loopIndex(OpBuilder &builder, unsigned loop, int64_t width) {
  if (width == 1 || loop != innermost())
    return ivs[loop];
  auto type = VectorType::get({width}, builder.getIndexType());
  Value steps = vector::StepOp::create(builder, loc, type);
  return arith::AddIOp::create(builder, loc, spread(builder, loc, ivs[loop], width), steps);
}

/// True if consecutive lanes of an index of the body are consecutive numbers.
bool VectorBody::isConsecutive(Value index, const IRMapping &lanes) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop.getDim() == innermost();
  auto sum = index.getDefiningOp<arith::AddIOp>();
  auto isScalar = [&](Value value) { return !isa<VectorType>(lanes.lookupOrDefault(value).getType()); };
  return sum && ((isScalar(sum.getRhs()) && isConsecutive(sum.getLhs(), lanes)) ||
                 (isScalar(sum.getLhs()) && isConsecutive(sum.getRhs(), lanes)));
}

/// An element of a table for each lane.
Value VectorBody::emitLookup(OpBuilder &builder, memref::LoadOp op, const IRMapping &lanes, int64_t width) {
  Value table = lanes.lookupOrDefault(op.getMemRef());
  SmallVector<Value> wide;
  for (Value index : op.getIndices())
    wide.push_back(lanes.lookupOrDefault(index));
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  auto lane = [&](int64_t number) {
    SmallVector<Value> indices;
    for (Value index : wide)
      indices.push_back(isVector(index)
                            ? vector::ExtractOp::create(builder, loc, index, ArrayRef<int64_t>{number})
                            : index);
    return indices;
  };
  if (llvm::none_of(wide, isVector))
    return memref::LoadOp::create(builder, loc, table, wide);
  auto type = VectorType::get({width}, op.getType());
  bool isRow = llvm::none_of(ArrayRef(wide).drop_back(), isVector);
  if (isRow && isConsecutive(op.getIndices().back(), lanes))
    return vector::LoadOp::create(builder, loc, type, table, lane(0));
  SmallVector<Value> elements;
  for (int64_t number = 0; number < width; ++number)
    elements.push_back(memref::LoadOp::create(builder, loc, table, lane(number)));
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

/// How far behind the innermost index a column lies, if by whole blocks of the generator.
std::optional<int64_t> VectorBody::blocksBehindInnermost(Value column) {
  APInt offset(64, 0);
  if (auto sum = column.getDefiningOp<arith::AddIOp>();
      sum && matchPattern(sum.getRhs(), m_ConstantInt(&offset)))
    column = sum.getLhs();
  auto loop = column.getDefiningOp<linalg::IndexOp>();
  if (!loop || loop.getDim() != innermost() || offset.getSExtValue() % kBlockElements != 0)
    return std::nullopt;
  return offset.getSExtValue();
}

/// Strips of several blocks begin at multiples of a block, so that the lanes of an innermost index fill whole
/// blocks.
Value VectorBody::emitRandom(OpBuilder &builder, graph::RandomOp op, const IRMapping &lanes, int64_t width) {
  RandomPlace place{lanes.lookupOrDefault(op.getKey0()), lanes.lookupOrDefault(op.getKey1()),
                    lanes.lookupOrDefault(op.getRow()), lanes.lookupOrDefault(op.getColumn())};
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  std::optional<int64_t> offset = blocksBehindInnermost(op.getColumn());
  if (width > kBlockElements && offset && !isVector(place.row)) {
    Value behind = arith::ConstantIndexOp::create(builder, loc, *offset);
    place.column = arith::AddIOp::create(builder, loc, ivs.back(), behind);
    return buildConsecutiveRandom(builder, loc, place, width);
  }
  return buildRandom(builder, loc, place, isVector(place.row) || isVector(place.column) ? width : 1);
}

/// The same operation on scalars if every operand is one, else on vectors.
Value VectorBody::emitOp(OpBuilder &builder, Operation &op, ArrayRef<Value> operands, int64_t width) {
  bool anyVector = llvm::any_of(operands, [](Value value) { return isa<VectorType>(value.getType()); });
  SmallVector<Value> lanes(operands);
  if (anyVector)
    for (Value &value : lanes)
      value = spread(builder, loc, value, width);
  Type type = laneType(op.getResult(0).getType(), anyVector ? width : 1);
  OperationState state(loc, op.getName(), lanes, type, op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

SmallVector<Value> VectorBody::emit(OpBuilder &builder, int64_t width) {
  IRMapping mapping;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    Value early = hoisted.lookup(input);
    if (auto known = bound.find(input); known != bound.end())
      early = known->second;
    else if (!early)
      early = load(builder, *input, width);
    mapping.map(generic.getMatchingBlockArgument(input), early);
  }
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (llvm::is_contained(combiners, &op))
      continue;
    if (auto value = assumed.find(&op); value != assumed.end()) {
      mapping.map(op.getResult(0), arith::ConstantIntOp::create(builder, loc, value->second, 1));
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), loopIndex(builder, index.getDim(), width));
      continue;
    }
    if (auto lookup = dyn_cast<memref::LoadOp>(op)) {
      mapping.map(lookup.getResult(), emitLookup(builder, lookup, mapping, width));
      continue;
    }
    if (auto random = dyn_cast<graph::RandomOp>(op)) {
      mapping.map(random.getValue(), emitRandom(builder, random, mapping, width));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    mapping.map(op.getResult(0), emitOp(builder, op, operands, width));
  }
  SmallVector<Value> results;
  for (auto [position, yielded] : llvm::enumerate(generic.getBody()->getTerminator()->getOperands())) {
    Value value = combiners.empty() ? yielded : combiners[position]->getOperand(1);
    results.push_back(spread(builder, loc, mapping.lookupOrDefault(value), width));
  }
  return results;
}

/// Vectors of the powers of two that make up `count`, the widest first, side by side.
SmallVector<Value> VectorBody::emitFirst(OpBuilder &builder, int64_t count, int64_t width) {
  const Value first = ivs.back();
  SmallVector<Value> lanes = neutral(builder, width);
  for (int64_t lane = 0; lane < count;) {
    auto piece = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(count - lane)));
    ivs.back() =
        arith::AddIOp::create(builder, loc, first, arith::ConstantIndexOp::create(builder, loc, lane));
    for (auto [all, part] : llvm::zip(lanes, emit(builder, piece)))
      all = placeLanes(builder, part, all, lane);
    lane += piece;
  }
  ivs.back() = first;
  return lanes;
}

/// `part`, a scalar or vector, in the lanes of `all` from `lane` on.
Value VectorBody::placeLanes(OpBuilder &builder, Value part, Value all, int64_t lane) {
  if (part.getType() == all.getType())
    return part;
  if (!isa<VectorType>(part.getType()))
    return vector::InsertOp::create(builder, loc, part, all, ArrayRef<int64_t>{lane});
  return vector::InsertStridedSliceOp::create(builder, loc, part, all, ArrayRef<int64_t>{lane},
                                              ArrayRef<int64_t>{1});
}

SmallVector<Value> VectorBody::loadOutputs(OpBuilder &builder, int64_t width) {
  SmallVector<Value> values;
  for (OpOperand &output : generic.getDpsInitsMutable())
    values.push_back(load(builder, output, width));
  return values;
}

void VectorBody::storeOutputs(OpBuilder &builder, ValueRange values, int64_t width) {
  for (auto [output, value] : llvm::zip(generic.getDpsInitsMutable(), values)) {
    AffineMap map = generic.getMatchingIndexingMap(&output);
    SmallVector<Value> where = indices(builder, map, ivs.empty() ? Value() : ivs.back());
    if (width == 1)
      memref::StoreOp::create(builder, loc, value, output.get(), where);
    else if (isContiguousAlong(cast<MemRefType>(output.get().getType()), map, innermost()))
      vector::StoreOp::create(builder, loc, value, output.get(), where);
    else
      storeLanes(builder, output, value, width);
  }
}

void VectorBody::storeLanes(OpBuilder &builder, OpOperand &output, Value value, int64_t width) {
  AffineMap map = generic.getMatchingIndexingMap(&output);
  for (int64_t lane = 0; lane < width; ++lane) {
    Value element = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{lane});
    memref::StoreOp::create(builder, loc, element, output.get(),
                            indices(builder, map, indexOfLane(builder, lane)));
  }
}

SmallVector<Value> VectorBody::combine(OpBuilder &builder, ValueRange accumulators, ValueRange values,
                                       int64_t width) {
  SmallVector<Value> results;
  for (auto [combiner, accumulator, value] : llvm::zip(combiners, accumulators, values))
    results.push_back(emitOp(builder, *combiner, {accumulator, value}, width));
  return results;
}

SmallVector<Value> VectorBody::neutral(OpBuilder &builder, int64_t width) {
  SmallVector<TypedAttr> elements;
  for (Operation *combiner : combiners)
    elements.push_back(*arith::getNeutralElement(combiner));
  return constants(builder, elements, width);
}

SmallVector<Value> VectorBody::constants(OpBuilder &builder, ArrayRef<TypedAttr> elements, int64_t width) {
  SmallVector<Value> values;
  for (TypedAttr element : elements)
    values.push_back(spread(builder, loc, arith::ConstantOp::create(builder, loc, element), width));
  return values;
}

SmallVector<Value> VectorBody::combineLanes(OpBuilder &builder, ValueRange accumulators, int64_t width) {
  SmallVector<Value> values(accumulators);
  for (int64_t half = width / 2; half > 1; half /= 2) {
    SmallVector<Value> low, high;
    for (Value value : values) {
      low.push_back(vector::ExtractStridedSliceOp::create(builder, loc, value, {0}, {half}, {1}));
      high.push_back(vector::ExtractStridedSliceOp::create(builder, loc, value, {half}, {half}, {1}));
    }
    values = combine(builder, low, high, half);
  }
  if (width == 1)
    return values;
  SmallVector<Value> first, second;
  for (Value value : values) {
    first.push_back(vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0}));
    second.push_back(vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{1}));
  }
  return combine(builder, first, second, 1);
}

} // namespace windlass::codegen
