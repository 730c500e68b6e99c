// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelReport.h - describes an imported module ==========================//
//
// Duty: the table that `windlass-compile --check MODEL` prints of a Hugging Face folder or a graph JSON:
// inputs, parameters, ties, layers, loss.
// Threads: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include <string>

namespace windlass {

Result<std::string> reportOf(mlir::ModuleOp imported);

} // namespace windlass
