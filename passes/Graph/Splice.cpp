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

BlockArgument insertInput(Operation *op, unsigned position, Value input, AffineMap map) {
  SmallVector<AffineMap> maps = indexingMaps(op);
  maps.insert(maps.begin() + position, map);
  op->insertOperands(position, input);
  setIndexingMaps(op, maps);
  return op->getRegion(0).insertArgument(position, typeOf(input).getElementType(), input.getLoc());
}

/// The value of a loop of a producer that is read at `at`.
Value indexOf(OpBuilder &builder, Location loc, AffineExpr at) {
  return buildIndex(builder, loc, at, [&](unsigned loop) -> Value {
    return IndexOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(loop));
  });
}

/// Copies the producer's body to the head of the consumer's, as it is when its results are read at `at`; its
/// inputs are inserted at `position`.
SmallVector<Value> copyBody(Operation *consumer, unsigned position, MapOp producer, AffineMap at) {
  IRMapping mapping;
  for (auto [input, map, argument] :
       llvm::zip_equal(producer.getInputs(), producer.getMapValues(), producer.getBody().getArguments()))
    mapping.map(argument, insertInput(consumer, position++, input, map.compose(at)));
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

/// Lets the consumer compute what it reads of the producer. Returns, for the identity, the scalars that
/// stand for the producer's results.
SmallVector<Value> substitute(Operation *consumer, MapOp producer) {
  llvm::MapVector<AffineMap, SmallVector<Value>> copies;
  for (unsigned i = 0; i < consumer->getNumOperands(); ++i) {
    auto operand = dyn_cast<OpResult>(consumer->getOperand(i));
    if (!operand || operand.getOwner() != producer)
      continue;
    AffineMap map = indexingMaps(consumer)[i];
    if (!copies.contains(map)) {
      copies[map] = copyBody(consumer, i, producer, map);
      i += producer.getInputs().size();
    }
    consumer->getRegion(0).getArgument(i).replaceAllUsesWith(copies[map][operand.getResultNumber()]);
  }
  for (auto &[map, copy] : copies)
    if (map.isIdentity())
      return copy;
  return {};
}

/// One argument for every tensor that is read twice at the same place; none for what nobody reads.
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
