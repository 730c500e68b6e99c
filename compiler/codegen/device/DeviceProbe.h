// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceProbe.h - code that probes the arithmetic of a device ===========//
//
// Duty: the function of a plan's device code that computes every operation of the probe's table for every
// pattern (runtime/base/DeviceBuiltins.h), as generated kernels compute. Threads: as the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::codegen {

void emitProbe(mlir::ModuleOp into);

} // namespace windlass::codegen
