// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionCost.h - how long an instruction takes ===================//
//
// Duty: what a flow instruction does (the kernel it computes, the bytes it moves), as the clock of
// model takes it, and its seconds on one rank of a machine. Kernels are described once.
// Threads, ownership: refers to the module and the machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphKernelCost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "model/Player.h"
#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::flow {

class InstructionCost {
public:
  InstructionCost(mlir::ModuleOp module, const model::Machine &machine)
      : symbols(module), machine(machine), ranks(ranksOf(module)) {}

  /// On every rank; of a launch that ranks do in turn, each for what it owns, a rank's share.
  double seconds(InstructionOpInterface op);
  /// On a rank that executes it; without waits.
  model::TimedTask task(InstructionOpInterface op);
  /// A step without sections on the machine.
  model::TimedStep step() const { return model::stepOn(machine); }
  /// Of a launch of so many elements, on the device or the host.
  double launchSeconds(llvm::StringRef kernel, double elements, Lane lane);
  /// What decides a fetch's seconds: "nvme.latency 100 us, 1.00 MiB at nvme.read 1.30 GB/s (declared)".
  void quote(InstructionOpInterface fetch, plan::FetchWindow &window);
  /// What the whole extent of a kernel computes and moves; a launch of a part costs its share.
  const graph::KernelCost &kernel(llvm::StringRef symbol);

private:
  model::InstructionWork workOf(InstructionOpInterface op);
  model::InstructionWork launchWork(LaunchOp launch);
  model::InstructionWork collectiveWork(CollectiveOpInterface collective);
  model::RankGroup groupOf(CollectiveOpInterface collective);

  mlir::SymbolTable symbols;
  const model::Machine &machine;
  int64_t ranks;
  llvm::StringMap<graph::KernelCost> kernels;
};

} // namespace windlass::flow
