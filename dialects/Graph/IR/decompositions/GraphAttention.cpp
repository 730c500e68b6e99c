// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decompositions of attention and its gradient to batched matmuls, softmax and maps, for all scores at once.

#include "dialects/Graph/IR/decompositions/AttentionHeads.h"

using namespace mlir;
using namespace windlass::graph;

bool AttentionOp::isOneKernel() { return false; }
bool AttentionGradOp::isOneKernel() { return false; }

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  AttentionHeads h(builder, *this);
  auto [queries, keys] = h.whole();
  Value q = h.query(queries), k = h.key(keys), v = h.value(keys);
  Value scores = h.pairProduct(q, k, h.whole());
  auto softmax = SoftmaxOp::create(builder, getLoc(), withElement(scores.getType(), h.element()),
                                   tensorType(typeOf(scores).getShape().drop_back(), builder.getF32Type()),
                                   scores, getMask(), h.buildBase(), builder.getF64FloatAttr(h.scale),
                                   getCausalAttr(), getWindowAttr());
  Value p = h.asMatrices(h.dropRows(softmax.getResult(), h.whole()));
  Value mixed = h.tokenProduct(p, false, v, h.element());
  return {h.join(h.fourLoops(mixed, h.group), typeOf(getResult())),
          buildReshape(builder, getLoc(), softmax.getLse(), typeOf(getLse()).getShape())};
}

SmallVector<Value> AttentionGradOp::decompose(OpBuilder &builder) {
  AttentionHeads h(builder, *this);
  auto [queries, keys] = h.whole();
  Value q = h.query(queries), k = h.key(keys), v = h.value(keys);
  Value dO = h.splitResult(getGradient(), queries);
  Value scores = h.repeatScores(q, k, h.whole()), dP = h.pairProduct(dO, v, h.whole());
  Value delta = h.perRow(h.buildDelta(getGradient(), getOutput()), queries);
  ScoreRows rows{scores, h.perRow(getLse(), queries), dP, delta, h.buildBase()};
  MapOp both = h.buildProbabilities(rows, h.whole());
  Value p = h.asMatrices(both.getResult(0)), dS = h.asMatrices(both.getResult(1));
  Value dQ = h.fourLoops(h.tokenProduct(dS, false, k, h.element()), h.group);
  Value dK = h.fourLoops(h.tokenProduct(dS, true, q, h.element()), 1);
  Value dV = h.fourLoops(h.tokenProduct(p, true, dO, h.element()), 1);
  SmallVector<Value> gradients;
  if (h.isPacked())
    gradients = {h.pack({dQ, dK, dV}, typeOf(getResult(0)))};
  else
    gradients = {h.join(dQ, typeOf(getResult(0))), h.join(dK, typeOf(getResult(1))),
                 h.join(dV, typeOf(getResult(2)))};
  if (hasMaskGradient())
    gradients.push_back(buildCast(builder, getLoc(), h.buildMaskGradient(rows, h.whole()),
                                  typeOf(getMask()).getElementType()));
  return gradients;
}
