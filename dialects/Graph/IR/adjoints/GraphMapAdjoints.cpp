// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adjoints of maps and reductions: the differentiated body, summed over the loops that an input does not
// have.

#include "dialects/Graph/IR/adjoints/GraphReadAdjoints.h"
#include "dialects/Graph/IR/adjoints/GraphScalarAdjoints.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace windlass::graph;

namespace {

/// The common view of maps and reductions: their loops, and the indexing maps of operands and of the
/// gradients of results.
struct Nest {
  Operation *op;
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> inputMaps;
  AffineMap resultMap;
  bool isMaximum;
  bool saysExtents = false; ///< a reduction whose inputs do not give the extents
};

/// Builds the gradients of a nest's inputs. First builds one body that computes the gradients of all inputs
/// for one iteration. Then builds, for each set of inputs with equal maps, a map or a sum with the part of
/// the body that these inputs need.
class NestAdjoint {
public:
  NestAdjoint(OpBuilder &builder, Nest nest, ValueRange resultGradients, ArrayRef<bool> needed)
      : builder(builder), nest(std::move(nest)), resultGradients(resultGradients), needed(needed) {}

  LogicalResult build(SmallVectorImpl<Value> &gradients);

private:
  LogicalResult writeBody();
  Value gradientAlong(unsigned input, ArrayRef<Value> gradients);
  bool needsExtents() const;
  Value buildPart(unsigned input);
  MLIRContext *context() const { return builder.getContext(); }
  RankedTensorType inputType(unsigned input) const { return typeOf(nest.op->getOperand(input)); }

  OpBuilder &builder;
  Nest nest;
  ValueRange resultGradients;
  ArrayRef<bool> needed;

  /// A map outside of the IR that reads `reads` at `readMaps` and whose body computes `scalars`.
  OwningOpRef<MapOp> whole;
  SmallVector<Value> reads;
  SmallVector<AffineMap> readMaps;
  /// By input: its gradient in one iteration; null if the gradient is 0 or not needed.
  SmallVector<Value> scalars;
};

/// The value that `scalar` was before it was rounded to a narrow type.
Value unrounded(Value scalar) {
  if (auto rounding = scalar.getDefiningOp<arith::TruncFOp>())
    if (rounding.getIn().getType() == computeType(scalar.getType()))
      return rounding.getIn();
  return scalar;
}

/// Clones the body of `op`, with `inputs` as the scalars of its inputs. Appends the clones to `ops` and
/// returns the yielded scalars.
SmallVector<Value> cloneBody(Operation *op, OpBuilder &builder, ValueRange inputs,
                             SmallVector<Operation *> &ops) {
  IRMapping copies;
  Block &body = op->getRegion(0).front();
  copies.map(body.getArguments(), inputs.take_front(body.getNumArguments()));
  for (Operation &inner : body.without_terminator())
    ops.push_back(builder.clone(inner, copies));
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value yielded) { return copies.lookupOrDefault(yielded); });
}

/// The gradient that each of the largest elements gets: the gradient of `result`, divided by their number.
Value shareOfMaximum(OpBuilder &builder, ReduceOp op, const Nest &nest, OpResult result, Value gradient) {
  SmallVector<Value> inputs(op->getOperands());
  SmallVector<AffineMap> maps = nest.inputMaps;
  inputs.push_back(result);
  maps.push_back(nest.resultMap);
  RankedTensorType type = withElement(result.getType(), computeType(typeOf(result).getElementType()));
  ReduceOp count =
      buildReduce(builder, op.getLoc(), Combine::Sum, op.getDims(), inputs, maps, TypeRange{type},
                  [&](const Scalars &s, ValueRange in) {
                    SmallVector<Operation *> ops;
                    Value value = cloneBody(op, s.builder, in, ops)[result.getResultNumber()];
                    Value isLargest = s.compare(arith::CmpFPredicate::OEQ, value, in.back());
                    Value one = s.constant(type.getElementType(), 1);
                    return SmallVector<Value>{s.select(isLargest, one, s.constant(type.getElementType(), 0))};
                  });
  if (op.getExtents())
    count.setExtents(*op.getExtents());
  return buildElementwise(builder, op.getLoc(), {gradient, count.getResult(0)}, typeOf(gradient),
                          [](const Scalars &s, ValueRange x) {
                            Value whole = s.widen(x[0]);
                            return s.div(whole, s.widen(x[1]));
                          });
}

LogicalResult NestAdjoint::writeBody() {
  Location loc = nest.op->getLoc();
  reads.assign(nest.op->operand_begin(), nest.op->operand_end());
  readMaps = nest.inputMaps;
  SmallVector<int> gradientRead(resultGradients.size(), -1), resultRead(resultGradients.size(), -1);
  auto read = [&](Value tensor) {
    reads.push_back(tensor);
    readMaps.push_back(nest.resultMap);
    return static_cast<int>(reads.size()) - 1;
  };
  for (auto [i, gradient] : llvm::enumerate(resultGradients)) {
    if (!gradient)
      continue;
    gradientRead[i] = read(gradient);
    if (nest.isMaximum)
      resultRead[i] = read(nest.op->getResult(i));
  }

  LogicalResult differentiated = success();
  OpBuilder detached(context());
  scalars.assign(nest.op->getNumOperands(), Value());
  whole = buildMap(detached, loc, reads, readMaps, TypeRange(), [&](const Scalars &s, ValueRange in) {
    SmallVector<Operation *> ops;
    SmallVector<Value> yielded = cloneBody(nest.op, s.builder, in, ops);
    ScalarAdjoints adjoints(s);
    for (auto [i, value] : llvm::enumerate(yielded)) {
      if (gradientRead[i] < 0)
        continue;
      Value gradient = s.cast(in[gradientRead[i]], value.getType());
      if (nest.isMaximum) {
        Value isLargest = s.compare(arith::CmpFPredicate::OEQ, value, in[resultRead[i]]);
        gradient = s.select(isLargest, gradient, s.like(gradient, 0.0));
      }
      adjoints.add(value, gradient);
    }
    differentiated = adjoints.propagate(ops);
    for (auto [i, scalar] : llvm::enumerate(scalars))
      if (needed[i])
        scalar = adjoints.of(in[i]);
    return SmallVector<Value>();
  });
  return differentiated;
}

/// Copies the body of `from` into `op`, yielding `scalars`, with loop d<i> renamed d<place[i]>. Drops ops and
/// inputs that are not needed.
template <typename OpT>
void writePart(OpT op, MapOp from, ArrayRef<Value> scalars, ArrayRef<unsigned> place) {
  IRMapping copies;
  from.getBody().cloneInto(&op.getBody(), copies);
  Block &body = op.getBody().front();
  for (auto index : body.getOps<IndexOp>())
    index.setDim(place[index.getDim()]);
  Operation *terminator = body.getTerminator();
  OpBuilder builder(terminator);
  Scalars s{builder, op.getLoc()};
  SmallVector<Value> yielded;
  for (auto [scalar, result] : llvm::zip_equal(scalars, op.getResults()))
    yielded.push_back(s.cast(copies.lookup(scalar), typeOf(result).getElementType()));
  terminator->setOperands(yielded);
  eraseDeadBodyOps(op);
  dropUnusedInputs(op);
}

/// True if the extents of a sum over the nest's reads do not follow from plain indices.
bool NestAdjoint::needsExtents() const {
  bool readsPart = false;
  for (auto [tensor, map] : llvm::zip_equal(reads, readMaps))
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), typeOf(tensor).getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        readsPart |= nest.extents[loop.getPosition()] != size;
  return nest.saysExtents || readsPart;
}

/// The gradient of the elements read of an input, over the loops that index the input; summed over the other
/// loops.
Value NestAdjoint::buildPart(unsigned input) {
  Location loc = nest.op->getLoc();
  SmallVector<unsigned> kept = loopsOf(nest.inputMaps[input]), sorted = kept;
  llvm::sort(sorted);
  unsigned loops = nest.extents.size();
  SmallVector<unsigned> place = llvm::to_vector(llvm::seq<unsigned>(0, loops));
  for (auto [dim, loop] : llvm::enumerate(kept))
    place[loop] = sorted[dim];
  SmallVector<AffineMap> maps;
  for (AffineMap map : readMaps)
    maps.push_back(map.compose(loopsMap(context(), loops, place)));

  SmallVector<int64_t> shape, summed;
  for (unsigned loop : kept)
    shape.push_back(nest.extents[loop]);
  for (unsigned loop = 0; loop < loops; ++loop)
    if (!llvm::is_contained(kept, loop))
      summed.push_back(loop);

  Type element = inputType(input).getElementType();
  ArrayAttr mapsAttr = builder.getAffineMapArrayAttr(maps);
  if (summed.empty()) {
    auto part = MapOp::create(builder, loc, tensorType(shape, element), reads, mapsAttr);
    writePart(part, *whole, scalars[input], place);
    return part.getResult(0);
  }
  auto part = ReduceOp::create(builder, loc, tensorType(shape, computeType(element)), reads, mapsAttr,
                               CombineAttr::get(context(), Combine::Sum),
                               builder.getDenseI64ArrayAttr(summed), DenseI64ArrayAttr());
  if (needsExtents()) {
    SmallVector<int64_t> renumbered(loops);
    for (auto [loop, extent] : llvm::enumerate(nest.extents))
      renumbered[place[loop]] = extent;
    part.setExtents(renumbered);
  }
  writePart(part, *whole, unrounded(scalars[input]), place);
  return buildCast(builder, loc, part.getResult(0), element);
}

/// If this input has, in each iteration, the gradient of an input that has all loops, sums that gradient: a
/// bias takes the sum of the gradients of the value that it was added to.
Value NestAdjoint::gradientAlong(unsigned input, ArrayRef<Value> gradients) {
  unsigned loops = nest.extents.size();
  SmallVector<unsigned> kept = loopsOf(nest.inputMaps[input]);
  if (kept.size() == loops || !llvm::is_sorted(kept))
    return {};
  for (auto [other, gradient] : llvm::enumerate(gradients)) {
    if (!gradient || !readsWhole(nest.inputMaps[other], nest.extents, inputType(other).getShape()) ||
        unrounded(scalars[other]) != unrounded(scalars[input]))
      continue;
    SmallVector<int64_t> summed;
    for (unsigned loop = 0; loop < loops; ++loop)
      if (!llvm::is_contained(kept, loop))
        summed.push_back(loop);
    SmallVector<int64_t> shape;
    for (unsigned loop : kept)
      shape.push_back(nest.extents[loop]);
    Type element = inputType(input).getElementType();
    Value sum = buildReduce(builder, nest.op->getLoc(), Combine::Sum, summed, gradient,
                            identityMap(context(), loops), tensorType(shape, computeType(element)),
                            [](const Scalars &s, ValueRange in) { return s.widen(in[0]); });
    return buildCast(builder, nest.op->getLoc(), sum, element);
  }
  return {};
}

LogicalResult NestAdjoint::build(SmallVectorImpl<Value> &gradients) {
  gradients.assign(nest.op->getNumOperands(), Value());
  if (failed(writeBody()))
    return failure();
  // Inputs with all loops come first, since the gradients of other inputs may be sums of theirs.
  for (bool hasAllLoops : {true, false})
    for (auto [i, scalar] : llvm::enumerate(scalars)) {
      if (!scalar || nest.inputMaps[i].isPermutation() != hasAllLoops)
        continue;
      if (failed(checkRead(nest.op, nest.inputMaps[i], nest.extents, inputType(i))))
        return failure();
      Value gradient = gradientAlong(i, gradients);
      gradients[i] = placeRead(builder, nest.op->getLoc(), gradient ? gradient : buildPart(i),
                               nest.inputMaps[i], nest.extents, inputType(i));
    }
  return success();
}

} // namespace

LogicalResult MapOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                  SmallVectorImpl<Value> &operandGradients) {
  SmallVector<int64_t> extents = loopExtents(*this);
  AffineMap identity = identityMap(getContext(), extents.size());
  Nest nest{*this, extents, getMapValues(), identity, /*isMaximum=*/false};
  return NestAdjoint(builder, std::move(nest), resultGradients, needed).build(operandGradients);
}

LogicalResult ReduceOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                     SmallVectorImpl<Value> &operandGradients) {
  SmallVector<int64_t> extents = loopExtents(*this);
  SmallVector<unsigned> kept;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!llvm::is_contained(getDims(), loop))
      kept.push_back(loop);
  Nest nest{*this,
            extents,
            getMapValues(),
            loopsMap(getContext(), extents.size(), kept),
            getCombine() == Combine::Max,
            getExtents().has_value()};
  SmallVector<Value> gradients(resultGradients);
  if (nest.isMaximum)
    for (auto [i, gradient] : llvm::enumerate(gradients))
      if (gradient)
        gradient = shareOfMaximum(builder, *this, nest, getResults()[i], gradient);
  return NestAdjoint(builder, std::move(nest), gradients, needed).build(operandGradients);
}
