// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which maps are spliced into which ops. Splice.h does the rewriting.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Splice.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_FUSEMAPS
#include "passes/Graph/Passes.h.inc"

namespace {

/// A body of at most this many cheap ops may be computed more than once for an element.
constexpr int kCheapOps = 8;

bool isCheap(Operation *op) {
  return isa<IndexOp, LookupOp>(op) ||
         (isa<arith::ArithDialect>(op->getDialect()) &&
          !isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              op));
}

bool isCheapToRepeat(MapOp map) {
  int count = 0;
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (!isCheap(&op))
      return false;
    count += !isa<arith::ConstantOp>(op);
  }
  return count <= kCheapOps;
}

/// True if an op in `consumer`'s phase may do the work of `producer`: a step's forward pass stays apart from
/// its backward pass.
bool mayMove(Operation *producer, Operation *consumer) {
  return phaseOf(producer) == phaseOf(consumer) || phaseOf(producer).has_value();
}

/// The maps at which `consumer` reads results of `producer`.
SmallVector<AffineMap> readingMaps(MapOp producer, Operation *consumer) {
  SmallVector<AffineMap> reading;
  for (auto [operand, map] : llvm::zip_equal(consumer->getOperands(), indexingMaps(consumer)))
    if (operand.getDefiningOp() == producer && !llvm::is_contained(reading, map))
      reading.push_back(map);
  return reading;
}

/// True if different iterations of the consumer read different elements.
bool readsEachOnce(AffineMap map) {
  llvm::SmallBitVector loops(map.getNumDims());
  for (unsigned loop : loopsOf(map))
    loops.set(loop);
  return loops.all();
}

/// True if every loop of the reduction still is a plain index of some input once `producer` is spliced in,
/// and no plain index reads only a part of its dimension.
bool keepsExtents(MapOp producer, ReduceOp reduce) {
  if (reduce.getExtents())
    return true;
  SmallVector<int64_t> extents = loopExtents(reduce);
  llvm::SmallBitVector known(extents.size());
  bool readsWhole = true;
  auto note = [&](Value tensor, AffineMap map) {
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), typeOf(tensor).getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        readsWhole &= extents[loop.getPosition()] == size;
        known.set(loop.getPosition());
      }
  };
  for (auto [operand, at] : llvm::zip_equal(reduce.getInputs(), reduce.getMapValues())) {
    if (operand.getDefiningOp() != producer)
      note(operand, at);
    else
      for (auto [input, map] : llvm::zip_equal(producer.getInputs(), producer.getMapValues()))
        note(input, map.compose(at));
  }
  return readsWhole && known.all();
}

bool canSplice(MapOp producer, Operation *consumer) {
  if (!isa<MapOp, ReduceOp>(consumer) || consumer->getBlock() != producer->getBlock() ||
      !mayMove(producer, consumer))
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(consumer); reduce && !keepsExtents(producer, reduce))
    return false;
  SmallVector<AffineMap> reading = readingMaps(producer, consumer);
  return (reading.size() == 1 && readsEachOnce(reading.front())) || isCheapToRepeat(producer);
}

/// Splices a map into its only reader, or one that reads nothing into every reader.
bool trySplice(MapOp producer) {
  if (producer->hasAttr(kAccumulates))
    return false;
  llvm::SetVector<Operation *> readers(producer->user_begin(), producer->user_end());
  if (readers.empty() || (readers.size() > 1 && !producer.getInputs().empty()))
    return false;
  bool changed = false;
  for (Operation *reader : readers)
    if (canSplice(producer, reader)) {
      spliceInto(reader, producer);
      changed = true;
    }
  if (producer->use_empty())
    producer.erase();
  return changed;
}

/// The first op of the producer's block that reads it, itself or inside a region.
Operation *findFirstReader(MapOp producer) {
  Operation *first = nullptr;
  for (Operation *user : producer->getUsers()) {
    Operation *reader = producer->getBlock()->findAncestorOpInBlock(*user);
    if (!first || reader->isBeforeInBlock(first))
      first = reader;
  }
  return first;
}

/// Joins a map with its first reader, if that is a map of the same loops that reads it at the identity.
bool tryJoin(MapOp producer) {
  if (producer->hasAttr(kAccumulates))
    return false;
  auto consumer = dyn_cast_or_null<MapOp>(findFirstReader(producer));
  if (!consumer || loopExtents(consumer) != loopExtents(producer) || !mayMove(producer, consumer))
    return false;
  SmallVector<AffineMap> reading = readingMaps(producer, consumer);
  if (reading.size() != 1 || !reading.front().isIdentity())
    return false;
  joinMaps(producer, consumer);
  return true;
}

/// Fuses the maps of a block in program order, so that a chain of maps ends up in its last map. A joined map
/// is looked at again.
void fuseBlock(Block &block) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto map : llvm::make_early_inc_range(block.getOps<MapOp>()))
      changed |= trySplice(map);
    for (auto map : block.getOps<MapOp>())
      if (tryJoin(map)) {
        changed = true;
        break;
      }
  }
}

struct FuseMapsPass : impl::FuseMapsBase<FuseMapsPass> {
  using FuseMapsBase::FuseMapsBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<MapOp, ReduceOp, ModuleOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            fuseBlock(block);
    });
  }
};

} // namespace
} // namespace windlass::graph
