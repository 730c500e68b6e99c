// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/homes/AwayFromDevice.h"

#include "dialects/Dist/IR/DistChunks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// The instructions that use a buffer, also through views, in program order.
SmallVector<InstructionOpInterface> usersOf(Value buffer) {
  llvm::SmallSetVector<Operation *, 8> users;
  SmallVector<Value> values = {buffer};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<ViewOp>(user))
        values.push_back(view.getBuffer());
      else if (isa<InstructionOpInterface>(user))
        users.insert(user);
    }
  SmallVector<Operation *> sorted = users.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return llvm::map_to_vector(sorted, [](Operation *user) { return cast<InstructionOpInterface>(user); });
}

/// Replaces `old` by `here` in one instruction, also through views.
void replaceIn(InstructionOpInterface instruction, Value old, Value here, Staging &staging) {
  staging.at(instruction);
  llvm::DenseMap<Value, Value> views;
  for (OpOperand &operand : instruction->getOpOperands())
    if (BufferRange range = resolveBuffer(operand.get()); range.root == old) {
      Value &view = views[operand.get()];
      if (!view)
        view = staging.view(here, range.offset, range.bytes, range.strides);
      operand.set(view);
    }
}

bool reads(InstructionOpInterface instruction, Value buffer) {
  return llvm::any_of(instruction.getReads(), [&](Value read) { return resolveBuffer(read).root == buffer; });
}

bool writes(InstructionOpInterface instruction, Value buffer) {
  return llvm::any_of(instruction.getWrites(),
                      [&](Value written) { return resolveBuffer(written).root == buffer; });
}

} // namespace

void offloadCheckpoints(SectionOp section, Staging &staging) {
  for (auto alloc : llvm::make_early_inc_range(section.getBody().front().getOps<AllocOp>())) {
    const TierAttr home = alloc.getCheckpointHomeAttr();
    if (!home || home.getValue() == Tier::Device)
      continue;
    SmallVector<InstructionOpInterface> users = usersOf(alloc.getBuffer());
    auto backward = llvm::find_if(
        users, [](InstructionOpInterface user) { return user.origin().getPhase() != Phase::Forward; });
    if (backward == users.begin() || backward == users.end())
      continue;
    // Tiles add to the value that the first tile wrote, so that the last writer makes the checkpoint.
    InstructionOpInterface producer =
        *llvm::find_if(llvm::reverse(llvm::make_range(users.begin(), backward)),
                       [&](InstructionOpInterface user) { return writes(user, alloc.getBuffer()); });
    staging.after(producer);
    staging.origin(producer.origin(), "checkpoint");
    Value away = staging.bring(alloc.getBuffer(), *home.getValue(), BufferClass::Checkpoint);
    staging.at(*backward);
    Value back = staging.bring(away, Tier::Device, BufferClass::Checkpoint);
    for (InstructionOpInterface user : llvm::make_range(backward, users.end()))
      replaceIn(user, alloc.getBuffer(), back, staging);
  }
}

/// The end of the last byte of the buffer that an instruction uses.
static int64_t endOfUse(ArrayRef<InstructionOpInterface> users, Value buffer) {
  int64_t end = 0;
  for (InstructionOpInterface user : users)
    for (Value operand : user->getOperands())
      if (BufferRange range = resolveBuffer(operand); range.root == buffer)
        end = std::max(end, range.offset + range.bytes);
  return end;
}

/// Groups the users of slots by micro-batch and by pass (forward, backward), in program order: a run has
/// passes of several micro-batches. With chunks of layers a stage may receive a value some runs before it
/// computes with it, so receives are then a group of their own.
static SmallVector<SmallVector<InstructionOpInterface>> byPass(ArrayRef<InstructionOpInterface> users,
                                                               bool hasChunks) {
  enum Part { Backward, Forward, Receive };
  llvm::MapVector<std::pair<int64_t, int>, SmallVector<InstructionOpInterface>> passes;
  for (InstructionOpInterface user : users) {
    const Part part = user.origin().getPhase() != Phase::Forward      ? Backward
                      : hasChunks && isa<RecvOp>(user.getOperation()) ? Receive
                                                                      : Forward;
    passes[{user.origin().getMicroBatch(), part}].push_back(user);
  }
  return llvm::map_to_vector(passes, [](auto &pass) { return pass.second; });
}

void offloadSlots(SectionOp section, const HomeTable &homes, Staging &staging) {
  const bool hasChunks = section->getParentOfType<ModuleOp>()->hasAttr(dist::kStages);
  for (auto use : llvm::to_vector(section.getBody().front().getOps<UseOp>())) {
    HomeOp home = homes.of(use);
    if (home.getBufferClass() != BufferClass::Checkpoint || home.getTier() == Tier::Device)
      continue;
    const Value slots = use.getBuffer();
    const SmallVector<InstructionOpInterface> users = usersOf(slots);
    const int64_t bytes = endOfUse(users, slots); // a slot is padded to blocks
    for (SmallVector<InstructionOpInterface> pass : byPass(users, hasChunks)) {
      staging.at(pass.front());
      const Value there = staging.view(slots, 0, bytes);
      const bool isNew = pass.front().origin().getPhase() == Phase::Forward && writes(pass.front(), slots);
      const Value here = isNew ? staging.allocate(there, Tier::Device, BufferClass::Checkpoint)
                               : staging.bring(there, Tier::Device, BufferClass::Checkpoint);
      auto producer = llvm::find_if(llvm::reverse(pass),
                                    [&](InstructionOpInterface user) { return writes(user, slots); });
      const bool isMadeHere = producer != pass.rend();
      for (InstructionOpInterface user : pass)
        replaceIn(user, slots, here, staging);
      if (!isMadeHere)
        continue;
      staging.after(*producer);
      staging.origin(producer->origin(), "checkpoint");
      staging.put(here, slots);
    }
  }
}

void sumGradients(SectionOp section, const HomeTable &homes, Staging &staging) {
  for (auto use : llvm::to_vector(section.getBody().front().getOps<UseOp>())) {
    HomeOp home = homes.of(use);
    if (home.getRole() != graph::Role::Gradient || home.getTier() == Tier::Device)
      continue;
    Value buffer = use.getBuffer();
    SmallVector<InstructionOpInterface> users = usersOf(buffer);
    llvm::erase_if(users,
                   [](InstructionOpInterface user) { return user.origin().getPhase() == Phase::Update; });
    bool stores = !users.empty() && !reads(users.front(), buffer);
    bool adds = llvm::any_of(users, [&](InstructionOpInterface user) { return reads(user, buffer); });
    // NVMe writes whole blocks, so that the parts of a block are put together before.
    bool isInParts = home.getTier() == Tier::Nvme && users.size() > 1;
    if (!stores || !(adds || isInParts))
      continue;
    staging.at(users.front());
    Value sum = staging.allocate(buffer, Tier::Device, BufferClass::Partial);
    for (InstructionOpInterface user : users)
      replaceIn(user, buffer, sum, staging);
    staging.after(users.back());
    staging.send(sum, buffer);
  }
}

} // namespace windlass::flow
