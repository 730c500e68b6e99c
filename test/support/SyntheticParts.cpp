// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/SyntheticParts.h"
#include "runtime/plan/Enums.h"

namespace windlass::test {

using namespace windlass::plan;

void SyntheticParts::beginProgram(Program &next) {
  program = &next;
  bufferOf.clear();
}

Operand SyntheticParts::buffer(const std::string &name, BufferClass cls, Tier tier, int64_t bytes,
                               bool persistent, int64_t owner) {
  auto [at, isNew] = bufferOf.try_emplace(name, static_cast<uint32_t>(program->buffers.size()));
  if (isNew)
    program->buffers.push_back({name, cls, tier, 0, bytes, persistent, owner});
  return {at->second, 0, bytes, {}};
}

Instruction &SyntheticParts::add(Opcode op, Lane lane, const std::string &what,
                                 std::vector<Operand> operands) {
  Instruction &instruction = section->instructions.emplace_back();
  instruction.op = op;
  instruction.lane = lane;
  instruction.operands = std::move(operands);
  instruction.origin = {function, what, phase};
  instruction.microBatch = microBatch;
  return instruction;
}

void SyntheticParts::copy(Opcode op, Lane lane, const std::string &what, Operand from, Operand to) {
  add(op, lane, what, {from, to}).bytesMoved = from.bytes;
}

Instruction &SyntheticParts::collective(Opcode op, const std::string &what, Operand shard, Operand gathered,
                                        int64_t pieceBytes, ElementType type) {
  Instruction &instruction = add(op, Lane::Gg, what, {shard, gathered});
  instruction.pieceBytes = {pieceBytes};
  instruction.type = type;
  instruction.bytesMoved = gathered.bytes;
  return instruction;
}

void SyntheticParts::feed(const std::string &item, Operand fed, Operand uploaded) {
  add(Opcode::Feed, Lane::HostCompute, item, {fed}).item = item;
  copy(Opcode::Upload, Lane::CgIn, item, fed, uploaded);
}

void SyntheticParts::report(const std::string &item, Operand from) {
  Operand to = host("report." + item, BufferClass::Feed, from.bytes);
  copy(Opcode::Offload, Lane::CgOut, item, from, to);
  add(Opcode::Report, Lane::HostCompute, item, {to}).item = item;
}

void SyntheticParts::launch(int32_t kernel, const std::string &what, std::vector<Operand> operands,
                            int64_t end) {
  const bool onHost = program->buffers[operands.front().buffer].tier == Tier::Host;
  Instruction &instruction =
      add(Opcode::Launch, onHost ? Lane::HostCompute : Lane::Compute, what, std::move(operands));
  instruction.kernel = kernel;
  instruction.end = end;
}

void SyntheticParts::matmul(const std::string &what, const Extents &e, Operand a, Operand b, Operand c) {
  std::string key = std::to_string(e.m) + "x" + std::to_string(e.n) + "x" + std::to_string(e.k) +
                    (e.transposeA ? "t" : "n") + (e.transposeB ? "t" : "n") + (e.accumulate ? "+" : "");
  for (ElementType type : {e.a, e.b, e.c})
    if (type != ElementType::F32)
      key += "." + std::string(textOf(type));
  const int32_t index = kernel(key, [&] {
    Kernel kernel;
    kernel.symbol = key;
    kernel.kind = KernelKind::Matmul;
    kernel.matmul = {1, e.m, e.n, e.k, e.transposeA, e.transposeB, e.a, e.b, e.c, e.accumulate};
    kernel.args = {Access::Read, Access::Read, e.accumulate ? Access::ReadWrite : Access::Write,
                   Access::Scratch};
    kernel.argBytes = {e.m * e.k * bytesOf(e.a), e.k * e.n * bytesOf(e.b), e.m * e.n * bytesOf(e.c), 0};
    kernel.flops = 2.0 * static_cast<double>(e.m * e.n * e.k);
    kernel.description = "matmul " + key;
    return kernel;
  });
  const Tier tier = program->buffers[a.buffer].tier;
  Operand scratch = buffer(tier == Tier::Host ? "scratch.host" : "scratch.device", BufferClass::Workspace,
                           tier, scratchBytes);
  launch(index, what, {a, b, c, scratch}, 1);
}

void SyntheticParts::generated(const std::string &symbol, const std::string &what,
                               std::vector<Operand> operands, int64_t elements, bool chunked) {
  const int32_t index = kernel(symbol, [&] {
    Kernel kernel;
    kernel.symbol = symbol;
    kernel.description = symbol;
    kernel.extent = elements;
    for (const Operand &operand : operands) {
      kernel.args.push_back(&operand == &operands.back() ? Access::Write : Access::Read);
      kernel.argBytes.push_back(chunked ? 0 : operand.bytes);
    }
    return kernel;
  });
  launch(index, what, std::move(operands), elements);
}

} // namespace windlass::test
