// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Dispatch.h"

namespace windlass {

bool isLocal(plan::Opcode op) {
  switch (op) {
  case plan::Opcode::Launch:
  case plan::Opcode::Upload:
  case plan::Opcode::Offload:
  case plan::Opcode::Feed:
  case plan::Opcode::Report:
    return true;
  case plan::Opcode::AllGather:
  case plan::Opcode::ReduceScatter:
  case plan::Opcode::Broadcast:
  case plan::Opcode::Reduce:
  case plan::Opcode::Send:
  case plan::Opcode::Recv:
  case plan::Opcode::Read:
  case plan::Opcode::Write:
    return false;
  }
  return false;
}

Status dispatch(const BoundInstruction &bound, const RankLane &lane, int64_t firstMicroBatch,
                StepHost &host) {
  const plan::Instruction &instruction = *bound.instruction;
  switch (instruction.op) {
  case plan::Opcode::Launch:
    return lane.kernels->launch(instruction.kernel, bound.addresses.data(), instruction.begin,
                                instruction.end);
  case plan::Opcode::Upload:
    return lane.device->upload(bound.bytes(1), bound.bytes(0), instruction.operands[0].bytes, lane.stream);
  case plan::Opcode::Offload:
    return lane.device->offload(bound.bytes(1), bound.bytes(0), instruction.operands[0].bytes, lane.stream);
  case plan::Opcode::Feed:
    return host.feed({instruction.item, lane.rank, firstMicroBatch + instruction.microBatch}, bound.span(0));
  case plan::Opcode::Report:
    return host.report({instruction.item, lane.rank, firstMicroBatch + instruction.microBatch},
                       bound.span(0));
  case plan::Opcode::AllGather:
  case plan::Opcode::ReduceScatter:
  case plan::Opcode::Broadcast:
  case plan::Opcode::Reduce:
  case plan::Opcode::Send:
  case plan::Opcode::Recv:
  case plan::Opcode::Read:
  case plan::Opcode::Write:
    break;
  }
  return Status::internal("instruction is not a rank's own");
}

void count(const BoundInstruction &bound, ExecutorCounters &counters) {
  int64_t bytes = movedBytes(bound);
  switch (bound.instruction->op) {
  case plan::Opcode::Launch:
  case plan::Opcode::Feed:
  case plan::Opcode::Report:
    return;
  case plan::Opcode::Upload:
    counters.uploadedBytes += bytes;
    return;
  case plan::Opcode::Offload:
    counters.offloadedBytes += bytes;
    return;
  case plan::Opcode::Read:
    counters.nvmeBytesRead += bytes;
    return;
  case plan::Opcode::Write:
    counters.nvmeBytesWritten += bytes;
    return;
  case plan::Opcode::AllGather:
  case plan::Opcode::ReduceScatter:
  case plan::Opcode::Broadcast:
  case plan::Opcode::Reduce:
    counters.collectiveBytes += bytes;
    return;
  case plan::Opcode::Send: // counted where it arrives
    return;
  case plan::Opcode::Recv:
    counters.messageBytes += bytes;
    return;
  }
}

void add(const ExecutorCounters &more, ExecutorCounters &counters) {
  counters.nvmeBytesRead += more.nvmeBytesRead;
  counters.nvmeBytesWritten += more.nvmeBytesWritten;
  counters.uploadedBytes += more.uploadedBytes;
  counters.offloadedBytes += more.offloadedBytes;
  counters.collectiveBytes += more.collectiveBytes;
  counters.messageBytes += more.messageBytes;
}

} // namespace windlass
