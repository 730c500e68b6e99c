// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/StageShape.h"

#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/waits/Schedules.h"
#include <bit>

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
  Shape(ModuleOp stage, const model::Machine &machine) : stage(stage), cost(stage, machine) {}

  StageShape describe() {
    for (auto home : stage.getOps<HomeOp>()) {
      homes[home.getSymName()] = homes.size();
      addAttributes(home);
    }
    for (auto section : stage.getOps<SectionOp>()) {
      add(section.getSymNameAttr());
      add(static_cast<uint64_t>(runsOf(section)));
      addAttributes(section);
      for (Operation &op : section.getBody().front())
        if (!isa<ReleaseOp>(op) && !isHandedOn(op)) // layouts make releases of their own
          add(op);
    }
    return std::move(words);
  }

private:
  void add(uint64_t word) { words.push_back(word); }
  /// Equal types, attributes and names of a context are one object.
  template <typename Unique>
    requires requires(Unique unique) { unique.getAsOpaquePointer(); }
  void add(Unique unique) {
    add(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(unique.getAsOpaquePointer())));
  }
  /// To seven digits: peers of messages may differ, and the sums of their seconds with them in the last.
  void addSeconds(double seconds) { add(std::bit_cast<uint32_t>(static_cast<float>(seconds))); }

  void add(Operation &op) {
    add(op.getName());
    add(op.getNumOperands());
    for (Value operand : op.getOperands())
      add(values.lookup(operand));
    for (Value result : op.getResults()) {
      values[result] = values.size();
      add(result.getType());
    }
    if (auto use = dyn_cast<UseOp>(op))
      add(homes.lookup(use.getHomeAttr().getValue()));
    if (auto update = dyn_cast<UpdateOp>(op))
      for (Lane lane : {Lane::Compute, Lane::HostCompute})
        addSeconds(cost.launchSeconds(update.getKernel(), 1e6, lane));
    else if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      add(instruction);
    addAttributes(&op);
  }

  void add(InstructionOpInterface instruction) {
    const model::TimedTask task = cost.task(instruction);
    const OriginAttr origin = instruction.origin();
    add(static_cast<uint64_t>(task.lane));
    addSeconds(task.seconds);
    add(static_cast<uint64_t>(task.owner));
    add(static_cast<uint64_t>(origin.getPhase()));
    add(static_cast<uint64_t>(origin.getMicroBatch()));
  }

  void addAttributes(Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (!isName(attribute)) {
        add(attribute.getName());
        add(attribute.getValue());
      }
  }

  ModuleOp stage;
  InstructionCost cost;
  llvm::StringMap<uint64_t> homes;        ///< by name, in order
  llvm::DenseMap<Value, uint64_t> values; ///< in order
  StageShape words;
};

} // namespace

StageShape shapeOf(ModuleOp stage, const model::Machine &machine) { return Shape(stage, machine).describe(); }

TierPins pinsLike(ModuleOp stage, ModuleOp alike, const TierPins &homes) {
  TierPins pins;
  for (auto [mine, theirs] : llvm::zip_equal(placementItems(stage), placementItems(alike)))
    pins[mine.first].of[mine.second] = homes.at(theirs.first).of.at(theirs.second);
  return pins;
}

} // namespace windlass::flow
