// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/Splice.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::graph {

SmallVector<AffineMap> indexingMaps(Operation *op) {
  if (auto map = dyn_cast<MapOp>(op))
    return map.getMapValues();
  return cast<ReduceOp>(op).getMapValues();
}

namespace {

void setIndexingMaps(Operation *op, ArrayRef<AffineMap> maps) {
  ArrayAttr attribute = Builder(op->getContext()).getAffineMapArrayAttr(maps);
  if (auto map = dyn_cast<MapOp>(op))
    map.setMapsAttr(attribute);
  else
    cast<ReduceOp>(op).setMapsAttr(attribute);
}

/// Inserts the inputs of the producer, which is read at `at`, into `op` from input `position` on. Returns
/// their body arguments.
SmallVector<Value> insertInputs(Operation *op, unsigned position, MapOp producer, AffineMap at) {
  SmallVector<AffineMap> maps = indexingMaps(op), inserted;
  SmallVector<Value> arguments;
  for (auto [input, map] : llvm::zip_equal(producer.getInputs(), producer.getMapValues())) {
    inserted.push_back(map.compose(at));
    arguments.push_back(op->getRegion(0).insertArgument(position + arguments.size(),
                                                        typeOf(input).getElementType(), input.getLoc()));
  }
  maps.insert(maps.begin() + position, inserted.begin(), inserted.end());
  op->insertOperands(position, producer.getInputs());
  setIndexingMaps(op, maps);
  return arguments;
}

/// The value of a loop of the producer, which is read at index `at`.
Value indexOf(OpBuilder &builder, Location loc, AffineExpr at) {
  return buildIndex(builder, loc, at, [&](unsigned loop) -> Value {
    return IndexOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(loop));
  });
}

/// Copies the producer's body, for results that are read at `at`, to the head of the consumer's body. The
/// producer's inputs are inserted at `position`. Returns the scalars of the producer's results.
SmallVector<Value> copyBody(Operation *consumer, unsigned position, MapOp producer, AffineMap at) {
  IRMapping mapping;
  mapping.map(producer.getBody().getArguments(), insertInputs(consumer, position, producer, at));
  OpBuilder builder(consumer->getContext());
  builder.setInsertionPointToStart(&consumer->getRegion(0).front());
  for (Operation &op : producer.getBody().front().without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(op))
      mapping.map(index.getValue(), indexOf(builder, op.getLoc(), at.getResult(index.getDim())));
    else
      builder.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (Value yielded : producer.getYielded())
    results.push_back(mapping.lookupOrDefault(yielded));
  return results;
}

/// Makes the consumer compute the elements that it reads of the producer. Returns, if it reads at the
/// identity, the scalars of the producer's results.
SmallVector<Value> substitute(Operation *consumer, MapOp producer) {
  llvm::MapVector<AffineMap, SmallVector<Value>> copies;
  SmallVector<AffineMap> maps = indexingMaps(consumer);
  for (unsigned i = 0; i < consumer->getNumOperands(); ++i) {
    auto operand = dyn_cast<OpResult>(consumer->getOperand(i));
    if (!operand || operand.getOwner() != producer)
      continue;
    const AffineMap map = maps[i];
    if (!copies.contains(map)) {
      copies[map] = copyBody(consumer, i, producer, map);
      maps = indexingMaps(consumer);
      i += producer.getInputs().size();
    }
    consumer->getRegion(0).getArgument(i).replaceAllUsesWith(copies[map][operand.getResultNumber()]);
  }
  for (auto &[map, copy] : copies)
    if (map.isIdentity())
      return copy;
  return {};
}

/// Merges inputs that are the same tensor at the same index, and drops inputs that the body does not use.
void mergeInputs(Operation *op) {
  llvm::MapVector<std::pair<Value, AffineMap>, BlockArgument> first;
  for (auto [operand, map, argument] :
       llvm::zip_equal(op->getOperands(), indexingMaps(op), op->getRegion(0).getArguments())) {
    auto [known, isNew] = first.insert({{operand, map}, argument});
    if (!isNew)
      argument.replaceAllUsesWith(known->second);
  }
  eraseDeadBodyOps(op);
  if (auto map = dyn_cast<MapOp>(op))
    dropUnusedInputs(map);
  else
    dropUnusedInputs(cast<ReduceOp>(op));
}

} // namespace

void spliceInto(Operation *consumer, MapOp producer) {
  substitute(consumer, producer);
  mergeInputs(consumer);
}

MapOp joinMaps(MapOp producer, MapOp consumer) {
  OpBuilder builder(consumer);
  SmallVector<Type> types(producer->getResultTypes());
  llvm::append_range(types, consumer->getResultTypes());
  auto joined = MapOp::create(builder, consumer.getLoc(), types, consumer.getInputs(), consumer.getMaps());
  joined->setDiscardableAttrs(consumer->getDiscardableAttrDictionary());
  joined.getBody().takeBody(consumer.getBody());
  Operation *yield = joined.getBody().front().getTerminator();
  yield->insertOperands(0, substitute(joined, producer));
  mergeInputs(joined);
  unsigned count = producer->getNumResults();
  consumer->replaceAllUsesWith(joined->getResults().drop_front(count));
  consumer->erase();
  producer->replaceAllUsesWith(joined->getResults().take_front(count));
  producer->erase();
  return joined;
}

} // namespace windlass::graph
