// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BoundPlan.h - a plan with its addresses filled in =====================//
//
// Duty: what both executors walk over: for each rank of this process the instructions of its program with
// their pointers, for each program and purpose the runs of sections and the lane counts that turn a wait
// into one number. Made once; a step only reads it.
// Ownership: points into plan and storage, which must outlive it.
// Threads: const after create.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Storage.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Meetings.h"
#include "runtime/plan/RankSet.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/transport/Transport.h"

namespace windlass {

/// Of an instruction that is no meeting of several programs.
inline constexpr int64_t kNoChannel = -1;

struct BoundInstruction {
  const plan::Instruction *instruction = nullptr;
  int64_t rank = 0;
  uint32_t index = 0;              ///< in its section
  uint32_t ordinal = 0;            ///< on its lane, from 1
  std::vector<void *> addresses;   ///< per operand; null on NVMe
  int64_t fileOffset = 0;          ///< Read, Write
  std::vector<WholeTensor> whole;  ///< collectives: the gathered operands
  int64_t root = plan::kEveryRank; ///< Broadcast, Reduce: the place in its group whose shard it is
  bool hasShard = true;            ///< collectives: false where the shard is another rank's
  int64_t pieces = 1;              ///< collectives: of each whole tensor, one per rank of the group
  int64_t channel = kNoChannel;    ///< of a meeting: index into BoundPlan::channels
  bool executes = true;            ///< false: another rank's own; this one only keeps its place in the order

  std::byte *bytes(size_t operand) const { return static_cast<std::byte *>(addresses[operand]); }
  /// A collective's shard; empty where another rank owns it.
  std::span<std::byte> shard() const { return hasShard ? span(0) : std::span<std::byte>(); }
  /// A collective's memory for what the transport brings; empty where the plan has none.
  std::span<std::byte> staging() const {
    return instruction->staged ? span(addresses.size() - 1) : std::span<std::byte>();
  }
  std::span<std::byte> span(size_t operand) const {
    return {bytes(operand), static_cast<size_t>(instruction->operands[operand].bytes)};
  }
};

/// "rank 1, all_gather \"h.0\" ...": an instruction of a rank, as messages name it.
std::string placeOf(const BoundInstruction &bound);

struct BoundSection {
  std::vector<BoundInstruction> instructions;            ///< in the plan's total order
  std::array<std::vector<uint32_t>, plan::kLanes> lanes; ///< indices, per lane
  plan::LaneCounts counts{};
};

/// One run of a section, and what came before it.
struct BoundRun : plan::SectionRun {
  size_t bound = 0;          ///< its instructions: BoundPlan::section
  plan::LaneCounts before{}; ///< instructions of each lane in earlier runs
  size_t firstEvent = 0;     ///< instructions of all lanes in earlier runs
};

/// A schedule of a program, run by run.
struct Sequence {
  std::vector<BoundRun> runs;
  size_t events = 0; ///< instructions of one rank
};

/// What the ranks of one program share.
struct BoundProgram {
  size_t number = 0;                                          ///< index into Plan::programs
  plan::RankSet ranks;                                        ///< those that this process runs
  std::array<Sequence, std::size(plan::kPurposes)> sequences; ///< by purpose
  std::array<bool, plan::kLanes> usesLane{};

  /// Without runs where the plan does not serve the purpose.
  const Sequence &sequence(plan::Purpose purpose) const { return sequences[static_cast<size_t>(purpose)]; }
};

class BoundPlan {
public:
  /// Binds the ranks whose bytes `storage` has.
  static BoundPlan create(const plan::Plan &plan, const Storage &storage);

  const plan::RankSet &ranks() const { return local; }
  const std::vector<plan::Channel> &channels() const { return met; }
  /// The programs of which this process runs ranks.
  std::span<const BoundProgram> programs() const { return bound; }
  const BoundProgram &programOf(int64_t rank) const { return bound[ofRank[local.placeOf(rank)].program]; }
  const BoundSection &section(int64_t rank, const BoundRun &run) const {
    return ofRank[local.placeOf(rank)].sections[run.bound];
  }

private:
  friend class ProgramBinder;
  explicit BoundPlan(const plan::RankSet &ranks) : local(ranks), ofRank(ranks.size()) {}

  struct RankSections {
    size_t program = 0; ///< index into `bound`
    /// One for each section; where buffers have slots, one for each slot that runs of it begin with.
    std::vector<BoundSection> sections;
  };

  plan::RankSet local;
  std::vector<plan::Channel> met; ///< plan::channelsOf
  std::vector<BoundProgram> bound;
  std::vector<RankSections> ofRank; ///< by place in `local`
};

/// How many instructions of the wait's lane must be complete, counted over the whole sequence.
uint32_t targetOf(const Sequence &sequence, size_t run, const plan::Wait &wait);

/// Bytes an instruction moves over its lane's link: a transfer its operand, a collective its whole tensors.
int64_t movedBytes(const BoundInstruction &bound);

} // namespace windlass
