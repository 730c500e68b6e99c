// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WritePtx.h - the LLVM dialect becomes PTX text ========================//
//
// Duty: device code of functions that are kernels, for the oldest device and assembler
// that are promised (AuditPtx.h), with nothing that may change bits; and the audit of it.
// Equal input gives equal text. Errors: diagnostics.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace windlass::codegen {

/// The functions of the module are kernels on pointers; it comes to know its target.
mlir::FailureOr<std::string> writePtx(mlir::ModuleOp module);

} // namespace windlass::codegen
