// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectors/ConstantTail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

std::optional<arith::CmpIPredicate> mirrored(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::sge;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::sle;
  default:
    return std::nullopt;
  }
}

/// The bound of a comparison with the innermost index on either side; nothing for another comparison.
std::optional<RowBound> boundOf(linalg::GenericOp generic, arith::CmpIOp op) {
  auto isInnermost = [&](Value value) {
    auto index = value.getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() + 1 == generic.getNumLoops();
  };
  Value index = op.getLhs(), limit = op.getRhs();
  std::optional<arith::CmpIPredicate> read = op.getPredicate(), other = mirrored(op.getPredicate());
  if (!isInnermost(index))
    std::swap(index, limit), read = other;
  if (!other || !isInnermost(index) || limit.getParentRegion() == &generic.getRegion())
    return std::nullopt;
  const bool isTrueBehind = *read == arith::CmpIPredicate::sgt || *read == arith::CmpIPredicate::sge;
  const bool isLimitInFront = *read == arith::CmpIPredicate::sgt || *read == arith::CmpIPredicate::sle;
  return RowBound{op, limit, isLimitInFront ? 1 : 0, isTrueBehind};
}

/// The values of a body behind a bound that folding makes constant, or equal to another value.
class KnownValues {
public:
  KnownValues(linalg::GenericOp generic, const RowBound &bound) : body(generic.getBody()) {
    arith::CmpIOp comparison = bound.comparison;
    known[comparison.getResult()] = BoolAttr::get(generic.getContext(), bound.isTrueBehind);
    for (Operation &op : body->without_terminator())
      if (&op != comparison && isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
        fold(op);
  }

  TypedAttr lookup(Value value) const {
    Attribute constant = known.lookup(value);
    if (!constant)
      matchPattern(value, m_Constant(&constant));
    return dyn_cast_or_null<TypedAttr>(constant);
  }

  /// Adds a value, and the values of the body that it depends on, without constants.
  void collect(Value value, llvm::SmallPtrSetImpl<Value> &used) const {
    if (lookup(value) || !used.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    if (Value same = alike.lookup(value))
      collect(same, used);
    else if (op && op->getBlock() == body)
      for (Value operand : op->getOperands())
        collect(operand, used);
  }

private:
  /// Folds a copy of `op`, since folding may change the operation.
  void fold(Operation &op) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    Operation *copy = op.clone();
    SmallVector<OpFoldResult> results;
    if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
      Value same = dyn_cast<Value>(results.front());
      known[op.getResult(0)] = same ? lookup(same) : cast<Attribute>(results.front());
      alike[op.getResult(0)] = same;
    }
    copy->destroy();
  }

  Block *body;
  llvm::DenseMap<Value, Attribute> known; ///< null: not constant
  llvm::DenseMap<Value, Value> alike;     ///< null: not equal to an operand
};

bool isNeutral(TypedAttr constant, Operation *combiner) {
  auto number = dyn_cast<FloatAttr>(constant);
  if (number && isa<arith::AddFOp>(combiner))
    return number.getValue().isZero();
  return constant == arith::getNeutralElement(combiner);
}

} // namespace

std::optional<ConstantTail> ConstantTail::find(linalg::GenericOp generic) {
  const bool isReduction = generic.getNumReductionLoops() > 0;
  for (auto op : generic.getBody()->getOps<arith::CmpIOp>()) {
    std::optional<RowBound> bound = boundOf(generic, op);
    if (!bound)
      continue;
    ConstantTail tail{*bound, {}};
    const KnownValues values(generic, *bound);
    const bool isConstant =
        llvm::all_of(generic.getBody()->getTerminator()->getOperands(), [&](Value yielded) {
          Operation *combiner = isReduction ? yielded.getDefiningOp() : nullptr;
          tail.constants.push_back(values.lookup(combiner ? combiner->getOperand(1) : yielded));
          return tail.constants.back() && (!combiner || isNeutral(tail.constants.back(), combiner));
        });
    if (isConstant)
      return tail;
  }
  return std::nullopt;
}

std::optional<RowBound> RowBound::findIdle(linalg::GenericOp generic) {
  for (auto op : generic.getBody()->getOps<arith::CmpIOp>()) {
    std::optional<RowBound> bound = boundOf(generic, op);
    if (!bound)
      continue;
    const KnownValues values(generic, *bound);
    llvm::SmallPtrSet<Value, 32> used;
    for (Value yielded : generic.getBody()->getTerminator()->getOperands())
      values.collect(yielded, used);
    const bool isIdle = llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
      BlockArgument element = generic.getMatchingBlockArgument(input);
      AffineMap map = generic.getMatchingIndexingMap(input);
      return map.isFunctionOfDim(generic.getNumLoops() - 1) && !element.use_empty() &&
             !used.contains(element);
    });
    if (isIdle)
      return bound;
  }
  return std::nullopt;
}

Value RowBound::bound(OpBuilder &builder, int64_t multiple) const {
  Location loc = limit.getLoc();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value raised = arith::AddIOp::create(builder, loc, limit, constant(beyond + multiple - 1));
  return arith::AndIOp::create(builder, loc, raised, constant(-multiple));
}

} // namespace windlass::codegen
