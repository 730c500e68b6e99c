// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/lowering/ElementBody.h"

#include "compiler/codegen/Storage.h"
#include "dialects/Graph/IR/GraphIndexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

constexpr int64_t kTableAlignment = 64; ///< bytes

/// The elements that the body of a map or reduction takes.
SmallVector<Element> inputElements(Operation *op, AffineMap loops) {
  return TypeSwitch<Operation *, SmallVector<Element>>(op).Case<graph::MapOp, graph::ReduceOp>(
      [&](auto loopOp) {
        SmallVector<Element> elements;
        for (auto [input, map] : llvm::zip(loopOp.getInputs(), loopOp.getMapValues()))
          elements.emplace_back(input, map.compose(loops));
        return elements;
      });
}

} // namespace

void collectLoads(Operation *op, AffineMap loops, LoadedElements &loaded) {
  for (Element element : inputElements(op, loops))
    collectLoads(element, loaded);
}

void collectLoads(Element element, LoadedElements &loaded) {
  if (auto map = element.first.getDefiningOp<graph::MapOp>())
    collectLoads(map, element.second, loaded);
  else
    loaded.insert({element, Value()});
}

Value ElementBody::emit(Element element) {
  auto map = element.first.getDefiningOp<graph::MapOp>();
  if (!map)
    return loaded.lookup(element);
  return emitYielded(map, element.second)[cast<OpResult>(element.first).getResultNumber()];
}

SmallVector<Value> ElementBody::emitYielded(Operation *op, AffineMap loops) {
  auto known = done.find({op, loops});
  if (known != done.end())
    return known->second;
  Block &body = op->getRegion(0).front();
  IRMapping mapping;
  for (auto [argument, element] : llvm::zip(body.getArguments(), inputElements(op, loops)))
    mapping.map(argument, emit(element));
  for (Operation &scalar : body.without_terminator()) {
    if (auto index = dyn_cast<graph::IndexOp>(scalar)) {
      mapping.map(index.getResult(),
                  graph::buildIndex(builder, op->getLoc(), loops.getResult(index.getDim()),
                                    [&](unsigned loop) { return loopIndex(builder, loop); }));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : scalar.getOperands())
      operands.push_back(mapping.lookup(operand));
    auto lookup = dyn_cast<graph::LookupOp>(scalar);
    mapping.map(scalar.getResult(0), lookup ? emitLookup(lookup, operands) : emitOp(scalar, operands));
  }
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookup(value));
  return done[{op, loops}] = yielded;
}

/// The global with these literals; made at the first call.
static memref::GlobalOp findOrMakeTable(ModuleOp module, Location loc, ElementsAttr table) {
  unsigned count = 0;
  for (auto global : module.getOps<memref::GlobalOp>()) {
    if (global.getInitialValueAttr() == table)
      return global;
    ++count;
  }
  OpBuilder builder(module.getBodyRegion());
  auto type = cast<RankedTensorType>(table.getType());
  return memref::GlobalOp::create(builder, loc, "table." + std::to_string(count),
                                  builder.getStringAttr("private"),
                                  MemRefType::get(type.getShape(), type.getElementType()), table,
                                  /*constant=*/true, builder.getI64IntegerAttr(kTableAlignment));
}

Value ElementBody::emitLookup(graph::LookupOp op, ArrayRef<Value> indices) {
  memref::GlobalOp table = findOrMakeTable(module, op.getLoc(), op.getTable());
  Value buffer = memref::GetGlobalOp::create(builder, op.getLoc(), table.getType(), table.getSymName());
  return memref::LoadOp::create(builder, op.getLoc(), buffer, indices);
}

/// One scalar operation in compute types. Results of type bf16 or f16 are rounded.
Value ElementBody::emitOp(Operation &op, ArrayRef<Value> operands) {
  Location loc = op.getLoc();
  Type element = op.getResult(0).getType();
  Type type = computeType(element);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    if (isHalf(element))
      value = FloatAttr::get(type, cast<FloatAttr>(value).getValue().convertToDouble());
    return arith::ConstantOp::create(builder, loc, value);
  }
  if (isa<arith::ExtFOp>(op) && operands[0].getType() == type)
    return operands[0];
  Value result;
  if (isa<arith::TruncFOp>(op) && operands[0].getType() == type) {
    result = operands[0];
  } else {
    OperationState state(loc, op.getName(), operands, type, op.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    Operation *copy = builder.create(state);
    // Fast-math flags would let bits depend on the ops that a body is fused with.
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(copy))
      copy->setAttr(fast.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(copy->getContext(), arith::FastMathFlags::none));
    result = copy->getResult(0);
  }
  return roundTo(builder, loc, result, element);
}

} // namespace windlass::codegen
