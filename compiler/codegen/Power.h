// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Power.h - powers of any numbers =======================================//
//
// Duty: rewrites math.powf to exp(b log |a|), with the special values of C's pow: 1 for b = 0 and for a = 1,
// whatever the other is, and for a = -1 and an infinite b; not a number for other a below 0 and b that are
// not whole; the sign of a for odd b, -0 included. A constant exponent has the bits of the same number as
// data. MLIR's own expansion is exp(b log a), which is not a number for a below 0 and for 0 to the power of
// 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace windlass::codegen {

void populatePowerPatterns(mlir::RewritePatternSet &patterns);

} // namespace windlass::codegen
