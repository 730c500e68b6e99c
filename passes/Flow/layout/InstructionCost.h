// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionCost.h - how long an instruction takes =====================//
//
// Duty: describes the work of a flow instruction, the kernel that it computes or the bytes that it moves, for
// the clock of model/Player.h; and the seconds of that work on one rank of a machine. Each kernel is
// described once.
// Threads, ownership: refers to the module and the machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/kernels/GraphKernelCost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "model/Player.h"
#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::flow {

class InstructionCost {
public:
  InstructionCost(mlir::ModuleOp module, const model::Machine &machine)
      : symbols(module), machine(machine), ranks(ranksOf(module)), dataRanks(dataRanksOf(module)) {}

  /// The mean over ranks. A launch on an owner's home runs on one data rank: its mean is its seconds divided
  /// by the number of data ranks.
  double seconds(InstructionOpInterface op);
  /// The task on a rank that executes it; without waits.
  model::TimedTask task(InstructionOpInterface op);
  /// An empty step, with the machine's lanes and rates.
  model::TimedStep step() const { return model::stepOn(machine); }
  /// Seconds of a launch of so many elements, on a lane of the device or the host.
  double launchSeconds(llvm::StringRef kernel, double elements, Lane lane);
  /// Quotes the rates behind a fetch's seconds: "nvme.latency 100 us, 1.00 MiB at nvme.read 1.30 GB/s
  /// (declared)".
  void quote(InstructionOpInterface fetch, plan::FetchWindow &window);
  /// The operations and bytes of a kernel over its whole extent. A launch over a part has a proportional
  /// share.
  const graph::KernelCost &kernel(llvm::StringRef symbol);

private:
  model::InstructionWork workOf(InstructionOpInterface op);
  model::InstructionWork launchWork(LaunchOp launch);
  model::InstructionWork collectiveWork(CollectiveOpInterface collective);
  template <typename Message> model::InstructionWork messageWork(Message message);
  model::RankGroup groupOf(CollectiveOpInterface collective);

  mlir::SymbolTable symbols;
  const model::Machine &machine;
  int64_t ranks, dataRanks;
  llvm::StringMap<graph::KernelCost> kernels;
};

} // namespace windlass::flow
