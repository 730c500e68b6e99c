// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of one instruction (CheckStructure.h).
#include "runtime/plan/Collectives.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/CheckStructure.h"
#include "runtime/plan/file/Schema.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>

namespace windlass::plan {
namespace {

/// The instruction under examination and where its faults go.
class Examination {
public:
  Examination(const Plan &plan, const Program &program, Purpose purpose, const Section &section,
              const Instruction &instruction, uint32_t ordinal, Findings &findings)
      : plan(plan), program(program), purpose(purpose), section(section), instruction(instruction),
        operands(instruction.operands), ordinal(ordinal), findings(findings) {}

  void run();

private:
  void fault(const std::string &rule) {
    findings.add("section " + section.name + ", " + nameOf(instruction, ordinal) + ": " + rule);
  }
  std::string operandName(size_t i) const {
    return "operand " + std::to_string(i) + " (\"" + program.buffers[operands[i].buffer].name + "\")";
  }
  void examineTable();
  void examinePlaces();
  bool inPlace(size_t i, size_t j) const;
  void examineOverlap();
  void examineLaunch();
  void examineChunk(const Kernel &kernel);
  void examineOwners();
  void examineAlone(int64_t owner);
  int64_t dataAxes() const;
  void examineCollective();
  void examineStaging();
  void examineCopy();
  void examineMessage();
  void examineItem();
  void askAlignment(size_t operand, int64_t alignment);

  const Plan &plan;
  const Program &program;
  const Purpose purpose;
  const Section &section;
  const Instruction &instruction;
  const std::vector<Operand> &operands;
  const uint32_t ordinal;
  Findings &findings;
};

void Examination::run() {
  const InstructionRow &row = rowOf(instruction.op);
  if (!isCollective(instruction.op) && !instruction.axes.empty())
    fault("runs over " + nameOfAxes(plan, instruction.axes) + ", but is no collective");
  if (!isCollective(instruction.op) && instruction.staged)
    fault("has memory for a transport, but is no collective");
  if (!row.lanes.holds(instruction.lane))
    fault("\"" + std::string(row.text) + "\" may not stand on lane \"" +
          std::string(textOf(instruction.lane)) + "\"");
  examinePlaces();
  examineOverlap();
  examineOwners();
  if (instruction.op == Opcode::Launch)
    return examineLaunch();
  OperandCount count = operandCount(instruction.op);
  if (operands.size() < count.least || (operands.size() > count.least && !count.more))
    return fault(std::to_string(operands.size()) + " operands, but the table has \"" +
                 std::string(row.operands) + "\"");
  examineTable();
  switch (instruction.op) {
  case Opcode::Launch:
    break;
  case Opcode::AllGather:
  case Opcode::ReduceScatter:
  case Opcode::Broadcast:
  case Opcode::Reduce:
    return examineCollective();
  case Opcode::Upload:
  case Opcode::Offload:
  case Opcode::Read:
  case Opcode::Write:
    return examineCopy();
  case Opcode::Send:
  case Opcode::Recv:
    return examineMessage();
  case Opcode::Feed:
  case Opcode::Report:
    return examineItem();
  }
}

void Examination::examineTable() {
  for (size_t i = 0; i < operands.size(); ++i) {
    Tier found = tierOf(program, operands[i]);
    Tier wanted = operandRule(instruction.op, i).tier;
    if (found != wanted)
      fault(operandName(i) + " lies in " + std::string(textOf(found)) + ", not in " +
            std::string(textOf(wanted)));
  }
}

void Examination::examinePlaces() {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    int64_t end = bufferOffset(plan, operand, program.lastRank()) + operand.bytes;
    int64_t held = program.buffers[operand.buffer].bytes;
    if (end > held)
      fault(operandName(i) + " ends at " + std::to_string(end) + " of a buffer of " + std::to_string(held) +
            " bytes");
    if (operand.bytes == 0)
      fault(operandName(i) + " has no bytes");
  }
}

/// In place: a generated kernel may leave a result in the very bytes of an argument; a library call may not.
bool Examination::inPlace(size_t i, size_t j) const {
  const Operand &a = operands[i], &b = operands[j];
  return instruction.op == Opcode::Launch &&
         plan.kernels[static_cast<size_t>(instruction.kernel)].kind == KernelKind::Generated &&
         accessOf(plan, instruction, i) == Access::Read && accessOf(plan, instruction, j) == Access::Write &&
         a.buffer == b.buffer && a.offset == b.offset && a.bytes == b.bytes && a.stride == b.stride;
}

/// But for that, whoever writes an operand may assume that no other operand shares its bytes.
void Examination::examineOverlap() {
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = i + 1; j < operands.size(); ++j) {
      bool touched = writes(accessOf(plan, instruction, i)) || writes(accessOf(plan, instruction, j));
      if (!touched || tierOf(program, operands[i]) != tierOf(program, operands[j]) || inPlace(i, j))
        continue;
      bool moves = dependsOnRank(plan, operands[i]) || dependsOnRank(plan, operands[j]);
      for (int64_t rank = program.firstRank; rank < program.firstRank + (moves ? program.ranks : 1); ++rank) {
        int64_t a = arenaOffset(plan, program, operands[i], rank),
                b = arenaOffset(plan, program, operands[j], rank);
        if (a < b + operands[j].bytes && b < a + operands[i].bytes)
          return fault(operandName(i) + " and " + operandName(j) + " share bytes on rank " +
                       std::to_string(rank));
      }
    }
}

void Examination::askAlignment(size_t i, int64_t alignment) {
  const Operand &operand = operands[i];
  bool aligned = (program.buffers[operand.buffer].offset + operand.offset) % alignment == 0 &&
                 std::all_of(operand.stride.begin(), operand.stride.end(),
                             [&](int64_t stride) { return stride % alignment == 0; });
  if (!aligned)
    fault(operandName(i) + " begins at no multiple of " + std::to_string(alignment));
}

void Examination::examineLaunch() {
  const Kernel &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)];
  const Tier tier = instruction.lane == Lane::HostCompute ? Tier::Host : Tier::Device;
  bool chunked = false, all = true; // by the plan, which cuts some operands to the range, or all
  for (size_t i = 0; i < operands.size(); ++i) {
    chunked |= kernel.argBytes[i] == 0 && kernel.args[i] != Access::Scratch;
    all &= kernel.argBytes[i] == 0;
    if (tierOf(program, operands[i]) != tier)
      fault(operandName(i) + " lies in " + std::string(textOf(tierOf(program, operands[i]))) +
            ", but the lane works in " + std::string(textOf(tier)));
    if (kernel.argBytes[i] != 0 && operands[i].bytes != kernel.argBytes[i])
      fault(operandName(i) + " has " + std::to_string(operands[i].bytes) + " bytes, but its kernel touches " +
            std::to_string(kernel.argBytes[i]));
    askAlignment(i, kernel.kind == KernelKind::Matmul ? alignmentOf(program, tier) : kMemoryAlignment);
  }
  examineChunk(kernel);
  // The runtime cuts ranges, a plan does not, but for chunks: then operands begin where the range does.
  const std::string range =
      "range [" + std::to_string(instruction.begin) + ", " + std::to_string(instruction.end) + ") ";
  if (chunked && (instruction.begin != 0 || instruction.end < 1))
    fault(range + "is not that of its operands, from 0");
  if (chunked && !all && instruction.end > kernel.extent)
    fault(range + "is not within [0, " + std::to_string(kernel.extent) + ")");
  if (!chunked && (instruction.begin != 0 || instruction.end != kernel.extent))
    fault(range + "is not [0, " + std::to_string(kernel.extent) + "), all of its kernel");
  if (instruction.bytesMoved != 0)
    fault("a launch moves " + std::to_string(instruction.bytesMoved) + " bytes");
}

/// An operand without a size of its own holds an element for every index of the range.
void Examination::examineChunk(const Kernel &kernel) {
  const int64_t elements = instruction.end - instruction.begin;
  if (kernel.kind != KernelKind::Generated || elements <= 0)
    return;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t each = operands[i].bytes / elements;
    if (kernel.argBytes[i] == 0 &&
        (operands[i].bytes % elements != 0 || (each != 2 && each != 4 && each != 8)))
      fault(operandName(i) + " has " + std::to_string(operands[i].bytes) + " bytes for a range of " +
            std::to_string(elements) + " elements, which have 2, 4 or 8 each");
  }
}

/// One data rank at most owns what an instruction touches; of a collective's operands only the shard has an
/// owner, and has one where it is the only one. What a data rank owns is one copy, so it is of no use to a
/// mesh whose states are copied along an axis of data.
void Examination::examineOwners() {
  const bool collective = isCollective(instruction.op);
  int64_t owner = kEveryRank;
  for (size_t i = 0; i < operands.size(); ++i) {
    int64_t mine = program.buffers[operands[i].buffer].owner;
    if (mine == kEveryRank)
      continue;
    if (const int64_t axes = dataAxes(); axes > 1)
      fault(operandName(i) + " has owner " + std::to_string(mine) + ", but the mesh has " +
            std::to_string(axes) + " axes of data, and only ranks of one axis own something");
    if (collective && (i > 0 || !hasRoot(instruction.op)))
      fault(operandName(i) + " has owner " + std::to_string(mine) + ", but every rank needs it");
    if (owner != kEveryRank && owner != mine)
      fault(operandName(i) + " has owner " + std::to_string(mine) + ", but another operand has owner " +
            std::to_string(owner));
    owner = mine;
  }
  if (hasRoot(instruction.op) && !operands.empty() && owner == kEveryRank)
    fault(operandName(0) + " has no owner");
  if (!collective && owner != kEveryRank)
    examineAlone(owner);
}

int64_t Examination::dataAxes() const {
  return std::ranges::count(plan.mesh, AxisKind::Data, &MeshAxis::kind);
}

/// What one data rank alone does changes what it alone has, but for slots of the norm, which are summed. It
/// copies nothing from others' bytes.
void Examination::examineAlone(int64_t owner) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Buffer &buffer = program.buffers[operands[i].buffer];
    const Access access = accessOf(plan, instruction, i);
    const bool touched = instruction.op != Opcode::Launch || (writes(access) && access != Access::Scratch);
    if (touched && buffer.owner == kEveryRank && buffer.cls != BufferClass::Feed)
      fault(operandName(i) + " is every rank's, but " + nameOfOwner(plan, owner) + " alone runs this");
  }
}

/// What other ranks bring to a sum needs a place on devices whose transports have none of their own.
void Examination::examineStaging() {
  const DeviceRow *device = findDevice(plan.backend);
  const int64_t ranks = groupRanks(plan, instruction.axes);
  if (!device || device->stagingBytes == 0 || ranks < 2)
    return;
  const int64_t bytes = instruction.staged ? operands.back().bytes : 0;
  if (stagedChunk(bytes, ranks) > 0)
    return;
  const Result<Collectives> collectives = collectivesOf(plan);
  if (!collectives || mostStagingBytes(*collectives, *device) > 0)
    fault("has " + std::to_string(bytes) + " bytes to stage what " + std::to_string(ranks) + " ranks sum");
}

void Examination::examineCollective() {
  const std::vector<int64_t> &pieces = instruction.pieceBytes;
  const size_t whole = operands.size() - 1 - instruction.staged;
  if (pieces.size() != whole)
    return fault(std::to_string(pieces.size()) + " pieces for " + std::to_string(whole) +
                 " gathered operands");
  const bool sums = instruction.op == Opcode::ReduceScatter || instruction.op == Opcode::Reduce;
  const int64_t ranks = hasRoot(instruction.op) ? 1 : groupRanks(plan, instruction.axes);
  if (sums)
    examineStaging();
  if (hasRoot(instruction.op) && !areDataAxes(plan, instruction.axes))
    fault("runs over " + nameOfAxes(plan, instruction.axes) + ", but its owner is one of the data ranks");
  int64_t sum = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    sum = std::min(sum + pieces[i], 2 * kLargest); // hostile pieces must not overflow
    if (operands[i + 1].bytes != ranks * pieces[i])
      fault(operandName(i + 1) + " has " + std::to_string(operands[i + 1].bytes) + " bytes, but " +
            std::to_string(ranks) + " ranks bring pieces of " + std::to_string(pieces[i]));
    if (sums && pieces[i] % bytesOf(instruction.type) != 0)
      fault("a piece of " + std::to_string(pieces[i]) + " bytes cuts an element");
  }
  const int64_t padded = (sum + kNvmeAlignment - 1) / kNvmeAlignment * kNvmeAlignment;
  if (operands[0].bytes != sum && operands[0].bytes != padded)
    fault(operandName(0) + " has " + std::to_string(operands[0].bytes) + " bytes, but its pieces " +
          std::to_string(sum) + ", or " + std::to_string(padded) + " as a home on a disk pads them");
  if (sums && instruction.type == ElementType::I32)
    fault("sums of i32 are not defined");
}

void Examination::examineCopy() {
  if (operands[0].bytes != operands[1].bytes)
    fault("copies " + std::to_string(operands[0].bytes) + " bytes to " + std::to_string(operands[1].bytes));
  if (instruction.bytesMoved != operands[0].bytes)
    fault("says it moves " + std::to_string(instruction.bytesMoved) + " bytes, but copies " +
          std::to_string(operands[0].bytes));
  if (!isNvmeLane(instruction.lane))
    return;
  for (size_t i = 0; i < 2; ++i) {
    askAlignment(i, kNvmeAlignment);
    if (operands[i].bytes % kNvmeAlignment != 0)
      fault(operandName(i) + " has " + std::to_string(operands[i].bytes) + " bytes, no multiple of " +
            std::to_string(kNvmeAlignment));
  }
}

/// That both ends agree is another check's business (CheckMeetings.h).
void Examination::examineMessage() {
  if (instruction.item.empty())
    fault("has no name for its value");
  if (instruction.bytesMoved != operands[0].bytes)
    fault("says it moves " + std::to_string(instruction.bytesMoved) + " bytes, but its value has " +
          std::to_string(operands[0].bytes));
}

void Examination::examineItem() {
  if (instruction.item.empty())
    fault("has no item");
  for (const Input &input : plan.inputs) {
    if (instruction.op != Opcode::Feed || input.name != instruction.item)
      continue;
    __int128 bytes = bytesOf(input.type);
    for (int64_t extent : input.shape)
      bytes = std::min<__int128>(bytes * extent, __int128(1) << 62);
    if (purpose == Purpose::Sample && !input.shape.empty())
      bytes /= std::max<int64_t>(1, input.shape.front()); // one text at a time
    if (bytes != operands[0].bytes)
      fault(operandName(0) + " has " + std::to_string(operands[0].bytes) + " bytes, but input \"" +
            input.name + "\" has another size");
  }
}

} // namespace

void checkInstruction(const Plan &plan, const Program &program, Purpose purpose, const Section &section,
                      const Instruction &instruction, uint32_t ordinal, Findings &findings) {
  Examination(plan, program, purpose, section, instruction, ordinal, findings).run();
}

} // namespace windlass::plan
