// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionCost.h - how long an instruction takes ===================//
//
// Duty: seconds of a flow instruction on one rank of a machine, from what its kernel
// computes or the bytes it moves. Kernels are described once.
// Threads, ownership: refers to the module and the machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/Codegen.h"
#include "compiler/model/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Flow/Homes.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::flow {

class InstructionCost {
public:
  InstructionCost(mlir::ModuleOp module, const model::Machine &machine)
      : symbols(module), machine(machine), ranks(ranksOf(module)) {}

  double seconds(InstructionOpInterface op);
  /// What a lane's work takes of the cores that lanes share; 0: it has its own.
  double coreWeight(Lane lane) const { return machine.coreWeight(static_cast<plan::Lane>(lane)); }
  /// See model::Machine.
  double nvmeDuplex() const { return machine.nvmeDuplex(); }
  /// Of a launch of so many elements, on the device or the host.
  double launchSeconds(llvm::StringRef kernel, double elements, Lane lane);
  /// What decides a fetch's seconds: "nvme.latency 100 us, 1.00 MiB at nvme.read 1.30 GB/s (declared)".
  std::string quote(InstructionOpInterface fetch);
  /// What the whole extent of a kernel computes and moves; a launch of a part costs its share.
  const codegen::KernelCost &kernel(llvm::StringRef symbol);

private:
  double launchSeconds(LaunchOp launch);
  model::RankGroup groupOf(CollectiveOpInterface collective);

  mlir::SymbolTable symbols;
  const model::Machine &machine;
  int64_t ranks;
  llvm::StringMap<codegen::KernelCost> kernels;
};

} // namespace windlass::flow
