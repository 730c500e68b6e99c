// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/tiles/SampleRow.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/tiles/TileChains.h"
#include "runtime/base/StepItems.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// The maps between a product and what is reported, the last one first.
struct Path {
  SmallVector<MapOp> maps;
  MatmulOp product;
};

/// The path from a product to `value` through maps that read one matrix, and vectors column by column;
/// nothing if there is none.
std::optional<Path> climb(Value value) {
  Path path;
  while (auto map = value.getDefiningOp<MapOp>()) {
    Value matrix;
    for (auto [i, input] : llvm::enumerate(map.getInputs())) {
      if (readsElements(map, i) && !matrix)
        matrix = input;
      else if (!readsColumns(map, i))
        return std::nullopt;
    }
    if (!matrix || map.getNumResults() != 1 || !map.getBody().front().getOps<IndexOp>().empty())
      return std::nullopt;
    path.maps.push_back(map);
    value = matrix;
  }
  path.product = value.getDefiningOp<MatmulOp>();
  bool isPlain = path.product && !path.product.getTransposeA() && !path.product.getOnto() &&
                 typeOf(path.product.getResult()).getRank() == 2;
  return isPlain ? std::optional(path) : std::nullopt;
}

RankedTensorType oneRow(Value value) {
  return tensorType({1, typeOf(value).getDimSize(1)}, typeOf(value).getElementType());
}

} // namespace

void reportOneRow(StepOp sample, llvm::function_ref<bool(MatmulOp)> isLarge) {
  for (auto report : llvm::make_early_inc_range(sample.getOps<ReportOp>())) {
    if (typeOf(report.getValue()).getRank() != 2 || typeOf(report.getValue()).getDimSize(0) == 1)
      continue;
    std::optional<Path> path = climb(report.getValue());
    if (!path || !isLarge(path->product))
      continue;
    OpBuilder builder(report);
    Location loc = report.getLoc();
    Value rows = path->product.getA();
    Value position = FeedOp::create(builder, loc, tensorType({1}, builder.getI32Type()), kPosition,
                                    typeOf(rows).getDimSize(0));
    Value row = EmbeddingOp::create(builder, loc, oneRow(rows), rows, position);
    Value value = MatmulOp::create(builder, loc, oneRow(path->product.getResult()), row, path->product.getB(),
                                   /*transposeA=*/false, path->product.getTransposeB());
    for (MapOp map : llvm::reverse(path->maps)) {
      auto copy = cast<MapOp>(builder.clone(*map));
      for (unsigned i = 0; i < copy.getInputs().size(); ++i)
        if (readsElements(map, i))
          copy.setOperand(i, value);
      copy->getResult(0).setType(oneRow(map.getResult(0)));
      value = copy.getResult(0);
    }
    report.setOperand(value);
    for (MapOp map : path->maps)
      if (map->use_empty())
        map.erase();
    if (path->product->use_empty())
      path->product.erase();
  }
}

} // namespace windlass::graph
