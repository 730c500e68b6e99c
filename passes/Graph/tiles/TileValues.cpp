// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/tiles/TileValues.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/LossOfParts.h"

using namespace mlir;

namespace windlass::graph {
namespace {

class ChainTiler {
public:
  ChainTiler(const TilePlan::TiledChain &tiled, const TilesOf &tilesOf)
      : chain(tiled.chain), cut(tiled.cut), count(cut.count()), repeats(tiled.repeats), tilesOf(tilesOf),
        builder(chain.end()), loc(chain.end()->getLoc()) {}

  void run() {
    for (tile = 0; tile < count; ++tile) {
      for (Operation *op : ArrayRef(chain.ops).drop_back()) {
        if (auto matmul = dyn_cast<MatmulOp>(op))
          multiply(matmul);
        else
          copyMap(cast<MapOp>(op));
      }
      if (MatmulOp end = chain.endMatmul())
        addProduct(end);
      else
        addLoss(chain.loss());
    }
    if (MatmulOp end = chain.endMatmul())
      end.replaceAllUsesWith(buildCast(builder, loc, sum, typeOf(end.getResult()).getElementType()));
    else
      chain.loss()->replaceAllUsesWith(joinLosses(chain.loss()));
    for (Operation *op : llvm::reverse(chain.ops))
      op->erase();
  }

private:
  RankedTensorType narrowed(Value wide) {
    return tensorType({typeOf(wide).getDimSize(0), cut.widthOf(tile)}, typeOf(wide).getElementType());
  }
  Value tileOf(Value parameter) { return tilesOf.find(parameter)->second[tile]; }
  void note(Operation *original, Operation *part) {
    if (repeats)
      part->setAttr(kRepeat, builder.getUnitAttr());
    for (auto [from, to] : llvm::zip_equal(original->getResults(), part->getResults()))
      wide[from] = to;
  }

  void multiply(MatmulOp start) {
    auto part = MatmulOp::create(builder, start.getLoc(), narrowed(start.getResult()), start.getA(),
                                 tileOf(start.getB()), start.getTransposeA(), start.getTransposeB());
    part->setAttr(kTile, builder.getUnitAttr());
    note(start, part);
  }

  /// Vectors that are cut and the chain's matrices are read as before, others at this tile's columns.
  void copyMap(MapOp map) {
    auto part = cast<MapOp>(builder.clone(*map));
    SmallVector<AffineMap> maps = map.getMapValues();
    AffineExpr column = builder.getAffineDimExpr(1);
    for (auto [i, input] : llvm::enumerate(map.getInputs())) {
      if (Value matrix = wide.lookup(input))
        part.setOperand(i, matrix);
      else if (tilesOf.contains(input))
        part.setOperand(i, tileOf(input));
      else
        maps[i] = maps[i].replace(column, column + cut.begin(tile), 2, 0);
    }
    part.setMapsAttr(builder.getAffineMapArrayAttr(maps));
    moveColumns(part);
    for (OpResult result : part->getResults())
      result.setType(narrowed(result));
    note(map, part);
  }

  /// Shifts the column number that the body reads to that of the whole matrix.
  void moveColumns(MapOp part) {
    for (IndexOp index : llvm::make_early_inc_range(part.getBody().front().getOps<IndexOp>())) {
      if (index.getDim() != 1)
        continue;
      OpBuilder inside(part->getContext());
      inside.setInsertionPointAfter(index);
      Value begin = arith::ConstantIndexOp::create(inside, loc, cut.begin(tile));
      auto moved = arith::AddIOp::create(inside, loc, index.getValue(), begin);
      index.getValue().replaceAllUsesExcept(moved, moved);
    }
  }

  void addProduct(MatmulOp end) {
    Type sums = computeType(typeOf(end.getResult()).getElementType());
    sum =
        MatmulOp::create(builder, loc, withElement(end.getResult().getType(), sums), wide.lookup(end.getA()),
                         tileOf(end.getB()), sum, end.getTransposeA(), end.getTransposeB());
  }

  /// Whether a label that counts names a column of tile `at`.
  Value isInside(const Scalars &s, Value label, int64_t at) {
    auto number = [&](int64_t value) { return s.constant(label.getType(), static_cast<double>(value)); };
    auto both = [&](Value a, Value b) -> Value { return arith::AndIOp::create(s.builder, s.loc, a, b); };
    Value isFrom = s.compare(arith::CmpIPredicate::sge, label, number(cut.begin(at)));
    Value isBefore = s.compare(arith::CmpIPredicate::slt, label, number(cut.begin(at) + cut.widthOf(at)));
    Value within = both(isFrom, isBefore);
    return both(within, s.compare(arith::CmpIPredicate::ne, label,
                                  number(static_cast<int64_t>(chain.loss().getIgnoreIndex()))));
  }

  /// The loss of the tile's logits alone, for the rows whose label is among them, and their log-sum-exp.
  void addLoss(CrossEntropyOp loss) {
    constexpr int64_t kElsewhere = -1;
    Value labels = buildElementwise(builder, loc, loss.getLabels(), typeOf(loss.getLabels()),
                                    [&](const Scalars &s, ValueRange in) -> Value {
                                      Value local = arith::SubIOp::create(
                                          s.builder, s.loc, in[0],
                                          s.constant(in[0].getType(), static_cast<double>(cut.begin(tile))));
                                      Value inside = isInside(s, in[0], tile);
                                      return s.select(inside, local, s.constant(in[0].getType(), kElsewhere));
                                    });
    auto part = CrossEntropyOp::create(builder, loc, loss.getLosses().getType(), loss.getLse().getType(),
                                       wide.lookup(loss.getLogits()), labels, kElsewhere, llvm::APFloat(0.0));
    losses.push_back(part.getLosses());
    lses.push_back(part.getLse());
  }

  ResultRange joinLosses(CrossEntropyOp loss) {
    SmallVector<Value> inputs{loss.getLabels()};
    inputs.append(losses);
    inputs.append(lses);
    SmallVector<AffineMap> maps(inputs.size(),
                                identityMap(builder.getContext(), typeOf(loss.getLosses()).getRank()));
    MapOp joined = buildMap(builder, loc, inputs, maps, loss->getResultTypes(),
                            [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                              auto hasLabel = [&](unsigned tile) { return isInside(s, in[0], tile); };
                              return lossOfParts(s, in.slice(1, count), in.drop_front(1 + count), hasLabel);
                            });
    return joined.getResults();
  }

  const Chain &chain;
  Cut cut;
  int64_t count; ///< of tiles
  bool repeats;
  const TilesOf &tilesOf;
  OpBuilder builder;
  Location loc;
  int64_t tile = 0;
  llvm::DenseMap<Value, Value> wide; ///< the chain's matrices -> this tile's columns
  Value sum;                         ///< of products so far
  SmallVector<Value> losses, lses;   ///< per tile
};

} // namespace

void tileChain(const TilePlan::TiledChain &chain, const TilesOf &tilesOf) {
  ChainTiler(chain, tilesOf).run();
}

void tileProduct(MatmulOp matmul, ArrayRef<Value> tiles) {
  OpBuilder builder(matmul);
  Location loc = matmul.getLoc();
  RankedTensorType whole = typeOf(matmul.getResult());
  SmallVector<Value> parts;
  for (Value tile : tiles) {
    const int64_t columns = typeOf(tile).getDimSize(matmul.getTransposeB() ? 0 : 1);
    RankedTensorType type = tensorType({whole.getDimSize(0), columns}, whole.getElementType());
    auto part = MatmulOp::create(builder, loc, type, matmul.getA(), tile, matmul.getTransposeA(),
                                 matmul.getTransposeB());
    part->setAttr(kTile, builder.getUnitAttr());
    parts.push_back(part);
  }
  Value beside =
      StackOp::create(builder, loc, whole, parts, identityMap(builder.getContext(), 2), /*axis=*/1);
  matmul.replaceAllUsesWith(beside);
  matmul.erase();
}

void tileLookup(EmbeddingOp embedding, ArrayRef<Value> tiles) {
  OpBuilder builder(embedding);
  Value sum = embedding.getOnto();
  auto padding = embedding->getAttrOfType<IntegerAttr>(kPadding);
  int64_t first = 0; // also where the table is a rank's, whose indices are its own
  for (Value tile : tiles) {
    const int64_t next = first + typeOf(tile).getDimSize(0);
    auto part = EmbeddingOp::create(builder, embedding.getLoc(), embedding.getResult().getType(), tile,
                                    embedding.getIndices(), sum, builder.getI64IntegerAttr(first));
    if (padding && padding.getInt() >= first && padding.getInt() < next)
      part->setAttr(kPadding, padding);
    sum = part.getResult();
    first = next;
  }
  embedding.replaceAllUsesWith(sum);
  embedding.erase();
}

} // namespace windlass::graph
