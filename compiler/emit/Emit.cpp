// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/Emit.h"

#include "compiler/emit/EmitKernels.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Plan/IR/PlanDialect.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/plan/check/CheckStates.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace windlass {
namespace {

namespace ir = plandialect;

static_assert(std::string_view(graph::kStatisticsGroup.data(), graph::kStatisticsGroup.size()) ==
                  plan::kStatisticsGroup,
              "the checker knows running statistics by the name of their group");

/// Index into the plan's kernels, by symbol: programs share them.
using KernelNumbers = llvm::StringMap<int32_t>;

/// One program of a plan, from the module of its stage.
class Emitter {
public:
  Emitter(ModuleOp module, plan::Plan &plan, plan::Program &program, KernelNumbers &kernels)
      : module(module), plan(plan), program(program), kernels(kernels) {}

  Status run() {
    for (auto arena : module.getOps<ir::ArenaOp>())
      emitArena(arena);
    for (auto buffer : module.getOps<ir::BufferOp>())
      emitBuffer(buffer);
    for (auto state : module.getOps<ir::StateOp>())
      WINDLASS_TRY(emitState(state));
    for (auto [index, section] : llvm::enumerate(module.getOps<ir::SectionOp>()))
      sections[section.getLabel()] = static_cast<uint32_t>(index);
    for (auto section : module.getOps<ir::SectionOp>())
      WINDLASS_TRY(emitSection(section));
    for (auto schedule : module.getOps<ir::ScheduleOp>())
      emitSchedule(schedule);
    if (const plan::DeviceRow *device = plan::findDevice(plan.backend); device && device->alignment > 0)
      alignDevice(device->alignment);
    return Status::ok();
  }

private:
  /// The enum's case for a word of the IR.
  template <typename Enum> Status word(StringRef text, Enum &value) {
    std::optional<Enum> known = plan::fromText<Enum>(text.str());
    if (!known)
      return Status::internal("the plan knows no word \"" + text.str() + "\"");
    value = *known;
    return Status::ok();
  }

  void emitArena(ir::ArenaOp op) {
    plan::Arena arena;
    arena.tier = op.getTier();
    arena.bytes = op.getBytes();
    arena.lowerBound = op.getLowerBound();
    arena.capacity = op.getCapacity();
    program.arenas.push_back(arena);
  }

  /// Sets the alignment of device operands: that of buffers, or less if an operand of a product is at a
  /// smaller multiple within its buffer, since libraries get one alignment for all operands.
  void alignDevice(int64_t alignment) {
    auto lower = [&](int64_t position) {
      while (position % alignment != 0)
        alignment /= 2;
    };
    const auto isProduct = [&](const plan::Instruction &instruction) {
      return instruction.op == plan::Opcode::Launch && instruction.lane == plan::Lane::Compute &&
             plan.kernels[static_cast<size_t>(instruction.kernel)].kind == plan::KernelKind::Matmul;
    };
    for (const plan::Section &section : program.sections)
      for (const plan::Instruction &instruction : llvm::make_filter_range(section.instructions, isProduct))
        for (const plan::Operand &operand : instruction.operands) {
          lower(program.buffers[operand.buffer].offset + operand.offset);
          llvm::for_each(operand.stride, lower);
        }
    for (plan::Arena &arena : program.arenas)
      if (arena.tier == plan::Tier::Device)
        arena.alignment = alignment;
  }

  void emitBuffer(ir::BufferOp op) {
    plan::Buffer buffer;
    buffer.name = op.getLabel().str();
    buffer.cls = op.getBufferClass();
    buffer.tier = op.getTier();
    buffer.offset = op.getOffset();
    buffer.bytes = op.getBytes();
    buffer.persistent = op.getPersistent();
    buffer.slots = op.getSlots();
    buffer.owner = op.getOwner() ? static_cast<int64_t>(*op.getOwner()) : plan::kEveryRank;
    buffers[op.getSymName()] = program.buffers.size();
    program.buffers.push_back(std::move(buffer));
  }

  plan::Operand operand(ir::OperandAttr place) {
    plan::Operand operand;
    operand.buffer = buffers.lookup(place.getBuffer().getValue());
    operand.offset = place.getOffset();
    operand.bytes = place.getBytes();
    operand.stride = place.getStrides().vec();
    if (!operand.stride.empty())
      operand.stride.insert(operand.stride.begin(), stageAxes(), 0);
    return operand;
  }

  Status emitState(ir::StateOp op) {
    plan::State state;
    state.name = op.getOriginal().str();
    state.cls = op.getRole();
    Result<plan::ElementType> element = elementType(op.getElement());
    if (!element)
      return element.status();
    state.type = *element;
    state.shape = op.getShape().vec();
    if (graph::SliceAttr slice = op.getSliceAttr())
      state.slice = {slice.getWhole().asArrayRef().vec(), slice.getBegin().asArrayRef().vec()};
    state.group = op.getGroup().str();
    graph::InitAttr init = op.getInit();
    double mean = init.getMean().getValueAsDouble();
    state.init.kind = init.getNormal() ? plan::InitKind::Normal : plan::InitKind::Constant;
    (init.getNormal() ? state.init.mean : state.init.value) = mean;
    state.init.std = init.getNormal() ? init.getStd().getValueAsDouble() : 0;
    if (graph::SourceAttr source = init.getSource())
      WINDLASS_TRY(emitSource(source, state.source));
    state.unit = op.getUnit().str();
    state.unitOffset = op.getUnitOffset();
    state.pieceElements = op.getPieceElements();
    state.sharded = op.getSharded();
    WINDLASS_TRY(emitAxes(op.getOverAttr(), state.axes));
    if (auto split = op.getSplit())
      WINDLASS_TRY(emitSplit(*split, state.split));
    state.home = operand(op.getHome());
    state.bucket = op.getBucket().str();
    (state.cls == plan::StateClass::Gradient ? program.gradients : program.states)
        .push_back(std::move(state));
    return Status::ok();
  }

  /// The number of axes of the plan's mesh that the module of a stage lacks, since it has only its own ranks.
  size_t stageAxes() const { return plan.programs.size() > 1 ? 1 : 0; }

  /// Sets `axes` to the axes of the plan's mesh with these names; null: all axes of the module.
  Status emitAxes(ArrayAttr over, std::vector<int64_t> &axes) {
    for (size_t axis = stageAxes(); !over && stageAxes() > 0 && axis < plan.mesh.size(); ++axis)
      axes.push_back(static_cast<int64_t>(axis));
    for (size_t number = 0; over && number < over.size(); ++number) {
      StringRef name = cast<StringAttr>(over[number]).getValue();
      auto axis = llvm::find_if(plan.mesh, [&](const plan::MeshAxis &known) { return known.name == name; });
      if (axis == plan.mesh.end())
        return Status::internal("the mesh of the plan lacks axis \"" + name.str() + "\" of the IR");
      axes.push_back(axis - plan.mesh.begin());
    }
    return Status::ok();
  }

  /// Sets a split from period, width and shape, as in graph::kSplit.
  Status emitSplit(ArrayRef<int64_t> numbers, plan::Split &split) {
    auto axis = llvm::find_if(
        plan.mesh, [](const plan::MeshAxis &known) { return known.kind == plan::AxisKind::Tensor; });
    if (axis == plan.mesh.end())
      return Status::internal("a state is split, but no axis of the mesh is of kind tensor");
    split = {numbers.drop_front(2).vec(), axis - plan.mesh.begin(), numbers[0], numbers[1]};
    return Status::ok();
  }

  /// Sets the source of first values; the plan already lists the weight files.
  Status emitSource(graph::SourceAttr from, plan::TensorSource &source) {
    auto file = llvm::find_if(plan.weights, [&](auto &known) { return from.getFile() == known.path; });
    if (file == plan.weights.end())
      return Status::internal("the plan knows no weight file " + from.getFile().str());
    source.file = static_cast<int32_t>(file - plan.weights.begin());
    source.tensor = from.getTensor().str();
    source.offset = from.getOffset();
    source.transposed = from.getTransposed();
    return word(from.getElement().getValue(), source.type);
  }

  Result<int32_t> kernel(StringRef symbol) {
    auto [entry, fresh] = kernels.try_emplace(symbol, static_cast<int32_t>(plan.kernels.size()));
    if (fresh) {
      auto function = module.lookupSymbol<func::FuncOp>(symbol);
      if (!function)
        return Status::internal("no kernel " + symbol.str());
      Result<plan::Kernel> emitted = emitKernel(function);
      if (!emitted)
        return emitted.status();
      plan.kernels.push_back(emitted.take());
    }
    return entry->second;
  }

  Status emitSection(ir::SectionOp op) {
    plan::Section section;
    section.name = op.getLabel().str();
    section.advance = op.getAdvance();
    for (Operation &instruction : op.getBody().front())
      WINDLASS_TRY(emitInstruction(&instruction, section));
    program.sections.push_back(std::move(section));
    return Status::ok();
  }

  void emitSchedule(ir::ScheduleOp op) {
    std::vector<plan::SectionRuns> &schedule = scheduleOf(program, op.getPurpose());
    for (auto [symbol, times] :
         llvm::zip_equal(op.getSections().getAsRange<FlatSymbolRefAttr>(), op.getTimes()))
      schedule.push_back(
          {sections.lookup(module.lookupSymbol<ir::SectionOp>(symbol.getAttr()).getLabel()), times});
  }

  Status emitInstruction(Operation *op, plan::Section &section) {
    plan::Instruction instruction;
    WINDLASS_TRY(word(op->getName().stripDialect(), instruction.op));
    instruction.lane = op->getAttrOfType<flow::LaneAttr>("lane").getValue();
    for (auto place : op->getAttrOfType<ArrayAttr>("places").getAsRange<ir::OperandAttr>())
      instruction.operands.push_back(operand(place));
    for (auto attr : op->getAttrOfType<ArrayAttr>("waits").getAsRange<flow::WaitAttr>()) {
      plan::Wait wait;
      wait.lane = attr.getLane();
      wait.ordinal = attr.getOrdinal();
      if (attr.getPrevious())
        for (NamedAttribute entry : attr.getPrevious()) {
          auto before = sections.find(entry.getName().getValue());
          if (before == sections.end())
            return Status::internal("no section \"" + entry.getName().str() + "\"");
          wait.previous.push_back(
              {before->second, static_cast<uint32_t>(cast<IntegerAttr>(entry.getValue()).getInt())});
        }
      instruction.waits.push_back(std::move(wait));
    }
    auto origin = op->getAttrOfType<flow::OriginAttr>("origin");
    instruction.origin.function = origin.getFunction().str();
    instruction.origin.what = origin.getWhat().str();
    instruction.origin.phase = origin.getPhase();
    instruction.microBatch = origin.getMicroBatch();
    WINDLASS_TRY(emitDetails(op, instruction));
    section.instructions.push_back(std::move(instruction));
    return Status::ok();
  }

  /// Sets the fields that only some instructions have.
  Status emitDetails(Operation *op, plan::Instruction &instruction) {
    if (auto launch = dyn_cast<ir::LaunchOp>(op)) {
      Result<int32_t> index = kernel(launch.getKernel());
      if (!index)
        return index.status();
      instruction.kernel = *index;
      instruction.begin = launch.getBegin();
      instruction.end = launch.getEnd();
      return Status::ok();
    }
    if (auto item = op->getAttrOfType<StringAttr>("item"))
      instruction.item = item.str();
    if (auto peer = op->getAttrOfType<IntegerAttr>("peer"))
      instruction.peer = peer.getInt();
    if (auto pieces = op->getAttrOfType<DenseI64ArrayAttr>("piece_bytes")) {
      instruction.pieceBytes = pieces.asArrayRef().vec();
      instruction.staged = op->hasAttr("staged");
      WINDLASS_TRY(emitAxes(op->getAttrOfType<ArrayAttr>("over"), instruction.axes));
      int64_t count = plan::hasRoot(instruction.op) ? 1 : plan::groupRanks(plan, instruction.axes);
      for (int64_t piece : instruction.pieceBytes)
        instruction.bytesMoved += piece * count;
    } else if (!instruction.operands.empty() && !isa<ir::FeedOp, ir::ReportOp>(op)) {
      instruction.bytesMoved = instruction.operands.front().bytes;
    }
    if (auto sum = op->getAttrOfType<TypeAttr>("element")) {
      Result<plan::ElementType> element = elementType(sum.getValue());
      if (!element)
        return element.status();
      instruction.type = *element;
    }
    return Status::ok();
  }

  ModuleOp module;
  plan::Plan &plan;
  plan::Program &program;
  KernelNumbers &kernels;
  llvm::StringMap<uint32_t> buffers, sections;
};

} // namespace

Status emitPlan(ArrayRef<ModuleOp> stages, plan::Plan &plan) {
  KernelNumbers kernels;
  plan.programs.resize(stages.size());
  const int64_t ranks = plan.ranks() / static_cast<int64_t>(stages.size());
  for (auto [stage, module, program] : llvm::enumerate(stages, plan.programs)) {
    program.firstRank = static_cast<int64_t>(stage) * ranks;
    program.ranks = ranks;
    WINDLASS_TRY(Emitter(module, plan, program, kernels).run());
  }
  return Status::ok();
}

} // namespace windlass
