// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- UnreadArguments.h - layers take only what they read ===================//
//
// Duty: makes layer functions take no values that their bodies do not read. A value that a function returns
// as it came goes past its calls. Otherwise the stages of a pipeline would send each other values that
// nothing reads. Parameters stay arguments, whether they are read or not. Threads, ownership: as MLIR's.
// Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass {

/// Also erases what the bodies compute for nobody.
void dropUnreadArguments(mlir::ModuleOp module);

} // namespace windlass
