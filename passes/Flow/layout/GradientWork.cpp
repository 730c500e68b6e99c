// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/GradientWork.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::flow {

GradientWork::GradientWork(ModuleOp module, const HomeTable &homes) {
  for (auto section : module.getOps<SectionOp>())
    add(section, homes);
}

void GradientWork::add(SectionOp section, const HomeTable &homes) {
  struct Use {
    InstructionOpInterface op;
    bool reads = false, writes = false;
  };
  llvm::MapVector<Operation *, SmallVector<Use>> uses; // by home, in program order
  const auto isOf = [&](HomeOp home) {
    return [&homes, home](Value value) { return homes.behind(value) == home; };
  };
  for (auto op : section.getBody().front().getOps<InstructionOpInterface>()) {
    if (op.origin().getPhase() == Phase::Update)
      continue;
    llvm::SmallPtrSet<Operation *, 4> seen;
    for (Value operand : op->getOperands())
      if (HomeOp home = homes.behind(operand);
          home && home.getRole() == graph::Role::Gradient && seen.insert(home).second)
        uses[home].push_back(
            {op, llvm::any_of(op.getReads(), isOf(home)), llvm::any_of(op.getWrites(), isOf(home))});
  }
  for (auto &[home, users] : uses) {
    double &bytes = leaving[{section, home}];
    if (!users.front().reads && llvm::any_of(users, [](const Use &use) { return use.reads; })) {
      bytes = static_cast<double>(cast<HomeOp>(home).getBytes());
      for (const Use &use : users)
        onDevice.insert(use.op);
      continue;
    }
    for (Use &use : users) {
      if (!use.writes)
        continue;
      if (!isa<LaunchOp>(use.op.getOperation())) {
        bytes += static_cast<double>(cast<HomeOp>(home).getBytes());
        continue;
      }
      for (Value term : use.op.getReads())
        if (homes.behind(term) != home)
          bytes += static_cast<double>(bufferType(term).getBytes());
    }
  }
}

} // namespace windlass::flow
