// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of states, steps, maps and reductions.

#include "dialects/Graph/IR/GraphBuilders.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace windlass::graph;

//===----------------------------------------------------------------------===//
// States and steps
//===----------------------------------------------------------------------===//

/// Verifies that the slice of a state lies in its tensor.
static LogicalResult verifySlice(StateOp state) {
  SliceAttr slice = state.getSliceAttr();
  if (!slice)
    return success();
  ArrayRef<int64_t> whole = slice.getWhole(), begin = slice.getBegin(),
                    shape = cast<ShapedType>(state.getType()).getShape();
  bool fits = whole.size() == shape.size() && begin.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = begin[i] >= 0 && begin[i] <= whole[i] - shape[i];
  if (fits)
    return success();
  return state.emitOpError("of type ") << state.getType() << " is no slice " << slice;
}

/// Verifies the source file of first values. Only a matrix can be stored transposed there.
static LogicalResult verifySource(StateOp state) {
  SourceAttr source = state.getInit().getSource();
  if (!source)
    return success();
  if (state.getRole() != Role::Parameter && state.getRole() != Role::Master)
    return state.emitOpError("of role '") << stringifyEnum(state.getRole()) << "' has no values in a file";
  int64_t rank = cast<ShapedType>(state.getType()).getRank();
  if (source.getTransposed() && rank != 2)
    return state.emitOpError("of ") << rank << (rank == 1 ? " dimension" : " dimensions")
                                    << " cannot lie transposed in " << source.getFile();
  return success();
}

LogicalResult StateOp::verify() {
  if (getInit().getNormal() && getInit().getStd().getValueAsDouble() < 0)
    return emitOpError("the deviation of a normal initialiser must not be negative, but is ")
           << getInit().getStd().getValueAsDouble();
  if (getRole() == Role::Gradient)
    return emitOpError("a gradient lives within a step and is no state");
  bool isParameter = getRole() == Role::Parameter;
  if (getDecay() && (!isParameter || getDecay()->isNegative()))
    return emitOpError("a weight decay is a parameter's and not negative");
  if (isParameter && getOf())
    return emitOpError("a parameter belongs to no other state, but names '") << *getOf() << "' in `of`";
  if (!isParameter && !getOf())
    return emitOpError("a state of role '")
           << stringifyEnum(getRole()) << "' must name its parameter in `of`";
  return failed(verifySource(*this)) ? failure() : verifySlice(*this);
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getOf())
    return success();
  auto parameter = symbols.lookupNearestSymbolFrom<StateOp>(*this, getOfAttr());
  if (!parameter)
    return emitOpError("`of` names '") << *getOf() << "', which is no graph.state";
  if (parameter.getRole() != Role::Parameter)
    return emitOpError("`of` must name a parameter, but '")
           << *getOf() << "' has role '" << stringifyEnum(parameter.getRole()) << "'";
  if (cast<ShapedType>(parameter.getType()).getShape() != cast<ShapedType>(getType()).getShape())
    return emitOpError("must have the shape of its parameter '")
           << *getOf() << "', which is " << parameter.getType() << ", but is " << getType();
  return success();
}

LogicalResult StepOp::verifyRegions() {
  llvm::StringMap<Operation *> writes;
  for (auto write : getBody().getOps<WriteOp>()) {
    auto [first, inserted] = writes.try_emplace(write.getState(), write);
    if (inserted)
      continue;
    InFlightDiagnostic error = write.emitOpError("a step writes a state once, but '")
                               << write.getState() << "' is written again";
    error.attachNote(first->second->getLoc()) << "first written here";
    return error;
  }
  return success();
}

/// Verifies that `op` is in a step and names a state of the type of `value`.
static LogicalResult verifyStateUse(Operation *op, FlatSymbolRefAttr name, Type value,
                                    SymbolTableCollection &symbols) {
  if (!op->getParentOfType<StepOp>())
    return op->emitOpError("only a graph.step names states, but this stands outside one");
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, name);
  if (!state)
    return op->emitOpError("'") << name.getValue() << "' is no graph.state";
  if (state.getType() != value)
    return op->emitOpError("state '")
           << name.getValue() << "' has type " << state.getType() << ", but the value has type " << value;
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStateUse(*this, getStateAttr(), getValue().getType(), symbols);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if ((*this)->getParentOfType<MicroBatchesOp>())
    return emitOpError("a state is written at the end of the step, not inside graph.micro_batches");
  return verifyStateUse(*this, getStateAttr(), getValue().getType(), symbols);
}

/// Whether a sum of type `sum` can hold terms of type `term`: the types are equal, or the sum's is a wider
/// float.
static bool canAccumulate(Type term, Type sum) {
  auto from = dyn_cast<RankedTensorType>(term), to = dyn_cast<RankedTensorType>(sum);
  if (!from || !to || from.getShape() != to.getShape())
    return term == sum;
  Type narrow = from.getElementType(), wide = to.getElementType();
  return narrow == wide || (isa<FloatType>(narrow) && isa<FloatType>(wide) &&
                            narrow.getIntOrFloatBitWidth() < wide.getIntOrFloatBitWidth());
}

LogicalResult MicroBatchesOp::verify() {
  if (static_cast<int64_t>(getCount()) < 1)
    return emitOpError("count must be at least 1, but is ") << static_cast<int64_t>(getCount());
  Block &block = getBody().front();
  if (block.getNumArguments() != 0)
    return emitOpError("its body takes no arguments, but has ") << block.getNumArguments();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("its body must end with graph.yield");
  if (!llvm::equal(yield.getOperandTypes(), getResultTypes(), canAccumulate))
    return emitOpError("yields ") << yield.getOperandTypes() << ", but its results are " << getResultTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// Maps and reductions
//===----------------------------------------------------------------------===//

static std::string textOf(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

/// Verifies that an index is within a dimension of extent `size` in every iteration. A loop with extent -1
/// gets its extent from the dimension if it is a plain index.
static LogicalResult verifyIndex(Operation *op, AffineExpr expr, int64_t size, StringRef what,
                                 MutableArrayRef<int64_t> extents, bool mayReadPart) {
  std::optional<LinearIndex> index = linearIndex(expr);
  if (!index)
    return op->emitOpError() << what
                             << ": an index must be a sum of loops times constants plus a constant, but is "
                             << textOf(expr);
  if (index->isFixed()) {
    if (index->constant < 0 || index->constant >= size)
      return op->emitOpError() << what << ": fixed index " << index->constant
                               << " is outside its dimension of extent " << size;
    return success();
  }
  int64_t &extent = extents[index->terms[0].loop];
  if (index->isPlain() && extent == -1)
    extent = size;
  if (index->isPlain() && (mayReadPart ? extent > size : extent != size))
    return op->emitOpError() << what << ": loop d" << index->terms[0].loop << " has extent " << extent
                             << ", but indexes a dimension of extent " << size;
  if (llvm::any_of(index->terms, [&](auto term) { return extents[term.loop] == -1; }))
    return success(); // verified once all extents are known
  auto [least, largest] = index->range(extents);
  if (least < 0 || largest >= size)
    return op->emitOpError() << what << ": index " << textOf(expr) << " runs from " << least << " to "
                             << largest << ", outside its dimension of extent " << size;
  return success();
}

/// Verifies one indexing map: from the loops of the op to indices within the operand.
static LogicalResult verifyIndexing(Operation *op, AffineMap map, RankedTensorType type, StringRef what,
                                    MutableArrayRef<int64_t> extents, bool mayReadPart) {
  if (map.getNumDims() != extents.size() || map.getNumSymbols() != 0)
    return op->emitOpError() << what << ": its map must be over the " << extents.size() << " loops, but is "
                             << AffineMapAttr::get(map);
  if (map.getNumResults() != type.getRank())
    return op->emitOpError() << what << ": its map must give " << type.getRank() << " indices, but gives "
                             << map.getNumResults();
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    if (failed(verifyIndex(op, expr, size, what, extents, mayReadPart)))
      return failure();
  return success();
}

/// Verifies that the body has a scalar for every input, only ops of arith, math and scalar ops of this
/// dialect, and yields a scalar for every result.
static LogicalResult verifyBody(Operation *op, unsigned loops) {
  Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != op->getNumOperands())
    return op->emitOpError("its body must have one argument per input, ")
           << op->getNumOperands() << ", but has " << block.getNumArguments();
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), op->getOperands()))
    if (argument.getType() != typeOf(input).getElementType())
      return op->emitOpError("argument ")
             << argument.getArgNumber() << " of its body must have the input's element type "
             << typeOf(input).getElementType() << ", but has " << argument.getType();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("its body must end with graph.yield");
  if (yield.getNumOperands() != op->getNumResults())
    return op->emitOpError("its body must yield one scalar per result, ")
           << op->getNumResults() << ", but yields " << yield.getNumOperands();
  for (auto [value, result] : llvm::zip_equal(yield.getOperands(), op->getResults()))
    if (value.getType() != typeOf(result).getElementType())
      return op->emitOpError("result ")
             << result.getResultNumber() << " has elements of type " << typeOf(result).getElementType()
             << ", but its body yields " << value.getType();
  for (Operation &inner : block.without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inner)) {
      if (index.getDim() >= loops)
        return inner.emitOpError("there are ") << loops << " loops, but this is loop " << index.getDim();
    } else if (!isa<LookupOp, RandomOp>(inner) &&
               !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(inner.getDialect())) {
      return inner.emitOpError(
          "a body is made of arith, math, graph.index, graph.lookup and graph.random only");
    }
  }
  return success();
}

/// Verifies that there is one map per input.
static LogicalResult verifyMapCount(Operation *op, ArrayAttr maps) {
  if (maps.size() != op->getNumOperands())
    return op->emitOpError("must have one map per input, ")
           << op->getNumOperands() << ", but has " << maps.size();
  return success();
}

static LogicalResult verifyInputs(Operation *op, ArrayRef<AffineMap> maps, MutableArrayRef<int64_t> extents,
                                  bool mayReadPart) {
  for (auto [number, input] : llvm::enumerate(op->getOperands()))
    if (failed(verifyIndexing(op, maps[number], typeOf(input), "input " + std::to_string(number), extents,
                              mayReadPart)))
      return failure();
  return success();
}

LogicalResult MapOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("must have a result");
  SmallVector<int64_t> extents = loopExtents(*this);
  for (Value result : getResults())
    if (typeOf(result).getShape() != ArrayRef(extents))
      return emitOpError("its results must have one shape, but are ")
             << getResult(0).getType() << " and " << result.getType();
  if (failed(verifyMapCount(*this, getMaps())) ||
      failed(verifyInputs(*this, getMapValues(), extents, /*mayReadPart=*/true)))
    return failure();
  return verifyBody(*this, extents.size());
}

LogicalResult LookupOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getTable().getType());
  if (!type || type.getElementType() != getValue().getType() ||
      type.getRank() != static_cast<int64_t>(getIndices().size()))
    return emitOpError("must have an index per dimension of its table and give an element of it, but has ")
           << getIndices().size() << " of " << getTable().getType() << " and gives " << getValue().getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyMapCount(*this, getMaps())))
    return failure();
  if (getNumOperands() == 0 || getNumResults() == 0)
    return emitOpError("must have an input and a result");
  SmallVector<AffineMap> maps = getMapValues();
  SmallVector<int64_t> extents(maps.front().getNumDims(), -1);
  if (getExtents())
    extents.assign(getExtents()->begin(), getExtents()->end());
  if (failed(verifyInputs(*this, maps, extents, getExtents().has_value())))
    return failure();
  if (auto *unknown = llvm::find(extents, -1); unknown != extents.end())
    return emitOpError("loop d") << unknown - extents.begin() << " is the plain index of no input";
  if (failed(verifyInputs(*this, maps, extents, getExtents().has_value())))
    return failure();
  int64_t previous = -1;
  for (int64_t dim : getDims()) {
    if (dim <= previous || dim >= static_cast<int64_t>(extents.size()))
      return emitOpError("the reduced loops must ascend within the ")
             << extents.size() << " loops, but there is " << dim << " after " << previous;
    previous = dim;
  }
  SmallVector<int64_t> kept;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(loop)))
      kept.push_back(extent);
  for (Value result : getResults())
    if (typeOf(result).getShape() != ArrayRef(kept))
      return emitOpError("its results must have the shape of the loops that are left, ")
             << tensorType(kept, typeOf(result).getElementType()) << ", but there is " << result.getType();
  return verifyBody(*this, extents.size());
}

LogicalResult ReshapeOp::verify() {
  if (typeOf(getInput()).getElementType() != typeOf(getResult()).getElementType() ||
      typeOf(getInput()).getNumElements() != typeOf(getResult()).getNumElements())
    return emitOpError("must keep elements and their type, but turns ")
           << getInput().getType() << " into " << getType();
  return success();
}

SmallVector<int64_t> StackOp::getParts() {
  SmallVector<int64_t> parts;
  for (Value input : getInputs()) {
    parts.push_back(1);
    for (auto [expr, extent] : llvm::zip_equal(getMap().getResults(), typeOf(input).getShape()))
      if (expr == getAffineDimExpr(getAxis(), getContext()))
        parts.back() = extent;
  }
  return parts;
}

LogicalResult StackOp::verify() {
  RankedTensorType result = typeOf(getResult());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= result.getRank())
    return emitOpError("axis must be a dimension of ") << result << ", but is " << axis;
  for (Value input : getInputs()) {
    if (typeOf(input).getElementType() != result.getElementType() ||
        typeOf(input).getRank() != getMap().getNumResults())
      return emitOpError("its inputs must have the result's elements and the map's rank, but there is ")
             << input.getType();
  }
  SmallVector<int64_t> parts = getParts();
  int64_t taken = llvm::sum_of(parts);
  if (result.getDimSize(axis) != taken)
    return emitOpError("dimension ") << axis << " of its result must have the " << taken
                                     << " indices that its inputs take, but has " << result.getDimSize(axis);
  for (auto [input, part] : llvm::zip_equal(getInputs(), parts)) {
    SmallVector<int64_t> extents(result.getShape());
    extents[axis] = part;
    if (failed(verifyIndexing(*this, getMap(), typeOf(input), "inputs", extents, /*mayReadPart=*/false)))
      return failure();
  }
  return success();
}

/// Verifies that a pad of integers fills with an integer of their type.
static LogicalResult verifyFilling(PadOp op) {
  auto type = dyn_cast<IntegerType>(typeOf(op.getResult()).getElementType());
  if (!type)
    return success();
  APSInt number(type.getWidth(), /*isUnsigned=*/type.getWidth() == 1);
  bool isExact = false;
  if (op.getValue().convertToInteger(number, APFloat::rmTowardZero, &isExact) == APFloat::opOK && isExact)
    return success();
  return op.emitOpError("fills with a number of ")
         << type << ", not with " << op.getValue().convertToDouble();
}

LogicalResult PadOp::verify() {
  if (failed(verifyFilling(*this)))
    return failure();
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  auto rank = static_cast<size_t>(input.getRank());
  if (input.getElementType() != result.getElementType() || result.getRank() != input.getRank() ||
      getBefore().size() != rank || getSteps().size() != rank)
    return emitOpError("must keep rank and elements and say both numbers of each dimension, but turns ")
           << input << " into " << result;
  for (auto [d, before] : llvm::enumerate(getBefore())) {
    int64_t step = getSteps()[d], last = before + step * (input.getDimSize(d) - 1);
    if (before < 0 || step < 1 || last >= result.getDimSize(d))
      return emitOpError("places dimension ")
             << d << " at " << before << ", then every " << step << ", up to " << last
             << ", outside of extent " << result.getDimSize(d);
  }
  return success();
}
