// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/InstructionCost.h"

#include "dialects/Dist/IR/DistChunks.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"
#include "passes/Graph/recompute/OpSeconds.h"
#include "runtime/plan/Device.h"
#include <numeric>

using namespace mlir;

namespace windlass::flow {

static plan::Opcode opcodeOf(TransferKind kind) {
  switch (kind) {
  case TransferKind::Upload:
    return plan::Opcode::Upload;
  case TransferKind::Offload:
    return plan::Opcode::Offload;
  case TransferKind::Read:
    return plan::Opcode::Read;
  case TransferKind::Write:
    return plan::Opcode::Write;
  }
  llvm_unreachable("closed enum");
}

static plan::Opcode opcodeOf(CollectiveOpInterface collective) {
  return TypeSwitch<Operation *, plan::Opcode>(collective)
      .Case([](AllGatherOp) { return plan::Opcode::AllGather; })
      .Case([](ReduceScatterOp) { return plan::Opcode::ReduceScatter; })
      .Case([](BroadcastOp) { return plan::Opcode::Broadcast; })
      .Case([](ReduceOp) { return plan::Opcode::Reduce; });
}

const graph::KernelCost &InstructionCost::kernel(StringRef symbol) {
  auto [entry, fresh] = kernels.try_emplace(symbol);
  if (fresh)
    if (auto function = symbols.lookup<func::FuncOp>(symbol))
      if (FailureOr<graph::KernelCost> cost = graph::describeKernel(function); succeeded(cost))
        entry->second = *cost;
  return entry->second;
}

double InstructionCost::launchSeconds(StringRef symbol, double elements, Lane lane) {
  const graph::KernelCost &cost = kernel(symbol);
  const double part = std::min(1.0, elements / std::max<int64_t>(1, cost.extent));
  model::InstructionWork work{plan::Opcode::Launch, lane, cost.bytes * part, cost.flops * part};
  work.kernel = symbol;
  work.part = part;
  return model::secondsOf(machine, work);
}

model::InstructionWork InstructionCost::launchWork(LaunchOp launch) {
  const graph::KernelCost &cost = kernel(launch.getKernel());
  const double part = cost.extent > 0 ? static_cast<double>(launch.getEnd() - launch.getBegin()) /
                                            static_cast<double>(cost.extent)
                                      : 1;
  auto function = symbols.lookup<func::FuncOp>(launch.getKernel());
  auto matmul = dyn_cast<graph::MatmulOp>(function.getBody().front().front());
  model::InstructionWork work{plan::Opcode::Launch, *launch.deriveLane(), cost.bytes * part,
                              cost.flops * part};
  if (matmul)
    work.product = graph::productOf(matmul);
  work.kernel = launch.getKernel();
  work.part = part;
  const bool inPhases =
      function->hasAttr(graph::kPartials) && plan::findDevice(machine.backend)->hasOwnCode();
  work.phases = inPhases ? 2 : 1;
  return work;
}

/// The bytes of a collective: the pieces of all ranks of the group. A broadcast or reduce has one piece per
/// tensor, the whole tensor.
model::InstructionWork InstructionCost::collectiveWork(CollectiveOpInterface collective) {
  const ArrayRef<int64_t> pieces = collective.getPieceBytes();
  const model::RankGroup group = groupOf(collective);
  const int64_t holders = isa<BroadcastOp, ReduceOp>(collective.getOperation()) ? 1 : group.ranks;
  const int64_t bytes = std::accumulate(pieces.begin(), pieces.end(), int64_t(0)) * holders;
  auto lane = cast<InstructionOpInterface>(collective.getOperation()).deriveLane();
  return {opcodeOf(collective), *lane, static_cast<double>(bytes), 0, {}, group};
}

/// Every stage has `ranks` ranks; stage s begins at rank s * `ranks`.
template <typename Message> model::InstructionWork InstructionCost::messageWork(Message message) {
  constexpr bool isSend = std::is_same_v<Message, SendOp>;
  model::InstructionWork work{isSend ? plan::Opcode::Send : plan::Opcode::Recv, *message.deriveLane(),
                              static_cast<double>(bufferType(message.getBuffer()).getBytes())};
  auto module = message->template getParentOfType<ModuleOp>();
  const int64_t from = dist::stageOfPart(module, message.getFrom()) * ranks,
                to = dist::stageOfPart(module, message.getTo()) * ranks;
  for (int64_t rank = 0; rank < ranks; ++rank)
    work.acrossNodes |= machine.nodeOf(from + rank) != machine.nodeOf(to + rank);
  return work;
}

model::RankGroup InstructionCost::groupOf(CollectiveOpInterface collective) {
  dist::MeshOp mesh = dist::meshOf(collective);
  return mesh ? model::RankGroup{mesh.groupRanks(collective.axes()), mesh.groupSpan(collective.axes())}
              : model::RankGroup{machine.ranks(), machine.ranks()};
}

model::InstructionWork InstructionCost::workOf(InstructionOpInterface op) {
  return TypeSwitch<Operation *, model::InstructionWork>(op)
      .Case([&](LaunchOp launch) { return launchWork(launch); })
      .Case([&](TransferOp transfer) {
        return model::InstructionWork{opcodeOf(transfer.getKind()), *transfer.deriveLane(),
                                      static_cast<double>(bufferType(transfer.getSource()).getBytes())};
      })
      .Case([&](CollectiveOpInterface collective) { return collectiveWork(collective); })
      .Case([&](SendOp send) { return messageWork(send); })
      .Case([&](RecvOp recv) { return messageWork(recv); })
      .Case([&](ReportOp) { return model::InstructionWork{plan::Opcode::Report, plan::Lane::HostCompute}; })
      .Default(
          [&](Operation *) { return model::InstructionWork{plan::Opcode::Feed, plan::Lane::HostCompute}; });
}

double InstructionCost::seconds(InstructionOpInterface op) {
  model::InstructionWork work = workOf(op);
  if (work.op == plan::Opcode::Launch && ownerOf(op) >= 0) {
    work.bytes /= static_cast<double>(dataRanks);
    work.flops /= static_cast<double>(dataRanks);
    work.part /= static_cast<double>(dataRanks);
  }
  return model::secondsOf(machine, work);
}

/// Whether a collective runs over the ranks of one place along the axes of data.
static bool isOfOnePlace(CollectiveOpInterface collective) {
  dist::MeshOp mesh = dist::meshOf(collective);
  return mesh && !mesh.spansData(collective.axes());
}

model::TimedTask InstructionCost::task(InstructionOpInterface op) {
  model::TimedTask task = model::taskOf(machine, workOf(op));
  task.owner = ownerOf(op);
  if (auto collective = dyn_cast<CollectiveOpInterface>(op.getOperation());
      collective && isOfOnePlace(collective))
    task.channel = model::kAtOnePlace;
  return task;
}

void InstructionCost::quote(InstructionOpInterface fetch, plan::FetchWindow &window) {
  using model::Machine, model::RateId;
  auto fill = [&](double Machine::*latency, double bytes, RateId rate, int64_t shares = 1) {
    window.latency = machine.quote(latency);
    window.bytes = static_cast<int64_t>(bytes);
    window.shares = shares;
    window.rate = machine.quote(rate);
  };
  if (auto collective = dyn_cast<CollectiveOpInterface>(fetch.getOperation())) {
    const model::InstructionWork work = collectiveWork(collective);
    const model::RankGroup &group = work.group;
    const model::BindingLink link = model::bindingLinkOf(machine, work);
    const bool isFar = machine.crossesNodes(group) && machine.nodesLatency >= 0;
    fill(isFar ? &Machine::nodesLatency : &Machine::ggLatency, work.bytes, link.rate, link.shares);
    const double first = machine.collectiveSeconds(0, group); // seconds to the first byte
    if (first > window.latency.seconds) {
      window.latency.key += " and hops";
      window.latency.seconds = first;
    }
    return;
  }
  const double bytes = bufferType(cast<TransferOp>(fetch.getOperation()).getSource()).getBytes();
  return fetch.deriveLane() == Lane::NcIn
             ? fill(&Machine::nvmeLatency, bytes, machine.diskLink(RateId::NvmeRead))
             : fill(&Machine::cgLatency, bytes, RateId::CgIn);
}

} // namespace windlass::flow
