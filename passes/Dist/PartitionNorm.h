// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartitionNorm.h - the norm of gradients that ranks have parts of ======//
//
// Duty: builds the norm of all gradients from this rank's parts of them: the sums of squares of its pieces, a
// slot each; gathers, which bring the slots of all ranks; one sum over ranks and slots. So the norm is the
// same sum whatever was decided. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"
#include <map>

namespace windlass::dist {

/// `parts`: by the number of a bucket in the layout. The norm is a scalar of f32.
mlir::Value buildNorm(mlir::OpBuilder &builder, mlir::Location loc, const ShardLayout &layout,
                      const std::map<size_t, mlir::Value> &parts);

} // namespace windlass::dist
