// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConstantTail.h - elements of a row that are constant behind a bound ===//
//
// Duty: analyses a linalg.generic whose body compares the index of its innermost loop with a number of the
// row, as a causal mask does. From a bound on the comparison has one value, with which the operations of the
// body are folded. Finds generics that yield constants from the bound on (ConstantTail), and generics that do
// not need some operand from there on (RowBound::findIdle).
//
// A sum keeps its bits if terms of zero are left out. Its partial sums begin at +0. In rounding to nearest a
// sum is -0 only of two -0, for an exact sum other than zero is at least the smallest subnormal. So no
// partial sum is ever -0, and x + 0 is x for either sign of that zero. A maximum keeps its bits if terms of
// -inf are left out.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace windlass::codegen {

/// A comparison of the innermost index with a value that is known before the loop, and the bound from which
/// on its result is the same for all indices.
struct RowBound {
  mlir::arith::CmpIOp comparison;
  mlir::Value limit;
  int64_t beyond;    ///< the bound less the limit: 0 or 1
  bool isTrueBehind; ///< the result of the comparison from the bound on

  /// A bound from which on no result needs some operand that varies along the innermost loop; nothing if
  /// there is none.
  static std::optional<RowBound> findIdle(mlir::linalg::GenericOp generic);

  /// The first index from which on the result is known: limit + beyond, rounded up to a multiple of
  /// `multiple`, a power of two. It may be negative, or larger than the extent of the loop.
  mlir::Value bound(mlir::OpBuilder &builder, int64_t multiple = 1) const;
};

/// A bound from which on a generic yields constants.
struct ConstantTail : RowBound {
  llvm::SmallVector<mlir::TypedAttr> constants; ///< by result: its value there; of a reduction, its term

  /// The tail of `generic`, if it has one. Of a reduction, only if the constants are neutral: its result is
  /// the same without these terms.
  static std::optional<ConstantTail> find(mlir::linalg::GenericOp generic);
};

} // namespace windlass::codegen
