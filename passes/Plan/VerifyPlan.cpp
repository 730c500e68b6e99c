// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies the rules of a finished plan.

#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Plan/Passes.h"
#include "runtime/plan/InstructionTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace windlass::plandialect {

#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/Plan/Passes.h.inc"

namespace {

using LaneCounts = std::array<int64_t, plan::kLanes>;

struct VerifyPlanPass : impl::VerifyPlanBase<VerifyPlanPass> {
  void runOnOperation() override {
    good = true;
    buffers.clear();
    kernels.clear();
    totals.clear();
    ModuleOp module = getOperation();
    dist::MeshOp declared = dist::meshOf(module);
    mesh = declared ? declared.getSizes() : ArrayRef<int64_t>();
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(dist::kKernelAttr))
        kernels.insert(function.getSymName());
    for (auto buffer : module.getOps<BufferOp>())
      buffers[buffer.getSymName()] = buffer;
    for (auto state : module.getOps<StateOp>())
      verifyPlace(state, state.getHome());
    for (auto section : module.getOps<SectionOp>())
      countLanes(section);
    for (auto section : module.getOps<SectionOp>())
      verifySection(section);
    for (auto schedule : module.getOps<ScheduleOp>())
      verifySchedule(schedule);
    if (!good)
      signalPassFailure();
  }

private:
  void refuse(Operation *op, const Twine &rule) {
    op->emitError("verify-plan: ") << rule;
    good = false;
  }

  /// Counts the instructions of each lane, for waits in the section that follows.
  void countLanes(SectionOp section) {
    auto [entry, fresh] = totals.try_emplace(section.getLabel());
    if (!fresh)
      refuse(section, "section \"" + section.getLabel() + "\" stands twice");
    for (Operation &op : section.getBody().front())
      if (auto lane = op.getAttrOfType<flow::LaneAttr>("lane"))
        ++entry->second[static_cast<size_t>(lane.getValue())];
  }

  void verifySchedule(ScheduleOp schedule) {
    for (auto section : schedule.getSections().getAsRange<FlatSymbolRefAttr>())
      if (!getOperation().lookupSymbol<SectionOp>(section.getAttr()))
        refuse(schedule, "'" + section.getValue() + "' is not a section of this module");
  }

  void verifySection(SectionOp section) {
    LaneCounts counts{};
    for (Operation &op : section.getBody().front()) {
      auto opcode = plan::fromText<plan::Opcode>(op.getName().stripDialect().str());
      if (!opcode || op.getName().getDialectNamespace() != "plan") {
        refuse(&op, "is no instruction");
        continue;
      }
      verifyInstruction(&op, *opcode, counts);
    }
  }

  void verifyInstruction(Operation *op, plan::Opcode opcode, LaneCounts &counts) {
    for (auto place : op->getAttrOfType<ArrayAttr>("places").getAsRange<OperandAttr>())
      verifyPlace(op, place);
    if (auto launch = dyn_cast<LaunchOp>(op); launch && !kernels.contains(launch.getKernel()))
      refuse(op, "'" + launch.getKernel() + "' is not a kernel of this module");
    const plan::Lane lane = op->getAttrOfType<flow::LaneAttr>("lane").getValue();
    const StringRef name = stringifyEnum(lane);
    if (!plan::rowOf(opcode).lanes.holds(lane))
      refuse(op, "may not stand on lane \"" + name + "\"");
    int64_t before = counts[static_cast<size_t>(lane)]++;
    if (int64_t ordinal = op->getAttrOfType<IntegerAttr>("ordinal").getInt(); ordinal != before + 1)
      refuse(op, "has ordinal " + Twine(ordinal) + " on lane \"" + name + "\", where " + Twine(before) +
                     " stand before it");
    verifyWaits(op, lane, counts);
  }

  /// Verifies that an operand names a buffer and that, on every rank, its bytes lie inside the buffer.
  void verifyPlace(Operation *op, OperandAttr place) {
    BufferOp buffer = buffers.lookup(place.getBuffer().getValue());
    if (!buffer)
      return refuse(op, "'" + place.getBuffer().getValue() + "' is not a buffer of this module");
    ArrayRef<int64_t> strides = place.getStrides();
    if (!strides.empty() && strides.size() != mesh.size())
      return refuse(op, "a place has " + Twine(strides.size()) + " strides on a mesh of " +
                            Twine(mesh.size()) + " axes");
    int64_t first = place.getOffset(), end = first + place.getBytes();
    const int64_t held = buffer.getBytes();
    for (auto [stride, ranks] : llvm::zip(strides, mesh))
      (stride < 0 ? first : end) += stride * (ranks - 1);
    if (place.getBytes() <= 0 || first < 0 || end > held)
      refuse(op, "bytes [" + Twine(first) + ", " + Twine(end) + ") are not within the " + Twine(held) +
                     " of buffer '" + buffer.getSymName() + "'");
  }

  void verifyWaits(Operation *op, plan::Lane own, const LaneCounts &counts) {
    llvm::SmallDenseSet<size_t> seen;
    for (auto wait : op->getAttrOfType<ArrayAttr>("waits").getAsRange<flow::WaitAttr>()) {
      const StringRef name = stringifyEnum(wait.getLane());
      const size_t index = static_cast<size_t>(wait.getLane());
      if (!seen.insert(index).second)
        refuse(op, "waits twice for lane \"" + name + "\"");
      if (wait.getLane() == own)
        refuse(op, "waits for its own lane, \"" + name + "\"");
      else if (wait.getPrevious())
        verifyPrevious(op, wait, index);
      else if (wait.getOrdinal() < 1 || wait.getOrdinal() > counts[index])
        refuse(op, "waits for " + name + " " + Twine(wait.getOrdinal()) + ", but " + Twine(counts[index]) +
                       " of that lane stand before it");
    }
  }

  void verifyPrevious(Operation *op, flow::WaitAttr wait, size_t lane) {
    for (NamedAttribute entry : wait.getPrevious()) {
      auto count = dyn_cast<IntegerAttr>(entry.getValue());
      auto section = totals.find(entry.getName().getValue());
      if (!count || section == totals.end())
        refuse(op, "waits for section \"" + entry.getName().getValue() + "\", which is not in this module");
      else if (count.getInt() < 0 || count.getInt() > section->second[lane])
        refuse(op, "waits for " + stringifyEnum(wait.getLane()) + " " + Twine(count.getInt()) +
                       " of section \"" + entry.getName().getValue() + "\", which has " +
                       Twine(section->second[lane]));
    }
  }

  ArrayRef<int64_t> mesh; ///< ranks along each axis
  llvm::StringMap<BufferOp> buffers;
  llvm::StringSet<> kernels;
  llvm::StringMap<LaneCounts> totals; ///< by section
  bool good = true;
};

} // namespace
} // namespace windlass::plandialect
