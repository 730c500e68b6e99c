// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ConstantTail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// A comparison of the innermost index with what is known before the loop, read from left to right.
struct Comparison {
  arith::CmpIPredicate predicate;
  Value limit;

  bool isTrueBehind() const {
    return predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sge;
  }
  /// Whether the limit itself lies in front of the bound.
  bool isLimitInFront() const {
    return predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sle;
  }
};

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

std::optional<Comparison> readComparison(linalg::GenericOp generic, arith::CmpIOp op) {
  auto isInnermost = [&](Value value) {
    auto index = value.getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() + 1 == generic.getNumLoops();
  };
  auto isKnown = [&](Value value) { return value.getParentRegion() != &generic.getRegion(); };
  std::optional<arith::CmpIPredicate> other = mirrored(op.getPredicate());
  if (!other)
    return std::nullopt;
  if (isInnermost(op.getLhs()) && isKnown(op.getRhs()))
    return Comparison{op.getPredicate(), op.getRhs()};
  if (isInnermost(op.getRhs()) && isKnown(op.getLhs()))
    return Comparison{*other, op.getLhs()};
  return std::nullopt;
}

/// Constants of a body, where a condition in it has a known value.
class KnownValues {
public:
  KnownValues(linalg::GenericOp generic, arith::CmpIOp comparison, bool isTrue) {
    known[comparison.getResult()] = BoolAttr::get(generic.getContext(), isTrue);
    for (Operation &op : generic.getBody()->without_terminator())
      if (&op != comparison && isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
        fold(op);
  }

  TypedAttr lookup(Value value) const {
    Attribute constant = known.lookup(value);
    if (!constant)
      matchPattern(value, m_Constant(&constant));
    return dyn_cast_or_null<TypedAttr>(constant);
  }

private:
  /// A copy, for folding may change what is folded.
  void fold(Operation &op) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    Operation *copy = op.clone();
    SmallVector<OpFoldResult> results;
    if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
      Attribute constant = dyn_cast<Attribute>(results.front());
      known[op.getResult(0)] = constant ? constant : lookup(cast<Value>(results.front()));
    }
    copy->destroy();
  }

  llvm::DenseMap<Value, Attribute> known;
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
    std::optional<Comparison> comparison = readComparison(generic, op);
    if (!comparison)
      continue;
    ConstantTail tail{comparison->limit, comparison->isLimitInFront() ? 1 : 0, {}};
    const KnownValues values(generic, op, comparison->isTrueBehind());
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

Value ConstantTail::bound(OpBuilder &builder, int64_t multiple) const {
  Location loc = limit.getLoc();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value raised = arith::AddIOp::create(builder, loc, limit, constant(beyond + multiple - 1));
  return arith::AndIOp::create(builder, loc, raised, constant(-multiple));
}

} // namespace windlass::codegen
