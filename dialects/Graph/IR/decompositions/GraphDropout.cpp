// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/decompositions/GraphDropout.h"

using namespace mlir;

namespace windlass::graph {

void Dropout::addReads(unsigned loops, SmallVectorImpl<Value> &inputs,
                       SmallVectorImpl<AffineMap> &maps) const {
  MLIRContext *context = keys.getContext();
  for (int64_t word : {0, 1}) {
    AffineExpr at[] = {getAffineConstantExpr(site, context), getAffineConstantExpr(word, context)};
    inputs.push_back(keys);
    maps.push_back(AffineMap::get(loops, 0, at, context));
  }
  for (Value number : {block, coordinate})
    if (number) {
      inputs.push_back(number);
      maps.push_back(AffineMap::get(loops, 0, context));
    }
}

Value Dropout::keeps(const Scalars &s, const TensorPart &part, ValueRange reads) const {
  reads = reads.take_back(coordinate ? 4 : 3);
  Type type = s.builder.getIndexType();
  auto index = [&](unsigned loop) -> Value {
    if (coordinate && loop == part.shared) {
      Value rank = arith::IndexCastOp::create(s.builder, s.loc, type, reads[3]);
      Value own = s.constant(type, static_cast<double>(part.own));
      Value first = arith::MulIOp::create(s.builder, s.loc, rank, own);
      Value ofRank = s.index(loop);
      return arith::AddIOp::create(s.builder, s.loc, ofRank, first);
    }
    if (part.first[loop] == 0)
      return s.index(loop);
    Value first = s.constant(type, static_cast<double>(part.first[loop]));
    return arith::AddIOp::create(s.builder, s.loc, s.index(loop), first);
  };
  unsigned column = part.whole.size() - 1;
  Value row = arith::IndexCastOp::create(s.builder, s.loc, type, reads[2]);
  for (unsigned loop = 0; loop < column; ++loop) {
    Value extent = s.constant(type, static_cast<double>(part.whole[loop]));
    row = arith::MulIOp::create(s.builder, s.loc, row, extent);
    row = arith::AddIOp::create(s.builder, s.loc, row, index(loop));
  }
  Value number =
      RandomOp::create(s.builder, s.loc, s.builder.getF32Type(), reads[0], reads[1], row, index(column));
  return s.compare(arith::CmpFPredicate::OGE, number, s.like(number, rate));
}

Value Dropout::apply(const Scalars &s, Value keeps, Value element) const {
  Value wide = s.widen(element);
  Value kept = s.mul(wide, s.like(wide, 1 / (1 - rate)));
  return s.select(keeps, kept, s.like(wide, 0));
}

Value buildDropout(OpBuilder &builder, Location loc, Value tensor, const Dropout &dropout,
                   const TensorPart &part) {
  RankedTensorType type = typeOf(tensor);
  SmallVector<Value> inputs{tensor};
  SmallVector<AffineMap> maps{identityMap(builder.getContext(), type.getRank())};
  dropout.addReads(type.getRank(), inputs, maps);
  return buildMap(builder, loc, inputs, maps, type, [&](const Scalars &s, ValueRange in) {
    return dropout.apply(s, dropout.keeps(s, part, in), in[0]);
  });
}

Value buildDropout(OpBuilder &builder, Location loc, Value tensor, const Dropout &dropout) {
  RankedTensorType type = typeOf(tensor);
  return buildDropout(builder, loc, tensor, dropout,
                      {SmallVector<int64_t>(type.getShape()), SmallVector<int64_t>(type.getRank(), 0)});
}

void elideDropout(Operation *root) {
  root->walk([](Operation *op) {
    if (auto attention = dyn_cast<AttentionOp>(op); attention && attention.getRandom().empty())
      attention.removeDropoutAttr();
    if (auto dropout = dyn_cast<DropoutOp>(op)) {
      dropout.replaceAllUsesWith(dropout.getInput());
      dropout.erase();
    }
  });
}

LogicalResult verifyDropout(Operation *op, std::optional<APFloat> rate, ValueRange random, int64_t site) {
  if (rate && !(rate->convertToDouble() >= 0 && rate->convertToDouble() < 1))
    return op->emitOpError("drops a share of at least 0 and less than 1, but of ") << rate->convertToDouble();
  if (random.empty())
    return success();
  const bool hasPart = op->hasAttr(kWithin);
  if (!rate || random.size() != (hasPart ? 3 : 2))
    return op->emitOpError("takes the keys and the block of its dropout, or nothing, but takes ")
           << random.size() << " operands" << (rate ? "" : " for none");
  RankedTensorType keys = typeOf(random[0]), block = typeOf(random[1]), last = typeOf(random.back());
  if (keys.getRank() != 2 || keys.getDimSize(1) != 2 || !keys.getElementType().isInteger(32))
    return op->emitOpError("its keys must be pairs of i32, but are ") << keys;
  if (site < 0 || site >= keys.getDimSize(0))
    return op->emitOpError("site must be below its ") << keys.getDimSize(0) << " keys, but is " << site;
  if (block.getRank() != 0 || !block.getElementType().isInteger(32))
    return op->emitOpError("its block must be one i32, but is ") << block;
  if (last.getRank() != 0 || !last.getElementType().isInteger(32))
    return op->emitOpError("a rank's coordinate must be one i32, but is ") << last;
  return success();
}

LogicalResult DropoutOp::verify() {
  RankedTensorType type = typeOf(getInput());
  if (type.getRank() < 1 || !isa<FloatType>(type.getElementType()))
    return emitOpError("'input' must be a tensor of floats, but is ") << type;
  return verifyDropout(*this, getRate(), {}, 0);
}

} // namespace windlass::graph
