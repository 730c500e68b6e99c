// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceCode.h - kernels of the graph level become PTX ==================//
//
// Duty: generates device code of kernels, as PTX; Codegen.h generates host code. Lowering is the same down to
// the slices of one row; then threads take the place of loops. The text has an entry point per kernel, whose
// parameters are the device addresses of the arguments, those of the results, begin and end, 64 bits each.
// Its results have the same bits as those of host code.
//
// A kernel with graph::kPartials has two entry points, "k" and "k_$_1", one per phase; both take the
// addresses of partial sums after those of the results.
//
// Supported are all kernels of host code, and products, by the reference order (DeviceBuiltins.h). Not
// supported are tensors without elements, and names that PTX does not allow. A map on one dimension runs for
// any begin <= end, and fastest if begin is a multiple of 16. Errors: diagnostics on the kernel. Determinism:
// equal input, equal text. Threads: as generateKernels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace windlass::codegen {

/// The grids of the phases of each kernel, in order; a kernel has at least one phase.
using DevicePhases = std::vector<std::vector<DeviceGrid>>;

struct DeviceCode {
  std::string ptx; ///< empty without kernels
  DevicePhases phases;
};

/// Whether to add the built-in functions of every plan (runtime/base/DeviceBuiltins.h).
enum class Builtins { None, All };

/// The kernels stay as they are.
mlir::FailureOr<DeviceCode> generateDeviceCode(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                               Builtins builtins = Builtins::None);

/// The phases of the code that generateDeviceCode() makes, without the code, which takes most of its time.
mlir::FailureOr<DevicePhases> devicePhases(llvm::ArrayRef<mlir::func::FuncOp> kernels);

} // namespace windlass::codegen
