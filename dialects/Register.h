// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Register.h - the list of all dialects =================================//
//
// Duty: adds every dialect that Windlass reads or writes to a registry.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace windlass {

void registerDialects(mlir::DialectRegistry &registry);

} // namespace windlass
