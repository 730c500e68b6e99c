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

BlockArgument addInput(Operation *op, Value input, AffineMap map) {
  SmallVector<AffineMap> maps = indexingMaps(op);
  maps.push_back(map);
  op->insertOperands(op->getNumOperands(), input);
  setIndexingMaps(op, maps);
  return op->getRegion(0).front().addArgument(typeOf(input).getElementType(), input.getLoc());
}

/// The value of loop `d` of a producer that is read at `at`: a loop of the consumer or a fixed index.
Value indexOf(OpBuilder &builder, Location loc, AffineExpr at) {
  if (auto loop = dyn_cast<AffineDimExpr>(at))
    return IndexOp::create(builder, loc, builder.getIndexType(),
                           builder.getI64IntegerAttr(loop.getPosition()));
  return arith::ConstantIndexOp::create(builder, loc, cast<AffineConstantExpr>(at).getValue());
}

/// Copies the producer's body to the head of the consumer's, as it is when its results are read at `at`.
SmallVector<Value> copyBody(Operation *consumer, MapOp producer, AffineMap at) {
  IRMapping mapping;
  for (auto [input, map, argument] :
       llvm::zip_equal(producer.getInputs(), producer.getMapValues(), producer.getBody().getArguments()))
    mapping.map(argument, addInput(consumer, input, map.compose(at)));
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

SmallVector<Value> spliceInto(Operation *consumer, MapOp producer) {
  llvm::MapVector<AffineMap, SmallVector<Value>> copies;
  SmallVector<AffineMap> maps = indexingMaps(consumer);
  for (auto [i, map] : llvm::enumerate(maps)) {
    Value operand = consumer->getOperand(i);
    if (operand.getDefiningOp() != producer)
      continue;
    SmallVector<Value> &copy = copies[map];
    if (copy.empty())
      copy = copyBody(consumer, producer, map);
    consumer->getRegion(0).getArgument(i).replaceAllUsesWith(copy[cast<OpResult>(operand).getResultNumber()]);
  }
  mergeInputs(consumer);
  for (auto &[map, copy] : copies)
    if (map.isIdentity())
      return copy;
  return {};
}

MapOp joinMaps(MapOp producer, MapOp consumer) {
  OpBuilder builder(consumer);
  SmallVector<Type> types(producer->getResultTypes());
  llvm::append_range(types, consumer->getResultTypes());
  auto joined = MapOp::create(builder, consumer.getLoc(), types, consumer.getInputs(), consumer.getMaps());
  joined->setDiscardableAttrs(consumer->getDiscardableAttrDictionary());
  joined.getBody().takeBody(consumer.getBody());
  // The producer's scalars are yielded, so that splicing does not drop them as dead.
  Operation *yield = joined.getBody().front().getTerminator();
  SmallVector<Value> copy =
      copyBody(joined, producer, identityMap(builder.getContext(), loopExtents(producer).size()));
  yield->insertOperands(0, copy);
  for (auto [i, operand] : llvm::enumerate(consumer.getInputs()))
    if (operand.getDefiningOp() == producer)
      joined.getBody().getArgument(i).replaceAllUsesWith(copy[cast<OpResult>(operand).getResultNumber()]);
  mergeInputs(joined);
  unsigned count = producer->getNumResults();
  consumer->replaceAllUsesWith(joined->getResults().drop_front(count));
  consumer->erase();
  producer->replaceAllUsesWith(joined->getResults().take_front(count));
  producer->erase();
  return joined;
}

} // namespace windlass::graph
