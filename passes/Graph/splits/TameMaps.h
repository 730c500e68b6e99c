// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TameMaps.h - maps that padding may go through ======================//
//
// Duty: tells maps that make finite numbers of any finite ones, and whose adjoints do. Where ranks do not
// divide a dimension the last one's part is padded: what stands there is near 0, and its gradient is 0. A
// quotient of such numbers, or the slope of a root at 0, would be no number, and times 0 none as well; in the
// norm of all gradients it would stop the run. Threads: pure. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Divisors, and what roots and logarithms are taken of, must be seen to be positive: a positive constant, or
/// one added to a square, an exponential, or the like.
bool isTame(MapOp map);

} // namespace windlass::graph
