// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WritePtx.h - the LLVM dialect becomes PTX text ========================//
//
// Duty: writes the PTX of kernels for the oldest supported device and assembler (AuditPtx.h), with nothing
// that may change bits, and audits it. Equal input gives equal text. Errors: diagnostics.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace windlass::codegen {

/// The functions of the module must be kernels on pointers. Sets the target of the module.
mlir::FailureOr<std::string> writePtx(mlir::ModuleOp module);

} // namespace windlass::codegen
