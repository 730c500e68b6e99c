// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Trigonometry.h - sine and cosine of large angles =====================//
//
// Duty: rewrites math.sin and math.cos on f32 and f64 to operations that every
// processor has. Angles are reduced in f64 by a pi/2 of 106 bits, so that positions
// of rotary embeddings keep their accuracy: within an ulp of f32 up to angles of
// 2^50. The compiler's own polynomials lose all digits at some 10^5.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace windlass::codegen {

void populateTrigonometryPatterns(mlir::RewritePatternSet &patterns);

} // namespace windlass::codegen
