// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;

namespace windlass::graph {

RankedTensorType tensorType(ArrayRef<int64_t> shape, Type element) {
  return RankedTensorType::get(shape, element);
}

RankedTensorType withElement(Type type, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(type).getShape(), element);
}

RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

bool hasFloatElements(Value tensor) { return isa<FloatType>(typeOf(tensor).getElementType()); }

AffineMap loopsMap(MLIRContext *context, unsigned loops, ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(loops, dims, context);
}

AffineMap leadingMap(MLIRContext *context, unsigned loops, unsigned count) {
  return loopsMap(context, loops, llvm::to_vector(llvm::seq<unsigned>(0, count)));
}

AffineMap identityMap(MLIRContext *context, unsigned loops) {
  return AffineMap::getMultiDimIdentityMap(loops, context);
}

Type computeType(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && type.getWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value Scalars::constant(Type type, double value) const {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value Scalars::add(Value a, Value b) const { return arith::AddFOp::create(builder, loc, a, b); }
Value Scalars::sub(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }
Value Scalars::mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
Value Scalars::div(Value a, Value b) const { return arith::DivFOp::create(builder, loc, a, b); }
Value Scalars::neg(Value a) const { return arith::NegFOp::create(builder, loc, a); }
Value Scalars::exp(Value a) const { return math::ExpOp::create(builder, loc, a); }
Value Scalars::log(Value a) const { return math::LogOp::create(builder, loc, a); }

Value Scalars::select(Value condition, Value a, Value b) const {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value Scalars::compare(arith::CmpIPredicate predicate, Value a, Value b) const {
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

Value Scalars::compare(arith::CmpFPredicate predicate, Value a, Value b) const {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value Scalars::index(unsigned loop) const {
  return IndexOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(loop));
}

Value Scalars::index(unsigned loop, Type integer) const {
  return arith::IndexCastOp::create(builder, loc, integer, index(loop));
}

Value Scalars::cast(Value a, Type type) const {
  auto from = dyn_cast<FloatType>(a.getType());
  auto to = dyn_cast<FloatType>(type);
  if (!from || !to || from == to)
    return a;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(builder, loc, to, a);
  return arith::TruncFOp::create(builder, loc, to, a);
}

//===----------------------------------------------------------------------===//
// Maps and reductions
//===----------------------------------------------------------------------===//

static void fillBody(OpBuilder &builder, Operation *op, BodyFn body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  for (Value input : op->getOperands())
    types.push_back(typeOf(input).getElementType());
  Location loc = op->getLoc();
  Block *block = builder.createBlock(&op->getRegion(0), {}, types, SmallVector<Location>(types.size(), loc));
  Scalars scalars{builder, loc};
  SmallVector<Value> yielded = body(scalars, block->getArguments());
  for (auto [value, result] : llvm::zip_equal(yielded, op->getResults()))
    value = scalars.cast(value, typeOf(result).getElementType());
  YieldOp::create(builder, loc, yielded);
}

MapOp buildMap(OpBuilder &builder, Location loc, ValueRange inputs, ArrayRef<AffineMap> maps,
               TypeRange results, BodyFn body) {
  auto op = MapOp::create(builder, loc, results, inputs, builder.getAffineMapArrayAttr(maps));
  fillBody(builder, op, body);
  return op;
}

Value buildMap(OpBuilder &builder, Location loc, ValueRange inputs, ArrayRef<AffineMap> maps,
               RankedTensorType result, ScalarFn body) {
  return buildMap(builder, loc, inputs, maps, TypeRange{result},
                  [&](const Scalars &s, ValueRange in) { return SmallVector<Value>{body(s, in)}; })
      .getResult(0);
}

Value buildElementwise(OpBuilder &builder, Location loc, ValueRange inputs, RankedTensorType result,
                       ScalarFn body) {
  SmallVector<AffineMap> maps(inputs.size(), identityMap(builder.getContext(), result.getRank()));
  return buildMap(builder, loc, inputs, maps, result, body);
}

ReduceOp buildReduce(OpBuilder &builder, Location loc, Combine combine, ArrayRef<int64_t> dims,
                     ValueRange inputs, ArrayRef<AffineMap> maps, TypeRange results, BodyFn body) {
  auto op = ReduceOp::create(builder, loc, results, inputs, builder.getAffineMapArrayAttr(maps),
                             CombineAttr::get(builder.getContext(), combine),
                             builder.getDenseI64ArrayAttr(dims), DenseI64ArrayAttr());
  fillBody(builder, op, body);
  return op;
}

Value buildReduce(OpBuilder &builder, Location loc, Combine combine, ArrayRef<int64_t> dims,
                  ValueRange inputs, ArrayRef<AffineMap> maps, RankedTensorType result, ScalarFn body) {
  return buildReduce(builder, loc, combine, dims, inputs, maps, TypeRange{result},
                     [&](const Scalars &s, ValueRange in) { return SmallVector<Value>{body(s, in)}; })
      .getResult(0);
}

Value buildAdd(OpBuilder &builder, Location loc, Value a, Value b) {
  return buildElementwise(builder, loc, {a, b}, typeOf(a), [](const Scalars &s, ValueRange in) {
    Value wide = s.widen(in[0]);
    return s.add(wide, s.widen(in[1]));
  });
}

Value buildCast(OpBuilder &builder, Location loc, Value tensor, Type element) {
  if (typeOf(tensor).getElementType() == element)
    return tensor;
  return buildElementwise(builder, loc, tensor, withElement(tensor.getType(), element),
                          [](const Scalars &, ValueRange in) { return in[0]; });
}

Value buildFull(OpBuilder &builder, Location loc, RankedTensorType type, double value) {
  return buildElementwise(builder, loc, {}, type, [&](const Scalars &s, ValueRange) {
    return s.constant(type.getElementType(), value);
  });
}

Value buildLiterals(OpBuilder &builder, Location loc, RankedTensorType type, ArrayRef<double> numbers) {
  SmallVector<Attribute> elements;
  Type element = type.getElementType();
  for (double number : numbers)
    elements.push_back(isa<FloatType>(element)
                           ? Attribute(builder.getFloatAttr(element, number))
                           : builder.getIntegerAttr(element, static_cast<int64_t>(number)));
  ElementsAttr table = DenseElementsAttr::get(type, elements);
  return buildElementwise(builder, loc, {}, type, [&](const Scalars &s, ValueRange) -> Value {
    SmallVector<Value> indices;
    for (unsigned loop = 0; loop < type.getRank(); ++loop)
      indices.push_back(s.index(loop));
    return LookupOp::create(s.builder, s.loc, element, table, indices);
  });
}

Value buildReshape(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> shape) {
  if (typeOf(tensor).getShape() == shape)
    return tensor;
  return ReshapeOp::create(builder, loc, tensorType(shape, typeOf(tensor).getElementType()), tensor);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void eraseDeadBodyOps(Operation *op) {
  Block &block = op->getRegion(0).front();
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&inner))
      inner.erase();
}

/// Drops the inputs whose argument is unused and for which `mayDrop` holds.
template <typename OpT> static bool dropInputs(OpT op, llvm::function_ref<bool(unsigned)> mayDrop) {
  Block &block = op.getBody().front();
  SmallVector<AffineMap> maps = op.getMapValues();
  bool changed = false;
  for (unsigned i = block.getNumArguments(); i-- > 0;) {
    if (!block.getArgument(i).use_empty() || !mayDrop(i))
      continue;
    block.eraseArgument(i);
    op->eraseOperand(i);
    maps.erase(maps.begin() + i);
    op.setMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
    changed = true;
  }
  return changed;
}

bool dropUnusedInputs(MapOp op) {
  return dropInputs(op, [](unsigned) { return true; });
}

/// Whether all extents are known without `input`: each of its loops is a plain index of another input, or the
/// op has its extents as an attribute. The last input is kept in any case.
static bool isExtentKnownWithout(ReduceOp op, unsigned input) {
  if (op.getExtents())
    return op->getNumOperands() > 1;
  SmallVector<AffineMap> maps = op.getMapValues();
  return llvm::all_of(maps[input].getResults(), [&](AffineExpr expr) {
    if (!isa<AffineDimExpr>(expr))
      return true;
    for (auto [other, map] : llvm::enumerate(maps))
      if (other != input && llvm::is_contained(map.getResults(), expr))
        return true;
    return false;
  });
}

bool dropUnusedInputs(ReduceOp op) {
  return dropInputs(op, [&](unsigned i) { return isExtentKnownWithout(op, i); });
}

SmallVector<int64_t> loopExtents(MapOp op) { return llvm::to_vector(typeOf(op.getResult(0)).getShape()); }

SmallVector<int64_t> loopExtents(ReduceOp op) {
  if (auto extents = op.getExtents())
    return SmallVector<int64_t>(*extents);
  SmallVector<AffineMap> maps = op.getMapValues();
  SmallVector<int64_t> extents(maps.empty() ? 0 : maps.front().getNumDims(), 1);
  for (auto [input, map] : llvm::zip_equal(op.getInputs(), maps))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        extents[loop.getPosition()] = typeOf(input).getDimSize(dim);
  return extents;
}

bool readsLoopValue(Operation *op, unsigned loop) {
  bool found = false;
  op->walk([&](IndexOp index) { found |= isa<ReduceOp>(op) || index.getDim() == loop; });
  return found;
}

} // namespace windlass::graph
