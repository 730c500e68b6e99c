// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Plan.h - the plan: what the compiler decided, what the runtime does ===//
//
// Duty: the plan as plain structs. The compiler fills them, `PlanWriter` writes
// them to a directory, `PlanReader` reads them back, the checker proves them
// sound, the executor runs them. Nothing else is shared by the two sides.
//
// Units: bytes and elements, int64. Offsets are bytes from an arena's start.
// Threads: a const Plan may be read by any number of threads.
// The page that describes the file: docs/plan-format.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Cases.h"
#include "runtime/plan/Kernel.h"
#include "runtime/plan/Reason.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Tensors.h"
#include "runtime/plan/Training.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace windlass::plan {

inline constexpr int64_t kPlanVersion = 6;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// One static arena per tier and rank; the ranks of a program have equal layouts.
struct Arena {
  Tier tier = Tier::Device;
  int64_t bytes = 0;      ///< planned size on each rank of the program
  int64_t lowerBound = 0; ///< largest sum of live bytes at any moment
  int64_t capacity = 0;   ///< what the hardware file grants each rank
  /// Buffers begin at multiples of it, and a power of two; 0: what any device can do with, 64 B, and 4 KiB on
  /// NVMe.
  int64_t alignment = 0;
};

inline constexpr int64_t kEveryRank = -1;

/// A named range of an arena. Buffers that are never live together may share bytes.
/// With slots it holds values of as many micro-batches side by side, that of micro-batch i in slot i mod
/// slots; operands then speak of one slot.
struct Buffer {
  std::string name;
  BufferClass cls = BufferClass::Workspace;
  Tier tier = Tier::Device;
  int64_t offset = 0;
  int64_t bytes = 0; ///< of one slot
  /// Holds a value between sections (accumulator) or steps (home of a state).
  bool persistent = false;
  /// The one data rank that has the buffer. Other ranks may have another buffer in these bytes, and skip
  /// instructions on this one.
  int64_t owner = kEveryRank;
  int64_t slots = 0; ///< 0: its value is of no micro-batch

  /// Behind its last slot, from the arena's start.
  int64_t end() const { return offset + bytes * std::max<int64_t>(1, slots); }
};

/// A slice of a buffer. On rank r an instruction of micro-batch i finds it at
/// buffer.offset + (i mod buffer.slots, if it has slots) * buffer.bytes + offset + sum over mesh axes a of
/// coordinate_a(r) * stride[a].
struct Operand {
  uint32_t buffer = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  std::vector<int64_t> stride = {}; ///< bytes per mesh axis; empty means all zero
};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The instruction starts after `ordinal` instructions of `lane` are complete
/// (counted from 1 in the same section). With `previous`, the count is in the
/// section that ran just before: (section, count) for each section that may be it.
/// An instruction holds at most one wait per lane, none on its own lane.
struct Wait {
  Lane lane = Lane::Compute;
  uint32_t ordinal = 0;
  std::vector<std::pair<uint32_t, uint32_t>> previous;
  bool isPrevious() const { return !previous.empty(); }
};

/// Where an instruction comes from, for reports and messages.
struct Origin {
  std::string function; ///< "h.0", "wte", "update"
  std::string what;     ///< "matmul", "gather c_attn.weight"
  Phase phase = Phase::Forward;
};

/// Of an instruction that needs no other program.
inline constexpr int64_t kNoPeer = -1;

struct Instruction {
  Opcode op = Opcode::Launch;
  Lane lane = Lane::Compute;
  std::vector<Operand> operands; ///< order and access: Instructions.def, or Kernel::args
  std::vector<Wait> waits;
  Origin origin;
  int64_t microBatch = 0;          ///< less the first of its section's run; negative: one of an earlier run
  int32_t kernel = -1;             ///< Launch: index into Plan::kernels
  int64_t begin = 0, end = 0;      ///< Launch: range of the kernel's outermost parallel dimension
  std::vector<int64_t> pieceBytes; ///< collectives: what the shard has of each whole operand
  std::vector<int64_t> axes;       ///< collectives: the mesh axes they run over; empty: all (Groups.h)
  /// Collectives: a last operand behind the whole ones is memory that the transport may use meanwhile.
  bool staged = false;
  ElementType type = ElementType::F32; ///< ReduceScatter, Reduce: element type that is summed
  std::string item;       ///< Feed, Report: name of what comes in or goes out; Send, Recv: of the value
  int64_t peer = kNoPeer; ///< Send, Recv: index into Plan::programs
  /// Bytes this instruction moves over its lane's link, per rank (0 for launches).
  int64_t bytesMoved = 0;
};

/// A list of instructions in one total order, the same on all ranks of its program. A lane runs
/// its own in this order; every wait points backwards in it.
/// A section's instructions may start while its predecessor still runs (as waits
/// allow), but not before the section two places back is complete.
struct Section {
  std::string name;    ///< for people: "first", "evaluate"
  int64_t advance = 1; ///< by how many micro-batches the run behind this one begins further on
  std::vector<Instruction> instructions;
};

/// Several runs of one section, one after the other. A schedule is a list of these.
struct SectionRuns {
  uint32_t section = 0; ///< index into Program::sections
  int64_t times = 1;
};

//===----------------------------------------------------------------------===//
// States: what lives across steps, and where it rests
//===----------------------------------------------------------------------===//

/// A tensor that lives across steps, or a part of one: of the tensor what a split leaves a rank, and of that
/// a slice. It lies in a shard unit (the tensor itself, or a pack of small tensors) that is cut into one
/// piece per data-parallel rank.
struct State {
  std::string name; ///< original name of the tensor, as checkpoints spell it ("h.0.attn.c_attn.weight")
  StateClass cls = StateClass::Parameter;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape; ///< of what is held: the tensor, or the part of it
  std::string group;          ///< parameter group: "decay", "no_decay"
  Initialiser init;
  std::string unit;          ///< name of the shard unit
  int64_t unitOffset = 0;    ///< elements from the unit's start to this tensor
  int64_t pieceElements = 0; ///< elements of one rank's piece of the unit
  /// The rank at place q of its group over `axes` holds [q*pieceElements, (q+1)*pieceElements) of the
  /// unit (sharded), or all ranks, or the owner of its home, hold the whole padded unit (whole).
  bool sharded = true;
  Operand home;                   ///< the piece (sharded) or the padded unit (whole)
  Slice slice = {};               ///< which part this is of the tensor, or of what a split leaves of it
  TensorSource source = {};       ///< its first values, before those of the initialiser
  std::vector<int64_t> axes = {}; ///< the mesh axes that the unit is cut over, coarsest first; empty: all
  Split split = {};               ///< how ranks along an axis share the tensor
  std::string bucket = {};        ///< whose home this is, for people: "h.0.decay.1"

  /// Of what a rank along the split's axis has.
  const std::vector<int64_t> &localShape() const { return slice.whole.empty() ? shape : slice.whole; }
  const std::vector<int64_t> &tensorShape() const { return split.whole.empty() ? localShape() : split.whole; }
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// What some ranks do, all of them alike: where their bytes lie, and what runs in which order. A plan without
/// pipeline stages has one program, which serves every rank; else each stage has its own. Operands, states
/// and schedules name buffers and sections of their own program.
struct Program {
  int64_t firstRank = 0, ranks = 1; ///< serves [firstRank, firstRank + ranks)
  std::vector<Arena> arenas;
  std::vector<Buffer> buffers;
  std::vector<State> states;
  /// Where the gradients rest at the end of a step, as the optimizer read them, before any clipping; laid
  /// out as states are.
  std::vector<State> gradients;
  std::vector<Section> sections;
  /// One schedule for each purpose; empty where the program does not serve it. A section stands in one of
  /// them.
  std::vector<SectionRuns> train, evaluate, sample;

  int64_t lastRank() const { return firstRank + ranks - 1; }
  bool serves(int64_t rank) const { return rank >= firstRank && rank <= lastRank(); }
  /// Of another program of as many ranks, the one at a rank's place in this one.
  int64_t peerOf(int64_t rank, const Program &other) const { return other.firstRank + rank - firstRank; }
};

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// The label that counts for nothing where a model does not say another.
inline constexpr int64_t kIgnoredLabel = -100;

/// A tensor each micro-batch of each rank brings.
struct Input {
  std::string name; ///< also the feed item
  ElementType type = ElementType::I32;
  std::vector<int64_t> shape; ///< per rank and micro-batch; dimension 0 = examples
  InputRole role = InputRole::Tokens;
  int64_t bound = 0;               ///< whole numbers are in [0, bound)
  int64_t ignored = kIgnoredLabel; ///< of labels and classes: the value that counts for nothing
  int64_t first = 0;               ///< of labels: those of an example before it count for nothing
};

/// A term of the loss with a mean of its own. The loss is divided by the number of labels that count, or of
/// examples if no input has such labels. A step feeds `item`: this number over the number of things that the
/// term is a mean over (`of`), in the whole batch; 0 if there are none.
struct LossShare {
  std::string item;
  MeanOf of = MeanOf::Labels;
  std::string input = {};                ///< of labels: the input that holds them
  int64_t ignored = kIgnoredLabel;       ///< the label that counts for nothing
  std::vector<double> classWeights = {}; ///< how much the label of each class counts; empty: 1
  int64_t first = 0;                     ///< those of an example before it count for nothing
};

/// The ranks are numbered with the last axis fastest.
struct MeshAxis {
  std::string name; ///< "dp"; "dp_replicate" and "dp_shard"
  int64_t size = 1;
  AxisKind kind = AxisKind::Data;
};

struct Prediction {
  double stepSeconds = 0;
  std::string boundBy;                       ///< "compute", "nc_in", ...
  std::vector<std::pair<Lane, double>> busy; ///< busy seconds per lane and step
  bool declaredRates = false;                ///< rests on declared, not measured rates
};

struct Plan {
  std::string model;             ///< name for people
  int64_t parameters = 0;        ///< distinct, tied ones once
  std::vector<std::string> ties; ///< parameters that are read in several places, by original name
  int64_t distinctLayers = 0, layers = 0;
  std::vector<MeshAxis> mesh;
  std::string strategy;                ///< decisions, one JSON object as text
  std::string numerics;                ///< numerics record, one JSON object as text, sorted keys
  std::string hardware;                ///< the hardware file it was planned for, as text; decides no number
  std::string backend = "cpu";         ///< what the device tier and its lanes are made of
  Target target;                       ///< what its code may run on
  std::vector<KernelFile> kernelFiles; ///< one per target; empty without generated kernels
  std::string modelConfig;             ///< original config.json text, copied beside checkpoints
  Training training;
  std::vector<Input> inputs;
  std::vector<LossShare> lossShares;
  /// Whether an example of zeros whose labels are all ignored may add to the loss: then none fills up a
  /// batch.
  bool paddingCounts = false;
  int64_t nvmeDepth = 4;
  std::vector<WeightFile> weights;
  std::vector<Kernel> kernels;
  std::vector<Program> programs = std::vector<Program>(1); ///< in the order of their ranks
  std::vector<Reason> reasons;                             ///< one for each decision that a planner took
  Prediction prediction;

  int64_t ranks() const {
    int64_t n = 1;
    for (const MeshAxis &axis : mesh)
      n *= axis.size;
    return n;
  }
};

} // namespace windlass::plan
