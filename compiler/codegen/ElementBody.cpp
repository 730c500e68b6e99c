#include "compiler/codegen/ElementBody.h"

#include "compiler/codegen/Storage.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

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
      AffineExpr loop = loops.getResult(index.getDim());
      auto fixed = dyn_cast<AffineConstantExpr>(loop);
      mapping.map(index.getResult(),
                  fixed ? Value(arith::ConstantIndexOp::create(builder, op->getLoc(), fixed.getValue()))
                        : loopIndex(builder, cast<AffineDimExpr>(loop).getPosition()));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : scalar.getOperands())
      operands.push_back(mapping.lookup(operand));
    mapping.map(scalar.getResult(0), emitOp(scalar, operands));
  }
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookup(value));
  return done[{op, loops}] = yielded;
}

/// One scalar operation in compute types; what its type says is bf16 is rounded.
Value ElementBody::emitOp(Operation &op, ArrayRef<Value> operands) {
  Location loc = op.getLoc();
  Type element = op.getResult(0).getType();
  Type type = computeType(element);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    if (element.isBF16())
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
    // Licences of fast mathematics would let the bits depend on what a body is fused with.
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(copy))
      copy->setAttr(fast.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(copy->getContext(), arith::FastMathFlags::none));
    result = copy->getResult(0);
  }
  return element.isBF16() ? roundToBf16(builder, loc, result) : result;
}

} // namespace windlass::codegen
