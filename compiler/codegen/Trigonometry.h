// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Trigonometry.h - sine and cosine of large angles ======================//
//
// Duty: rewrites math.sin and math.cos on f32 and f64 to operations that every processor has. Angles are
// reduced in f64 by a pi/2 of 106 bits, so that results for positions of rotary embeddings are within an ulp
// of f32, for angles up to 2^50. MLIR's polynomials lose all digits from about 10^5 on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace windlass::codegen {

void populateTrigonometryPatterns(mlir::RewritePatternSet &patterns);

} // namespace windlass::codegen
