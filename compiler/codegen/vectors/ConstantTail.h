// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConstantTail.h - elements of a row that are known behind a bound ======//
//
// Duty: finds that a linalg.generic makes constants of what lies behind a bound along its
// innermost loop, or does not need it, as under a causal mask. It asks the body alone: with the
// value that a comparison of the innermost index has there, its operations are folded.
//
// A sum whose terms are zeros there has the same bits without them. Its lanes begin at +0, and in
// rounding to nearest a sum is -0 only of two -0: what is not zero before it is rounded is at least
// the smallest subnormal. So no lane ever is -0, and x + 0 is x whichever sign this zero has. A
// largest element is the same without -inf.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace windlass::codegen {

/// A comparison of the innermost index with what is known before the loop: behind a bound it has one value.
struct RowBound {
  mlir::arith::CmpIOp comparison;
  mlir::Value limit;
  int64_t beyond;    ///< the bound is so far behind the limit
  bool isTrueBehind; ///< the comparison, behind the bound

  /// One behind which elements of an operand along the innermost loop matter no more.
  static std::optional<RowBound> findIdle(mlir::linalg::GenericOp generic);

  /// The first index behind the bound, which may be less than zero or more than the loop has; on request
  /// rounded up to a multiple, a power of two.
  mlir::Value bound(mlir::OpBuilder &builder, int64_t multiple = 1) const;
};

struct ConstantTail : RowBound {
  llvm::SmallVector<mlir::TypedAttr> constants; ///< what is yielded there; of a reduction, what it adds

  /// Finds it; of a reduction only if its constants are neutral.
  static std::optional<ConstantTail> find(mlir::linalg::GenericOp generic);
};

} // namespace windlass::codegen
