// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Program.h - a plan with its addresses filled in ====================//
//
// Duty: what both executors walk over: for each rank the instructions with their
// pointers, for each kind of run the order of sections and the lane counts that
// turn a wait into one number. Made once; a step only reads it.
// Ownership: points into plan and storage, which must outlive it.
// Threads: const after create.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Storage.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/transport/Transport.h"

namespace windlass {

struct BoundInstruction {
  const plan::Instruction *instruction = nullptr;
  int64_t rank = 0;
  uint32_t index = 0;              ///< in its section
  uint32_t ordinal = 0;            ///< on its lane, from 1
  std::vector<void *> addresses;   ///< per operand; null on NVMe
  int64_t fileOffset = 0;          ///< Read, Write
  std::vector<WholeTensor> whole;  ///< collectives: the gathered operands
  int64_t root = plan::kEveryRank; ///< Broadcast, Reduce: whose shard it is
  int64_t pieces = 1;              ///< collectives: of each whole tensor, one per rank of the group
  bool executes = true;            ///< false: another rank's own; this one only keeps its place in the order

  std::byte *bytes(size_t operand) const { return static_cast<std::byte *>(addresses[operand]); }
  /// A collective's shard; empty where another rank owns it.
  std::span<std::byte> shard() const {
    return root == plan::kEveryRank || root == rank ? span(0) : std::span<std::byte>();
  }
  std::span<std::byte> span(size_t operand) const {
    return {bytes(operand), static_cast<size_t>(instruction->operands[operand].bytes)};
  }
};

struct BoundSection {
  plan::SectionKind kind = plan::SectionKind::Only;
  std::vector<BoundInstruction> instructions;            ///< in the plan's total order
  std::array<std::vector<uint32_t>, plan::kLanes> lanes; ///< indices, per lane
  plan::LaneCounts counts{};
};

/// One section of a run of sections.
struct SectionRun {
  size_t section = 0;        ///< index in Plan::sections
  int64_t microBatch = 0;    ///< its first of the step
  plan::LaneCounts before{}; ///< instructions of each lane in earlier sections of the run
  size_t firstEvent = 0;     ///< instructions of all lanes in earlier sections of the run
};

/// A training step, or one forward-only section.
struct Sequence {
  std::vector<SectionRun> sections;
  size_t events = 0; ///< instructions per rank
};

class Program {
public:
  static Program create(const plan::Plan &plan, const Storage &storage);

  const BoundSection &section(int64_t rank, size_t index) const { return ranks[rank][index]; }
  int64_t rankCount() const { return static_cast<int64_t>(ranks.size()); }
  bool usesLane(plan::Lane lane) const;

  /// Null with a reason in `missing` where the plan has no such section.
  const Sequence *step() const { return training ? &*training : nullptr; }
  const Sequence *forward(plan::SectionKind kind) const;
  const Status &missingStep() const { return missing; }

  /// How many instructions of the wait's lane must be complete, counted over the whole sequence.
  uint32_t target(const Sequence &sequence, size_t run, const plan::Wait &wait) const;
  size_t mostEvents() const;

private:
  std::optional<Sequence> sequence(const plan::Plan &plan,
                                   const std::vector<const plan::Section *> &order) const;

  std::vector<std::vector<BoundSection>> ranks;
  std::optional<Sequence> training, evaluation, sampling;
  Status missing;
};

/// Bytes an instruction moves over its lane's link: a transfer its operand, a collective its whole tensors.
int64_t movedBytes(const BoundInstruction &bound);

} // namespace windlass
