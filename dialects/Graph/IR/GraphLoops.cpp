// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of every compute op: extents, kinds, indexing maps, floating-point operations.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/kernels/GraphBodyCost.h"

using namespace mlir;
using namespace windlass::graph;

using Extents = SmallVector<int64_t>;
using Kinds = SmallVector<LoopKind>;
using Maps = SmallVector<AffineMap>;

static double product(ArrayRef<int64_t> extents) {
  double result = 1;
  for (int64_t extent : extents)
    result *= static_cast<double>(extent);
  return result;
}

/// `count` parallel loops, then `rest` of another kind.
static Kinds parallelLoops(unsigned count, unsigned rest = 0, LoopKind kind = LoopKind::Sum) {
  Kinds kinds(count, LoopKind::Parallel);
  kinds.append(rest, kind);
  return kinds;
}

//===----------------------------------------------------------------------===//
// Maps, reductions, stack
//===----------------------------------------------------------------------===//

Extents MapOp::getIterationExtents() { return loopExtents(*this); }
Kinds MapOp::getLoopKinds() { return parallelLoops(loopExtents(*this).size()); }
Maps MapOp::getOperandMaps() { return getMapValues(); }
Maps MapOp::getResultMaps() {
  return Maps(getNumResults(), identityMap(getContext(), loopExtents(*this).size()));
}
double MapOp::getFlops() { return countOperations(*this); }

/// The loops of a reduction in interface order: the parallel ones first, each in program order.
static SmallVector<unsigned> parallelFirst(ReduceOp op) {
  SmallVector<unsigned> order, reduced;
  for (unsigned loop = 0, e = loopExtents(op).size(); loop < e; ++loop)
    (llvm::is_contained(op.getDims(), loop) ? reduced : order).push_back(loop);
  order.append(reduced);
  return order;
}

Extents ReduceOp::getIterationExtents() {
  Extents extents = loopExtents(*this), ordered;
  for (unsigned loop : parallelFirst(*this))
    ordered.push_back(extents[loop]);
  return ordered;
}

/// A reduced loop is a sum loop only if the op sums: maxima over parts of a loop are no terms of a sum.
Kinds ReduceOp::getLoopKinds() {
  unsigned loops = loopExtents(*this).size(), reduced = getDims().size();
  return parallelLoops(loops - reduced, reduced,
                       getCombine() == Combine::Sum ? LoopKind::Sum : LoopKind::Whole);
}

Maps ReduceOp::getOperandMaps() {
  SmallVector<unsigned> order = parallelFirst(*this);
  SmallVector<unsigned> place(order.size());
  for (auto [position, loop] : llvm::enumerate(order))
    place[loop] = position;
  AffineMap renumber = loopsMap(getContext(), order.size(), place);
  Maps maps;
  for (AffineMap map : getMapValues())
    maps.push_back(map.compose(renumber));
  return maps;
}

Maps ReduceOp::getResultMaps() {
  unsigned loops = loopExtents(*this).size();
  return Maps(getNumResults(), leadingMap(getContext(), loops, loops - getDims().size()));
}

double ReduceOp::getFlops() { return countOperations(*this); }

Extents PadOp::getIterationExtents() { return Extents(typeOf(getResult()).getShape()); }
Kinds PadOp::getLoopKinds() { return parallelLoops(typeOf(getResult()).getRank()); }
/// No map: an element of the result is an element of the input, or `value`.
Maps PadOp::getOperandMaps() { return {AffineMap()}; }
Maps PadOp::getResultMaps() { return {identityMap(getContext(), typeOf(getResult()).getRank())}; }
double PadOp::getFlops() { return 0; }

Extents StackOp::getIterationExtents() { return Extents(typeOf(getResult()).getShape()); }
Kinds StackOp::getLoopKinds() { return parallelLoops(typeOf(getResult()).getRank()); }
/// No map if the inputs have the stacked dimension: each input has its own range of this loop.
Maps StackOp::getOperandMaps() {
  bool isNewLoop = !getMap().isFunctionOfDim(getAxis());
  return Maps(getInputs().size(), isNewLoop ? getMap() : AffineMap());
}
Maps StackOp::getResultMaps() { return {identityMap(getContext(), typeOf(getResult()).getRank())}; }
double StackOp::getFlops() { return 0; }

//===----------------------------------------------------------------------===//
// Matmul and embedding
//===----------------------------------------------------------------------===//

Extents MatmulOp::getIterationExtents() {
  Extents extents(typeOf(getResult()).getShape());
  ArrayRef<int64_t> a = typeOf(getA()).getShape();
  extents.push_back(getTransposeA() ? a[a.size() - 2] : a.back());
  return extents;
}

Kinds MatmulOp::getLoopKinds() { return parallelLoops(typeOf(getResult()).getRank(), 1); }

/// The map to batch..., row, column of a matrix; row and column trade places if it is stored transposed.
static AffineMap matrixMap(MLIRContext *context, unsigned loops, unsigned row, unsigned column,
                           bool transposed) {
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, loops - 3));
  dims.push_back(transposed ? column : row);
  dims.push_back(transposed ? row : column);
  return loopsMap(context, loops, dims);
}

Maps MatmulOp::getOperandMaps() {
  unsigned loops = typeOf(getResult()).getRank() + 1, m = loops - 3, n = loops - 2, k = loops - 1;
  Maps maps{matrixMap(getContext(), loops, m, k, getTransposeA()),
            matrixMap(getContext(), loops, k, n, getTransposeB())};
  if (getOnto())
    llvm::append_range(maps, getResultMaps());
  return maps;
}

Maps MatmulOp::getResultMaps() {
  unsigned rank = typeOf(getResult()).getRank();
  return {leadingMap(getContext(), rank + 1, rank)};
}

double MatmulOp::getFlops() { return 2 * product(getIterationExtents()); }

Extents EmbeddingOp::getIterationExtents() { return Extents(typeOf(getResult()).getShape()); }
Kinds EmbeddingOp::getLoopKinds() { return parallelLoops(typeOf(getResult()).getRank()); }
Maps EmbeddingOp::getOperandMaps() {
  unsigned loops = typeOf(getResult()).getRank();
  Maps maps{AffineMap(), leadingMap(getContext(), loops, loops - 1)};
  if (getOnto())
    llvm::append_range(maps, getResultMaps());
  return maps;
}
Maps EmbeddingOp::getResultMaps() { return {identityMap(getContext(), typeOf(getResult()).getRank())}; }
double EmbeddingOp::getFlops() { return 0; }

Extents EmbeddingGradOp::getIterationExtents() {
  ArrayRef<int64_t> gradient = typeOf(getGradient()).getShape();
  Extents extents{gradient.back()};
  extents.append(gradient.begin(), gradient.end() - 1);
  return extents;
}

Kinds EmbeddingGradOp::getLoopKinds() { return parallelLoops(1, typeOf(getIndices()).getRank()); }

Maps EmbeddingGradOp::getOperandMaps() {
  unsigned loops = typeOf(getGradient()).getRank();
  SmallVector<unsigned> rows = llvm::to_vector(llvm::seq<unsigned>(1, loops));
  SmallVector<unsigned> element = rows;
  element.push_back(0);
  return {loopsMap(getContext(), loops, element), loopsMap(getContext(), loops, rows)};
}

Maps EmbeddingGradOp::getResultMaps() { return {AffineMap()}; }
double EmbeddingGradOp::getFlops() { return product(typeOf(getGradient()).getShape()); }

//===----------------------------------------------------------------------===//
// Row by row: normalisation, softmax, cross-entropy
//===----------------------------------------------------------------------===//

/// The loops of an op over rows: all dimensions of `rows` but the last are parallel; the last is of kind
/// Whole.
static Kinds rowLoops(Value rows) { return parallelLoops(typeOf(rows).getRank() - 1, 1, LoopKind::Whole); }
static AffineMap elementMap(Value rows) { return identityMap(rows.getContext(), typeOf(rows).getRank()); }
static AffineMap rowMap(Value rows) {
  unsigned rank = typeOf(rows).getRank();
  return leadingMap(rows.getContext(), rank, rank - 1);
}
static AffineMap columnMap(Value rows) {
  unsigned rank = typeOf(rows).getRank();
  return loopsMap(rows.getContext(), rank, {rank - 1});
}

Extents LayerNormOp::getIterationExtents() { return Extents(typeOf(getInput()).getShape()); }
Kinds LayerNormOp::getLoopKinds() { return rowLoops(getInput()); }
Maps LayerNormOp::getOperandMaps() {
  return {elementMap(getInput()), columnMap(getInput()), columnMap(getInput())};
}
Maps LayerNormOp::getResultMaps() { return {elementMap(getInput()), rowMap(getInput()), rowMap(getInput())}; }
double LayerNormOp::getFlops() { return countDecomposedOperations(*this); }

Extents LayerNormGradOp::getIterationExtents() { return Extents(typeOf(getInput()).getShape()); }
Kinds LayerNormGradOp::getLoopKinds() { return rowLoops(getInput()); }
Maps LayerNormGradOp::getOperandMaps() {
  return {elementMap(getInput()), elementMap(getInput()), columnMap(getInput()), rowMap(getInput()),
          rowMap(getInput())};
}
Maps LayerNormGradOp::getResultMaps() { return {elementMap(getInput())}; }
double LayerNormGradOp::getFlops() { return countDecomposedOperations(*this); }

Extents RmsNormOp::getIterationExtents() { return Extents(typeOf(getInput()).getShape()); }
Kinds RmsNormOp::getLoopKinds() { return rowLoops(getInput()); }
Maps RmsNormOp::getOperandMaps() { return {elementMap(getInput()), columnMap(getInput())}; }
Maps RmsNormOp::getResultMaps() { return {elementMap(getInput()), rowMap(getInput())}; }
double RmsNormOp::getFlops() { return countDecomposedOperations(*this); }

Extents RmsNormGradOp::getIterationExtents() { return Extents(typeOf(getInput()).getShape()); }
Kinds RmsNormGradOp::getLoopKinds() { return rowLoops(getInput()); }
Maps RmsNormGradOp::getOperandMaps() {
  return {elementMap(getInput()), elementMap(getInput()), columnMap(getInput()), rowMap(getInput())};
}
Maps RmsNormGradOp::getResultMaps() { return {elementMap(getInput())}; }
double RmsNormGradOp::getFlops() { return countDecomposedOperations(*this); }

Extents SoftmaxOp::getIterationExtents() { return Extents(typeOf(getInput()).getShape()); }
Kinds SoftmaxOp::getLoopKinds() { return rowLoops(getInput()); }
Maps SoftmaxOp::getOperandMaps() {
  RankedTensorType input = typeOf(getInput());
  Maps maps{elementMap(getInput())};
  for (Value repeated : {getMask(), getBase()}) {
    if (!repeated)
      continue;
    SmallVector<AffineExpr> indices;
    for (auto [dim, extent] : llvm::enumerate(typeOf(repeated).getShape()))
      indices.push_back(extent == input.getDimSize(dim) ? getAffineDimExpr(dim, getContext())
                                                        : getAffineConstantExpr(0, getContext()));
    maps.push_back(AffineMap::get(input.getRank(), 0, indices, getContext()));
  }
  return maps;
}
Maps SoftmaxOp::getResultMaps() { return {elementMap(getInput()), rowMap(getInput())}; }
double SoftmaxOp::getFlops() { return countDecomposedOperations(*this); }

Extents CrossEntropyOp::getIterationExtents() { return Extents(typeOf(getLogits()).getShape()); }
Kinds CrossEntropyOp::getLoopKinds() { return rowLoops(getLogits()); }
Maps CrossEntropyOp::getOperandMaps() { return {elementMap(getLogits()), rowMap(getLogits())}; }
Maps CrossEntropyOp::getResultMaps() { return {rowMap(getLogits()), rowMap(getLogits())}; }
double CrossEntropyOp::getFlops() { return countDecomposedOperations(*this); }

Extents CrossEntropyGradOp::getIterationExtents() { return Extents(typeOf(getLogits()).getShape()); }
Kinds CrossEntropyGradOp::getLoopKinds() { return parallelLoops(typeOf(getLogits()).getRank()); }
Maps CrossEntropyGradOp::getOperandMaps() {
  return {rowMap(getLogits()), elementMap(getLogits()), rowMap(getLogits()), rowMap(getLogits())};
}
Maps CrossEntropyGradOp::getResultMaps() { return {elementMap(getLogits())}; }
double CrossEntropyGradOp::getFlops() { return countDecomposedOperations(*this); }

//===----------------------------------------------------------------------===//
// Attention: loops batch, head, query, component, and the keys each query sums over
//===----------------------------------------------------------------------===//

Extents AttentionOp::getIterationExtents() {
  auto batch = static_cast<int64_t>(getBatch()), heads = static_cast<int64_t>(getHeads());
  return {batch, heads, typeOf(getLse()).getDimSize(2), typeOf(getResult()).getDimSize(1) / heads,
          typeOf(getInputs().back()).getDimSize(0) / batch};
}

/// The loop over keys is of kind Whole, since a softmax needs all keys of a query.
Kinds AttentionOp::getLoopKinds() { return parallelLoops(4, 1, LoopKind::Whole); }

/// No maps: a packed operand is read as query, key and value, and a mask with broadcasts.
Maps AttentionOp::getOperandMaps() { return Maps(getNumOperands(), AffineMap()); }

Maps AttentionOp::getResultMaps() {
  Extents extents = getIterationExtents();
  SmallVector<AffineExpr> d(5);
  bindDimsList(getContext(), MutableArrayRef<AffineExpr>(d));
  AffineMap packed = AffineMap::get(5, 0, {d[0] * extents[2] + d[2], d[1] * extents[3] + d[3]}, getContext());
  return {packed, leadingMap(getContext(), 5, 3)};
}

/// Operations of two matmuls (scores, weighted values) and of the softmax between them.
double AttentionOp::getFlops() {
  Extents extents = getIterationExtents();
  return 4 * product(extents) + 10 * product(extents) / static_cast<double>(extents[3]);
}
