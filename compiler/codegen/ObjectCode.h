// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectCode.h - the LLVM dialect becomes an object file, then a library =//
//
// Duty: LLVM's optimiser and code generator with nothing that may change bits or
// call a library, and the linker. Equal input gives an equal file.
// Errors: a message, empty on success.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/Codegen.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace windlass::codegen {

mlir::LogicalResult writeObject(mlir::ModuleOp module, const TargetOptions &options, llvm::StringRef path);

/// Links one object file to a shared object without a dependency or an undefined symbol.
std::string linkSharedObject(const std::string &objectPath, const std::string &path);

} // namespace windlass::codegen
