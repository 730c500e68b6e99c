// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/StageShape.h"

#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/waits/Schedules.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// Whether an attribute is a name, or the peer stage of a message. The cost of the message is part of the
/// shape by itself.
bool isName(NamedAttribute attribute) {
  return isa<StringAttr, SymbolRefAttr, OriginAttr>(attribute.getValue()) ||
         llvm::is_contained({"from", "to"}, attribute.getName());
}

/// Whether an op passes a share of the norm from one stage to a third one during the update. Each stage has
/// one more such op than the stage before; it moves few bytes.
bool isHandedOn(Operation &op) {
  if (isa<SendOp, RecvOp>(op))
    return cast<InstructionOpInterface>(op).origin().getPhase() == Phase::Update;
  return isa<AllocOp>(op) && llvm::all_of(op.getUsers(), [](Operation *user) {
           return isa<ReleaseOp>(user) || (isa<SendOp, RecvOp>(user) && isHandedOn(*user));
         });
}

class Shape {
public:
  Shape(ModuleOp stage, const model::Machine &machine) : stage(stage), cost(stage, machine), out(text) {}

  std::string describe() {
    for (auto home : stage.getOps<HomeOp>()) {
      homes[home.getSymName()] = homes.size();
      describeAttributes(home);
    }
    for (auto section : stage.getOps<SectionOp>()) {
      out << section.getSymName() << " x " << runsOf(section);
      describeAttributes(section);
      for (Operation &op : section.getBody().front())
        if (!isa<ReleaseOp>(op) && !isHandedOn(op)) // layouts make releases of their own
          describe(op);
    }
    return std::move(text);
  }

private:
  void describe(Operation &op) {
    out << op.getName();
    for (Value operand : op.getOperands())
      out << " %" << values.lookup(operand);
    for (Value result : op.getResults()) {
      values[result] = values.size();
      out << " " << result.getType();
    }
    if (auto use = dyn_cast<UseOp>(op))
      out << " home " << homes.lookup(use.getHomeAttr().getValue());
    if (auto update = dyn_cast<UpdateOp>(op))
      for (Lane lane : {Lane::Compute, Lane::HostCompute})
        out << " " << cost.launchSeconds(update.getKernel(), 1e6, lane);
    else if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      describe(instruction);
    describeAttributes(&op);
  }

  void describe(InstructionOpInterface instruction) {
    const model::TimedTask task = cost.task(instruction);
    const OriginAttr origin = instruction.origin();
    out << " lane " << static_cast<int>(task.lane) << " takes " << task.seconds << " owner " << task.owner
        << " pass " << static_cast<int>(origin.getPhase()) << " of " << origin.getMicroBatch();
  }

  void describeAttributes(Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (!isName(attribute))
        out << " " << attribute.getName() << "=" << attribute.getValue();
    out << "\n";
  }

  ModuleOp stage;
  InstructionCost cost;
  llvm::StringMap<size_t> homes;        ///< by name, in order
  llvm::DenseMap<Value, size_t> values; ///< in order
  std::string text;
  llvm::raw_string_ostream out;
};

} // namespace

std::string shapeOf(ModuleOp stage, const model::Machine &machine) {
  return Shape(stage, machine).describe();
}

TierPins pinsLike(ModuleOp stage, ModuleOp alike, const TierPins &homes) {
  TierPins pins;
  for (auto [mine, theirs] : llvm::zip_equal(placedItems(stage), placedItems(alike)))
    pins[mine.first].of[mine.second] = homes.at(theirs.first).of.at(theirs.second);
  return pins;
}

} // namespace windlass::flow
