// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a group of one rank a shard is its units: the collectives between them become views.

#include "passes/Dist/Kernels.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionOrder.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_ELIDECOLLECTIVES
#include "passes/Flow/Passes.h.inc"

namespace {

/// What an instruction does to a range of the bytes of an alloc or a home.
struct Access {
  uint32_t at; ///< number of the instruction
  int64_t begin, end;
  bool writes;
};

class SectionElider {
public:
  SectionElider(SectionOp section, dist::KernelTable &kernels)
      : section(section), kernels(kernels), builder(section.getContext()) {}

  void run() {
    SmallVector<Operation *> collectives;
    uint32_t number = 0;
    for (auto instruction : section.getBody().front().getOps<InstructionOpInterface>()) {
      Operation &op = *instruction.getOperation();
      for (bool writes : {false, true})
        for (Value buffer : writes ? instruction.getWrites() : instruction.getReads()) {
          BufferRange range = resolveBuffer(buffer);
          accesses[range.root].push_back({number, range.offset, range.offset + range.bytes, writes});
        }
      if (isa<AllGatherOp, ReduceScatterOp>(op) && isOfOneRank(cast<CollectiveOpInterface>(op)))
        collectives.push_back(&op);
      numbers[&op] = number++;
    }
    if (collectives.empty())
      return;
    for (Operation *op : collectives) {
      if (auto gather = dyn_cast<AllGatherOp>(op))
        elide(gather);
      else
        elide(cast<ReduceScatterOp>(op));
    }
    // Shards may now stand behind the users of what is a view of them.
    placeInOrder(section, llvm::to_vector(section.getBody().front().getOps<InstructionOpInterface>()));
  }

private:
  /// The allocation behind a unit, if the unit is all of it and no more than its one piece.
  AllocOp allocOf(Value unit, int64_t pieceBytes) {
    BufferRange range = resolveBuffer(unit);
    auto alloc = range.root.getDefiningOp<AllocOp>();
    bool whole = alloc && range.offset == 0 && bufferType(range.root).getBytes() == pieceBytes;
    return whole ? alloc : AllocOp();
  }

  /// The allocations behind all units; empty if one is something else, stands twice, or lies in another tier.
  SmallVector<AllocOp> allocsOf(ValueRange units, ArrayRef<int64_t> pieceBytes, Value shard) {
    SmallVector<AllocOp> allocs;
    for (auto [unit, bytes] : llvm::zip_equal(units, pieceBytes)) {
      AllocOp alloc = allocOf(unit, bytes);
      if (!alloc || llvm::is_contained(allocs, alloc) || alloc.getBuffer() == resolveBuffer(shard).root ||
          bufferType(unit).getTier() != bufferType(shard).getTier())
        return {};
      allocs.push_back(alloc);
    }
    return allocs;
  }

  /// Whether anything but `self` touches (or, where only writes matter, writes) a range from `first` to
  /// `last`.
  bool isTouched(const BufferRange &range, uint32_t first, uint32_t last, uint32_t self, bool onlyWrites) {
    return llvm::any_of(accesses[range.root], [&](const Access &access) {
      return access.at != self && access.at >= first && access.at <= last &&
             access.begin < range.offset + range.bytes && access.end > range.offset &&
             (access.writes || !onlyWrites);
    });
  }

  /// A gathered unit that nobody else writes is the shard, until its last reader, if the shard stays as it
  /// is.
  void elide(AllGatherOp gather) {
    SmallVector<AllocOp> units = allocsOf(gather.getUnits(), gather.getPieceBytes(), gather.getShard());
    uint32_t self = numbers[gather], last = self;
    for (AllocOp unit : units)
      for (const Access &access : accesses[unit.getBuffer()]) {
        if (access.at != self && (access.writes || access.at < self))
          return;
        last = std::max(last, access.at);
      }
    if (units.empty() || isTouched(resolveBuffer(gather.getShard()), self, last, self, /*onlyWrites=*/true))
      return;
    alias(gather, units, gather.getShard(), self);
  }

  /// Units that nobody needs after the sum are made in the shard, if nothing else is in it meanwhile.
  void elide(ReduceScatterOp reduce) {
    SmallVector<AllocOp> units = allocsOf(reduce.getUnits(), reduce.getPieceBytes(), reduce.getShard());
    uint32_t self = numbers[reduce], first = self;
    for (AllocOp unit : units)
      for (const Access &access : accesses[unit.getBuffer()]) {
        if (access.at > self)
          return;
        first = std::min(first, access.at);
      }
    if (units.empty() || isTouched(resolveBuffer(reduce.getShard()), first, self, self, /*onlyWrites=*/false))
      return;
    zeroPadding(reduce);
    alias(reduce, units, reduce.getShard(), self);
  }

  /// Units become views of the shard, piece behind piece, and the collective goes.
  void alias(Operation *collective, ArrayRef<AllocOp> units, Value shard, uint32_t self) {
    BufferRange range = resolveBuffer(shard);
    for (AllocOp unit : units) {
      BufferType type = bufferType(unit.getBuffer());
      for (const Access &access : std::exchange(accesses[unit.getBuffer()], {}))
        if (access.at != self)
          accesses[range.root].push_back(
              {access.at, access.begin + range.offset, access.end + range.offset, access.writes});
      accesses.erase(unit.getBuffer()); // a later buffer may stand where it stood
      builder.setInsertionPoint(unit);
      int64_t offset = range.offset - resolveBuffer(shard).offset;
      Value view = offset == 0 && type == shard.getType()
                       ? shard
                       : ViewOp::create(builder, unit.getLoc(), type, shard, offset).getBuffer();
      unit.getBuffer().replaceAllUsesWith(view);
      unit.erase();
      range.offset += type.getBytes();
    }
    llvm::erase_if(accesses[range.root], [&](const Access &access) { return access.at == self; });
    collective->erase();
  }

  /// A reduce-scatter fills its shard to the end.
  void zeroPadding(ReduceScatterOp reduce) {
    BufferType type = bufferType(reduce.getShard());
    int64_t filled =
        std::accumulate(reduce.getPieceBytes().begin(), reduce.getPieceBytes().end(), int64_t(0));
    int64_t bytes = type.getBytes() - filled;
    if (bytes == 0)
      return;
    builder.setInsertionPoint(reduce);
    func::FuncOp zero = kernels.zero(builder.getF32Type(), bytes / 4);
    Value padding =
        ViewOp::create(builder, reduce.getLoc(), BufferType::get(builder.getContext(), bytes, type.getTier()),
                       reduce.getShard(), filled);
    LaunchOp::create(builder, reduce.getLoc(), zero.getSymName(), ValueRange{}, padding, ValueRange{}, 0,
                     bytes / 4, reduce.getOriginAttr().doing("zero padding"), ArrayAttr());
  }

  SectionOp section;
  dist::KernelTable &kernels;
  OpBuilder builder;
  llvm::DenseMap<Operation *, uint32_t> numbers;       ///< of instructions
  llvm::DenseMap<Value, std::vector<Access>> accesses; ///< by alloc or use
};

struct ElideCollectivesPass : impl::ElideCollectivesBase<ElideCollectivesPass> {
  void runOnOperation() override { elideCollectives(getOperation()); }
};

} // namespace

void elideCollectives(ModuleOp module) {
  dist::KernelTable kernels(module);
  for (auto section : module.getOps<SectionOp>())
    SectionElider(section, kernels).run();
}

} // namespace windlass::flow
