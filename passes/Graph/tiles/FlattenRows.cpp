// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/tiles/FlattenRows.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace windlass::graph {
namespace {

ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

class RowFlattener {
public:
  explicit RowFlattener(ReshapeOp spread) { spreads.push_back(spread); }

  void run() {
    while (!spreads.empty()) {
      ReshapeOp spread = spreads.pop_back_val();
      llvm::SetVector<Operation *> users(spread->user_begin(), spread->user_end());
      for (Operation *user : users)
        flatten(user, spread);
      if (spread.use_empty())
        spread.erase();
    }
  }

private:
  void flatten(Operation *user, ReshapeOp spread) {
    Value matrix = spread.getInput();
    if (auto map = dyn_cast<MapOp>(user)) {
      if (isOfRows(map, spread.getResult()))
        flattenMap(map, shapeOf(matrix));
    } else if (auto loss = dyn_cast<CrossEntropyOp>(user)) {
      flattenLoss(loss, matrix);
    } else if (auto back = dyn_cast<ReshapeOp>(user); back && shapeOf(back) == shapeOf(matrix)) {
      back.replaceAllUsesWith(matrix);
      back.erase();
    }
  }

  /// Whether a map works element by element on tensors of one shape, on vectors of columns, on the number of
  /// the column and on numbers.
  static bool isOfRows(MapOp map, Value whole) {
    const unsigned loops = typeOf(whole).getRank();
    auto isWhole = [&](Value value, AffineMap place) {
      return shapeOf(value) == shapeOf(whole) && place.isIdentity();
    };
    auto isOfColumns = [&](AffineMap place) {
      return place == loopsMap(map.getContext(), loops, {loops - 1}) || place.getNumResults() == 0;
    };
    return llvm::all_of(map.getBody().front().getOps<IndexOp>(),
                        [&](IndexOp index) { return index.getDim() == loops - 1; }) &&
           llvm::all_of(map.getResults(), [&](Value result) { return shapeOf(result) == shapeOf(whole); }) &&
           llvm::all_of(llvm::zip_equal(map.getInputs(), map.getMapValues()), [&](auto pair) {
             auto [input, place] = pair;
             return isWhole(input, place) || isOfColumns(place);
           });
  }

  void flattenMap(MapOp map, ArrayRef<int64_t> shape) {
    OpBuilder builder(map);
    auto flat = cast<MapOp>(builder.clone(*map));
    SmallVector<Attribute> places;
    for (auto [i, input] : llvm::enumerate(map.getInputs())) {
      AffineMap place = map.getMapValues()[i];
      if (place.isIdentity()) {
        builder.setInsertionPoint(flat);
        flat.setOperand(i, rowsOf(builder, input, shape));
      }
      SmallVector<unsigned> dims = place.isIdentity()          ? SmallVector<unsigned>{0, 1}
                                   : place.getNumResults() > 0 ? SmallVector<unsigned>{1}
                                                               : SmallVector<unsigned>{};
      places.push_back(AffineMapAttr::get(loopsMap(map.getContext(), 2, dims)));
    }
    flat.setMapsAttr(builder.getArrayAttr(places));
    for (auto index : flat.getBody().front().getOps<IndexOp>())
      index.setDim(1);
    builder.setInsertionPointAfter(flat);
    for (auto [result, rows] : llvm::zip_equal(map.getResults(), flat.getResults())) {
      rows.setType(tensorType(shape, typeOf(result).getElementType()));
      spread(builder, result, rows);
    }
    map.erase();
  }

  void flattenLoss(CrossEntropyOp loss, Value logits) {
    OpBuilder builder(loss);
    auto flat = cast<CrossEntropyOp>(builder.clone(*loss));
    const int64_t rows = shapeOf(logits).front();
    flat.getLogitsMutable().assign(logits);
    flat.getLabelsMutable().assign(rowsOf(builder, loss.getLabels(), {rows}));
    flat->moveAfter(loss);
    builder.setInsertionPointAfter(flat);
    for (auto [result, ofRows] : llvm::zip_equal(loss->getResults(), flat->getResults())) {
      ofRows.setType(tensorType({rows}, typeOf(result).getElementType()));
      result.replaceAllUsesWith(buildReshape(builder, loss.getLoc(), ofRows, shapeOf(result)));
    }
    loss.erase();
  }

  /// `tensor` reshaped to `shape`; the input of an earlier reshape, where that has the shape.
  static Value rowsOf(OpBuilder &builder, Value tensor, ArrayRef<int64_t> shape) {
    if (auto reshape = tensor.getDefiningOp<ReshapeOp>(); reshape && shapeOf(reshape.getInput()) == shape)
      return reshape.getInput();
    return buildReshape(builder, tensor.getLoc(), tensor, shape);
  }

  /// Replaces `result` by a reshape of `rows`, whose readers are rewritten next.
  void spread(OpBuilder &builder, Value result, Value rows) {
    auto reshape = ReshapeOp::create(builder, result.getLoc(), result.getType(), rows);
    result.replaceAllUsesWith(reshape);
    spreads.push_back(reshape);
  }

  SmallVector<ReshapeOp> spreads; ///< of matrices, to more dimensions and as many columns
};

} // namespace

void flattenRows(ModuleOp module) {
  SmallVector<ReshapeOp> found;
  module.walk([&](MatmulOp product) {
    if (typeOf(product.getResult()).getRank() != 2)
      return;
    for (Operation *user : product->getUsers())
      if (auto reshape = dyn_cast<ReshapeOp>(user);
          reshape && shapeOf(reshape).size() > 2 && shapeOf(reshape).back() == shapeOf(product).back())
        found.push_back(reshape);
  });
  for (ReshapeOp spread : found)
    RowFlattener(spread).run();
}

} // namespace windlass::graph
