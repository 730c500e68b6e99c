// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/InstructionCost.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Graph/OpSeconds.h"
#include "runtime/base/Units.h"

using namespace mlir;

namespace windlass::flow {

static double unitBytes(CollectiveOpInterface collective) {
  double bytes = 0;
  for (Value unit : collective.getUnits())
    bytes += bufferType(unit).getBytes();
  return bytes;
}

const codegen::KernelCost &InstructionCost::kernel(StringRef symbol) {
  auto [entry, fresh] = kernels.try_emplace(symbol);
  if (fresh)
    if (auto function = symbols.lookup<func::FuncOp>(symbol))
      if (FailureOr<codegen::KernelCost> cost = codegen::describeKernel(function); succeeded(cost))
        entry->second = *cost;
  return entry->second;
}

double InstructionCost::launchSeconds(StringRef symbol, double elements, Lane lane) {
  const codegen::KernelCost &cost = kernel(symbol);
  double part = std::min(1.0, elements / std::max<int64_t>(1, cost.extent));
  if (lane == Lane::HostCompute)
    return machine.hostKernelSeconds(cost.bytes * part);
  return machine.kernelSeconds(cost.bytes * part, cost.flops * part);
}

double InstructionCost::launchSeconds(LaunchOp launch) {
  auto function = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (auto matmul = dyn_cast<graph::MatmulOp>(function.getBody().front().front()))
    return graph::matmulSeconds(matmul, kernel(launch.getKernel()).flops, machine);
  double elements = static_cast<double>(launch.getEnd() - launch.getBegin());
  // What owners do in turn, each rank does for its share.
  if (ownerOf(cast<InstructionOpInterface>(launch.getOperation())) >= 0)
    elements /= static_cast<double>(ranks);
  return launchSeconds(launch.getKernel(), elements, *launch.deriveLane());
}

model::RankGroup InstructionCost::groupOf(CollectiveOpInterface collective) {
  dist::MeshOp mesh = dist::meshOf(collective);
  return mesh ? model::RankGroup{mesh.groupRanks(collective.axes()), mesh.groupSpan(collective.axes())}
              : model::RankGroup{machine.ranks(), machine.ranks()};
}

double InstructionCost::seconds(InstructionOpInterface op) {
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
        return machine.collectiveSeconds(unitBytes(collective), groupOf(collective));
      })
      .Default(1e-6); // feeds and reports
}

std::string InstructionCost::quote(InstructionOpInterface fetch) {
  using model::Machine, model::RateId;
  auto text = [&](double Machine::*latency, double bytes, RateId rate, int64_t shares = 1) {
    return machine.quote(latency) + ", " + formatBytes(static_cast<int64_t>(bytes)) + " at " +
           (shares > 1 ? std::to_string(shares) + " x " : "") + machine.quote(rate);
  };
  if (auto collective = dyn_cast<CollectiveOpInterface>(fetch.getOperation())) {
    const model::RankGroup group = groupOf(collective);
    const model::BindingLink link = machine.bindingLink(group);
    const bool isFar = machine.crossesNodes(group) && machine.nodesLatency >= 0;
    return text(isFar ? &Machine::nodesLatency : &Machine::ggLatency, unitBytes(collective), link.rate,
                link.shares);
  }
  const double bytes = bufferType(cast<TransferOp>(fetch.getOperation()).getSource()).getBytes();
  return fetch.deriveLane() == Lane::NcIn ? text(&Machine::nvmeLatency, bytes, RateId::NvmeRead)
                                          : text(&Machine::cgLatency, bytes, RateId::CgIn);
}

} // namespace windlass::flow
