// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/homes/Staging.h"

#include "passes/Flow/homes/Homes.h"

using namespace mlir;

namespace windlass::flow {

void Staging::at(InstructionOpInterface op) {
  builder.setInsertionPoint(op);
  current = op.origin();
  owner = ownerOf(op);
}

void Staging::after(Operation *op) { builder.setInsertionPointAfter(op); }

void Staging::origin(OriginAttr origin, StringRef what) { current = origin.doing(what); }

std::string Staging::nameOf(Value buffer) {
  Value root = resolveBuffer(buffer).root;
  if (auto use = root.getDefiningOp<UseOp>())
    return use.getHome().str();
  return root.getDefiningOp<AllocOp>().getName().str();
}

Value Staging::view(Value buffer, int64_t offset, int64_t bytes, ArrayRef<int64_t> strides) {
  return viewOf(builder, section.getLoc(), buffer, offset, bytes, strides);
}

Value Staging::aligned(Value buffer, int64_t &start) {
  BufferRange range = resolveBuffer(buffer);
  int64_t low = range.offset / kShardGranule * kShardGranule;
  int64_t high = roundUp(range.offset + range.bytes, kShardGranule);
  start = range.offset - low;
  return view(range.root, low, high - low);
}

Value Staging::allocate(Value buffer, Tier tier, BufferClass cls) {
  return allocateBytes(buffer, bufferType(buffer).getBytes(), tier, cls);
}

Value Staging::allocateBytes(Value buffer, int64_t bytes, Tier tier, BufferClass cls) {
  auto type = BufferType::get(builder.getContext(), bytes, tier, std::max(owner, ownerOf(buffer)));
  return AllocOp::create(builder, section.getLoc(), type, nameOf(buffer), cls, /*offset=*/-1, TierAttr());
}

Value Staging::blocksOf(Value buffer, BufferClass cls) {
  const int64_t bytes = bufferType(buffer).getBytes(), padded = roundUp(bytes, kShardGranule);
  Value host = allocateBytes(buffer, padded, Tier::Host, cls);
  if (const int64_t from = bytes / kOperandAlignment * kOperandAlignment; bytes != padded) {
    const int64_t elements = (padded - from) / 4;
    launch(kernels.zero(builder.getF32Type(), elements).getSymName(), {}, view(host, from, padded - from),
           elements, current.doing("zero padding"));
  }
  return host;
}

Value Staging::room(Value buffer, Tier tier) {
  if (tier != Tier::Host || bufferType(buffer).getTier() != Tier::Nvme)
    return allocate(buffer, tier);
  BufferRange range = resolveBuffer(buffer);
  bool whole = range.offset % kShardGranule == 0 && range.bytes % kShardGranule == 0;
  return whole ? allocate(buffer, tier) : bring(buffer, tier);
}

void Staging::transfer(TransferKind kind, Value source, Value target) {
  bool inwards = kind == TransferKind::Upload || kind == TransferKind::Read;
  std::string what = (stringifyTransferKind(kind) + " " + nameOf(inwards ? source : target)).str();
  TransferOp::create(builder, section.getLoc(), kind, source, target, current.doing(what), ArrayAttr());
}

Value Staging::bring(Value buffer, Tier tier, BufferClass cls) {
  const Tier from = tierOf(buffer);
  if (from == tier)
    return buffer;
  if (from == Tier::Nvme) {
    int64_t start = 0, bytes = bufferType(buffer).getBytes();
    Value blocks = aligned(buffer, start);
    Value host = allocate(blocks, Tier::Host, cls);
    transfer(TransferKind::Read, blocks, host);
    return bring(view(host, start, bytes), tier, cls);
  }
  if (from == Tier::Device) {
    const int64_t bytes = bufferType(buffer).getBytes();
    Value host = tier == Tier::Host ? allocate(buffer, tier, cls) : blocksOf(buffer, cls);
    transfer(TransferKind::Offload, buffer, view(host, 0, bytes));
    if (tier == Tier::Host)
      return host;
    Value disk = allocate(host, Tier::Nvme, cls);
    transfer(TransferKind::Write, host, disk);
    return view(disk, 0, bytes);
  }
  Value target = allocate(buffer, tier, cls);
  transfer(tier == Tier::Device ? TransferKind::Upload : TransferKind::Write, buffer, target);
  return target;
}

void Staging::send(Value staged, Value buffer) {
  const Tier from = tierOf(staged), to = tierOf(buffer);
  if (from == to)
    return;
  if (from == Tier::Device && to == Tier::Nvme) {
    int64_t start = 0, bytes = bufferType(buffer).getBytes();
    Value blocks = aligned(buffer, start);
    Value host = allocate(blocks, Tier::Host);
    if (bufferType(blocks).getBytes() != bytes) // the rest of its blocks stays what it is
      transfer(TransferKind::Read, blocks, host);
    transfer(TransferKind::Offload, staged, view(host, start, bytes));
    return transfer(TransferKind::Write, host, blocks);
  }
  if (to == Tier::Nvme) {
    int64_t start = 0;
    Value blocks = aligned(buffer, start);
    Value host = resolveBuffer(staged).root; // with the rest of its blocks
    return transfer(TransferKind::Write, view(host, 0, bufferType(blocks).getBytes()), blocks);
  }
  transfer(to == Tier::Device ? TransferKind::Upload : TransferKind::Offload, staged, buffer);
}

void Staging::put(Value staged, Value home) {
  const int64_t bytes = bufferType(staged).getBytes();
  if (tierOf(home) != Tier::Nvme)
    return transfer(TransferKind::Offload, staged, view(home, 0, bytes));
  Value host = blocksOf(staged, BufferClass::Checkpoint);
  transfer(TransferKind::Offload, staged, view(host, 0, bytes));
  transfer(TransferKind::Write, host, home);
}

Value Staging::scalar(Value buffer, Tier tier) {
  if (bufferType(buffer).getTier() == tier)
    return buffer;
  Value &copy = scalars[{buffer, static_cast<int>(tier)}];
  if (copy)
    return copy;
  const int64_t mine = std::exchange(owner, -1); // all ranks read the copy
  copy = bring(buffer, tier, BufferClass::Feed);
  owner = mine;
  return copy;
}

void Staging::launch(StringRef kernel, ValueRange inputs, ValueRange outputs, int64_t end,
                     OriginAttr origin) {
  LaunchOp::create(builder, section.getLoc(), kernel, inputs, outputs, ValueRange{}, 0, end, origin,
                   ArrayAttr());
}

} // namespace windlass::flow
