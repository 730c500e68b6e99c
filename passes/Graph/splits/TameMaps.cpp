// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/TameMaps.h"

#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace windlass::graph {
namespace {

std::optional<double> constantOf(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToDouble();
}

bool isNonnegative(Value value);

bool isPositive(Value value) {
  if (std::optional<double> number = constantOf(value))
    return *number > 0;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp>(op))
    return isPositive(op->getOperand(0));
  if (isa_and_nonnull<arith::AddFOp>(op))
    return (isPositive(op->getOperand(0)) && isNonnegative(op->getOperand(1))) ||
           (isNonnegative(op->getOperand(0)) && isPositive(op->getOperand(1)));
  if (isa_and_nonnull<arith::MaximumFOp>(op))
    return isPositive(op->getOperand(0)) || isPositive(op->getOperand(1));
  return false;
}

bool isNonnegative(Value value) {
  if (std::optional<double> number = constantOf(value))
    return *number >= 0;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<math::ExpOp, math::AbsFOp>(op))
    return true;
  if (isa_and_nonnull<arith::ExtFOp>(op))
    return isNonnegative(op->getOperand(0));
  if (isa_and_nonnull<arith::MulFOp>(op))
    return op->getOperand(0) == op->getOperand(1);
  return isPositive(value);
}

bool isTameOp(Operation &op) {
  if (isa<arith::DivFOp>(op)) {
    const std::optional<double> divisor = constantOf(op.getOperand(1));
    return divisor ? *divisor != 0 : isPositive(op.getOperand(1));
  }
  if (isa<math::SqrtOp, math::RsqrtOp, math::LogOp>(op))
    return isPositive(op.getOperand(0));
  if (isa<math::Log1pOp>(op))
    return isNonnegative(op.getOperand(0));
  if (isa<math::PowFOp>(op)) {
    const std::optional<double> exponent = constantOf(op.getOperand(1));
    return exponent && *exponent >= 1 && *exponent == std::floor(*exponent);
  }
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::IndexCastOp, arith::IndexCastUIOp, math::ExpOp, math::TanhOp, math::ErfOp,
             math::SinOp, math::CosOp, math::AbsFOp, math::FloorOp, LookupOp, RandomOp, IndexOp>(op);
}

} // namespace

bool isTame(MapOp map) { return llvm::all_of(map.getBody().front().without_terminator(), isTameOp); }

} // namespace windlass::graph
