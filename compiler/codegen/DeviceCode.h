// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceCode.h - kernels of the graph level become PTX ==================//
//
// Duty: the second ending of code generation (Codegen.h has the first): kernels as there,
// down to the slices of one row, then threads in place of loops. The text has an entry
// point per kernel that takes the device addresses of the arguments, those of the results,
// and begin and end, 64 bits each; what it computes has the bits of the shared object's.
//
// A kernel that says so (graph::kPartials) has two entry points, "k" and "k_$_1", one for each of its phases:
// both take the addresses of partial sums behind those of the results, too.
//
// Every kernel of which the other ending makes code, and products, which are those of the reference
// (DeviceBuiltins.h); but for tensors without elements and names that PTX cannot have. A map on one dimension
// runs for any begin <= end, and best where begin is a multiple of 16.
// Errors: diagnostics on the kernel. Determinism: equal input, equal text.
// Threads: as generateKernels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace windlass::codegen {

struct DeviceCode {
  std::string ptx;                             ///< empty for no kernels
  std::vector<std::vector<DeviceGrid>> phases; ///< of each kernel, in order; there is at least one
};

/// Whether the functions stand there, too, that every plan brings (runtime/base/DeviceBuiltins.h).
enum class Builtins { None, All };

/// The kernels stay as they are.
mlir::FailureOr<DeviceCode> generateDeviceCode(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                               Builtins builtins = Builtins::None);

} // namespace windlass::codegen
