// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TameMaps.h - maps that keep padding finite ============================//
//
// Duty: decides whether a map, and its adjoint, make finite numbers from any finite numbers. If ranks do not
// divide a dimension, the part of the last rank is padded, with numbers near 0 whose gradients are 0. A
// quotient of such numbers, or the slope of a root at 0, would be NaN or infinite, and NaN if multiplied by
// 0; in the norm of all gradients it would stop the run. Threads: pure. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// True if each divisor, and each operand of a root or logarithm, is visibly positive: a positive constant,
/// or such a constant plus a square, an exponential, or the like.
bool isTame(MapOp map);

} // namespace windlass::graph
