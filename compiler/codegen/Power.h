// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Power.h - powers of any numbers ======================================//
//
// Duty: rewrites math.powf to exp(b log |a|), with what C's pow has where that says nothing: 1 for b = 0, and
// for a below 0 the sign of whole b, not a number for others. Infinite powers of 1 and -1, and -0, are not
// told apart. A constant exponent has the bits of the same number as data. MLIR's own expansion is exp(b log
// a), which is not a number for a below 0 and for 0 to the power of 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace windlass::codegen {

void populatePowerPatterns(mlir::RewritePatternSet &patterns);

} // namespace windlass::codegen
