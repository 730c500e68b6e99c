#include "passes/Flow/InstructionCost.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Graph/OpSeconds.h"

using namespace mlir;

namespace windlass::flow {

const codegen::KernelCost &InstructionCost::kernel(StringRef symbol) {
  auto [entry, fresh] = kernels.try_emplace(symbol);
  if (fresh)
    if (auto function = symbols.lookup<func::FuncOp>(symbol))
      if (FailureOr<codegen::KernelCost> cost = codegen::describeKernel(function); succeeded(cost))
        entry->second = *cost;
  return entry->second;
}

double InstructionCost::launchSeconds(LaunchOp launch) {
  const codegen::KernelCost &cost = kernel(launch.getKernel());
  double part = std::min(1.0, static_cast<double>(launch.getEnd() - launch.getBegin()) /
                                  std::max<int64_t>(1, cost.extent));
  auto function = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (auto matmul = dyn_cast<graph::MatmulOp>(function.getBody().front().front()))
    return graph::matmulSeconds(matmul, cost.flops, machine);
  // What owners do in turn, each rank does for its share.
  if (ownerOf(cast<InstructionOpInterface>(launch.getOperation())) >= 0)
    part /= static_cast<double>(ranks);
  if (launch.deriveLane() == Lane::HostCompute)
    return machine.hostKernelSeconds(cost.bytes * part);
  return machine.kernelSeconds(cost.bytes * part, cost.flops * part);
}

double InstructionCost::seconds(InstructionOpInterface op) {
  auto sum = [](ValueRange buffers) {
    double bytes = 0;
    for (Value buffer : buffers)
      bytes += bufferType(buffer).getBytes();
    return bytes;
  };
  return TypeSwitch<Operation *, double>(op)
      .Case([&](LaunchOp launch) { return launchSeconds(launch); })
      .Case([&](TransferOp transfer) {
        double bytes = bufferType(transfer.getSource()).getBytes();
        switch (transfer.getKind()) {
        case TransferKind::Upload:
          return machine.uploadSeconds(bytes);
        case TransferKind::Offload:
          return machine.offloadSeconds(bytes);
        case TransferKind::Read:
          return machine.readSeconds(bytes);
        case TransferKind::Write:
          return machine.writeSeconds(bytes);
        }
        llvm_unreachable("closed enum");
      })
      .Case([&](CollectiveOpInterface collective) {
        const double bytes = sum(collective.getUnits());
        dist::MeshOp mesh = dist::meshOf(op);
        return mesh ? machine.collectiveSeconds(
                          bytes, {mesh.groupRanks(collective.axes()), mesh.groupSpan(collective.axes())})
                    : machine.allGatherSeconds(bytes);
      })
      .Default(1e-6); // feeds and reports
}

} // namespace windlass::flow
