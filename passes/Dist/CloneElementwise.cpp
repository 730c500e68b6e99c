// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/CloneElementwise.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Dist/PartitionUpdate.h"

using namespace mlir;

namespace windlass::dist {

FailureOr<Value> ElementwiseCloner::clone(Value value, Leaf leaf) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  if (Value known = done.lookup(value))
    return known;
  if (!value.getDefiningOp<graph::MapOp>())
    return done[value] = leaf(value);
  auto map = value.getDefiningOp<graph::MapOp>();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [input, indexing] : llvm::zip_equal(map.getInputs(), map.getMapValues())) {
    FailureOr<Value> here = clone(input, leaf);
    if (failed(here))
      return failure();
    bool scalar = cast<RankedTensorType>(input.getType()).getRank() == 0;
    if (!scalar && !indexing.isIdentity())
      return map.emitError("an update must be elementwise, found the map ") << AffineMapAttr::get(indexing);
    inputs.push_back(*here);
    maps.push_back(scalar ? AffineMap::get(shape.size(), 0, {}, map.getContext())
                          : graph::identityMap(map.getContext(), shape.size()));
  }
  SmallVector<Type> types;
  for (Value result : map.getResults())
    types.push_back(RankedTensorType::get(shape, cast<RankedTensorType>(result.getType()).getElementType()));
  auto copy = graph::MapOp::create(builder, map.getLoc(), types, inputs, builder.getAffineMapArrayAttr(maps));
  IRMapping mapping;
  map.getBody().cloneInto(&copy.getBody(), mapping);
  if (!bucket.empty())
    copy->setAttr(kUpdateOf, FlatSymbolRefAttr::get(map.getContext(), bucket));
  for (auto [old, fresh] : llvm::zip_equal(map.getResults(), copy.getResults()))
    done[old] = fresh;
  return done[value];
}

bool sameUpdate(Value a, Value b) {
  auto rank = [](Value v) { return cast<RankedTensorType>(v.getType()).getRank(); };
  if (rank(a) == 0 || rank(b) == 0)
    return a == b;
  auto mapA = a.getDefiningOp<graph::MapOp>(), mapB = b.getDefiningOp<graph::MapOp>();
  if (!mapA || !mapB)
    return !mapA && !mapB;
  return cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
         OperationEquivalence::isRegionEquivalentTo(&mapA.getBody(), &mapB.getBody(),
                                                    OperationEquivalence::IgnoreLocations) &&
         llvm::equal(mapA.getInputs(), mapB.getInputs(), sameUpdate);
}

} // namespace windlass::dist
