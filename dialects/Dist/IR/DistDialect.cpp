// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/IR/DistDialect.h"

#include "dialects/Graph/IR/EnumWord.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::dist;

/// dp_replicate(2), dp_shard(4), tp(2) tensor
static ParseResult parseAxes(OpAsmParser &parser, ArrayAttr &names, DenseI64ArrayAttr &sizes,
                             ArrayAttr &kinds) {
  SmallVector<Attribute> found, foundKinds;
  SmallVector<int64_t> counts;
  ParseResult parsed = parser.parseCommaSeparatedList([&] {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseLParen() ||
        parser.parseInteger(counts.emplace_back()) || parser.parseRParen())
      return ParseResult(failure());
    plan::AxisKind kind = plan::AxisKind::Data;
    for (plan::AxisKind other : {plan::AxisKind::Tensor, plan::AxisKind::Pipeline})
      if (succeeded(parser.parseOptionalKeyword(stringifyEnum(other))))
        kind = other;
    found.push_back(parser.getBuilder().getStringAttr(name));
    foundKinds.push_back(AxisKindAttr::get(parser.getContext(), kind));
    return ParseResult(success());
  });
  kinds = parser.getBuilder().getArrayAttr(foundKinds);
  names = parser.getBuilder().getArrayAttr(found);
  sizes = parser.getBuilder().getDenseI64ArrayAttr(counts);
  return parsed;
}

static void printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr names, DenseI64ArrayAttr sizes,
                      ArrayAttr kinds) {
  const auto axes = llvm::zip_equal(names.getAsValueRange<StringAttr>(), sizes.asArrayRef(),
                                    kinds.getAsRange<AxisKindAttr>());
  llvm::interleaveComma(axes, printer, [&](auto axis) {
    const auto &[name, size, kind] = axis;
    printer.printKeywordOrString(name);
    printer << '(' << size << ')';
    if (kind.getValue() != plan::AxisKind::Data)
      printer << ' ' << stringifyEnum(kind.getValue());
  });
}

#include "dialects/Dist/IR/DistDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/IR/DistAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.cpp.inc"

void DistDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Dist/IR/DistAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Dist/IR/DistOps.cpp.inc"
      >();
}

static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

//===----------------------------------------------------------------------===//
// The mesh
//===----------------------------------------------------------------------===//

LogicalResult MeshOp::verify() {
  if (getNames().empty() || getNames().size() != getSizes().size() || getNames().size() != getKinds().size())
    return emitOpError("needs a size and a kind for each of at least one axis, found ")
           << getSizes().size() << " sizes and " << getKinds().size() << " kinds for " << getNames().size()
           << " axes";
  llvm::StringSet<> seen;
  for (auto [name, size] : llvm::zip_equal(getNames().getAsValueRange<StringAttr>(), getSizes())) {
    if (size < 1)
      return emitOpError("axis ") << name << " must have at least 1 rank, found " << size;
    if (!seen.insert(name).second)
      return emitOpError("axis ") << name << " stands twice";
  }
  return success();
}

int64_t MeshOp::groupRanks(ArrayAttr over) {
  int64_t ranks = 1;
  for (auto [name, size] : llvm::zip_equal(getNames(), getSizes()))
    if (!over || llvm::is_contained(over, name))
      ranks *= size;
  return ranks;
}

int64_t MeshOp::dataRanks() {
  int64_t ranks = 1;
  for (auto [kind, size] : llvm::zip_equal(getKinds().getAsRange<AxisKindAttr>(), getSizes()))
    ranks *= kind.getValue() == plan::AxisKind::Data ? size : 1;
  return ranks;
}

bool MeshOp::spansData(ArrayAttr over) {
  for (auto [name, kind] : llvm::zip_equal(getNames(), getKinds().getAsRange<AxisKindAttr>()))
    if (kind.getValue() == plan::AxisKind::Data && (!over || llvm::is_contained(over, name)))
      return true;
  return false;
}

int64_t MeshOp::groupSpan(ArrayAttr over) {
  int64_t span = 1, covered = 1;
  for (auto [name, size] : llvm::reverse(llvm::zip_equal(getNames(), getSizes()))) {
    covered *= size;
    if (!over || llvm::is_contained(over, name))
      span = covered;
  }
  return span;
}

int64_t MeshOp::placeOf(int64_t rank, ArrayAttr over) {
  int64_t place = 0;
  for (auto [stride, size] : llvm::reverse(llvm::zip_equal(strides(over, 1), getSizes()))) {
    place += rank % size * stride;
    rank /= size;
  }
  return place;
}

SmallVector<int64_t> MeshOp::strides(ArrayAttr over, int64_t stride) {
  SmallVector<int64_t> strides(getSizes().size());
  for (Attribute name : llvm::reverse(over ? over : getNames())) {
    size_t axis = llvm::find(getNames(), name) - getNames().begin();
    strides[axis] = stride;
    stride *= getSizes()[axis];
  }
  return strides;
}

bool MeshOp::hasAxis(StringRef name) {
  return llvm::is_contained(getNames().getAsValueRange<StringAttr>(), name);
}

MeshOp windlass::dist::meshOf(Operation *from) {
  auto module = dyn_cast<ModuleOp>(from);
  if (!module && !(module = from->getParentOfType<ModuleOp>()))
    return MeshOp();
  auto meshes = module.getOps<MeshOp>();
  return meshes.empty() ? MeshOp() : *meshes.begin();
}

/// Verifies that the axes of an op are axes of the mesh of its module. Without a mesh there is nothing to
/// verify.
static LogicalResult verifyAxes(Operation *op, std::optional<ArrayAttr> over) {
  MeshOp mesh = over ? meshOf(op) : MeshOp();
  if (!mesh)
    return success();
  if (over->empty())
    return op->emitOpError("runs over no axis");
  llvm::StringSet<> seen;
  for (StringRef name : over->getAsValueRange<StringAttr>()) {
    if (!mesh.hasAxis(name))
      return op->emitOpError("runs over axis \"") << name << "\", which the mesh does not have";
    if (!seen.insert(name).second)
      return op->emitOpError("runs over axis \"") << name << "\" twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Buckets and collectives
//===----------------------------------------------------------------------===//

int64_t BucketOp::sharers() {
  MeshOp mesh = meshOf(*this);
  return mesh ? mesh.groupRanks(getOverAttr()) : 1;
}

int64_t BucketOp::parts() {
  MeshOp mesh = meshOf(*this);
  return mesh && getFiner() ? mesh.groupRanks(getFinerAttr()) : 1;
}

SmallVector<int64_t> BucketOp::getParts() {
  const int64_t count = parts();
  return llvm::map_to_vector(getPieces(), [count](int64_t piece) { return piece / count; });
}

SmallVector<int64_t> BucketOp::getPieces(graph::Role role) {
  return role == graph::Role::Parameter ? getPieces() : getParts();
}

int64_t BucketOp::getShardElements(graph::Role role) {
  return role == graph::Role::Parameter ? getShardElements() : getPartElements();
}

ArrayAttr BucketOp::gradientAxes() {
  if (!getFiner())
    return getOverAttr();
  SmallVector<Attribute> all = llvm::to_vector(getOverAttr());
  llvm::append_range(all, getFinerAttr());
  return ArrayAttr::get(getContext(), all);
}

ArrayAttr BucketOp::axesOf(graph::Role role) {
  return role == graph::Role::Parameter ? getOverAttr() : gradientAxes();
}

SmallVector<int64_t> BucketOp::getPieces() {
  int64_t held = 1;
  if (getOwner())
    held = sharers();
  return llvm::map_to_vector(getUnits().getAsRange<UnitAttr>(),
                             [held](UnitAttr unit) { return held * unit.getPiece(); });
}

int64_t BucketOp::getShardElements() {
  SmallVector<int64_t> pieces = getPieces();
  return std::accumulate(pieces.begin(), pieces.end(), int64_t(0));
}

LogicalResult BucketOp::verify() {
  if (getZero() > 3)
    return emitOpError("zero must be 0, 1, 2 or 3, found ") << getZero();
  if (getOwner() && getZero() != 3)
    return emitOpError("only a bucket of ZeRO 3 has an owner, found ZeRO ") << getZero();
  for (UnitAttr unit : getUnits().getAsRange<UnitAttr>())
    if (unit.getPiece() % 64 != 0)
      return emitOpError("piece of unit ")
             << unit.getName() << " must be a multiple of 64 elements, found " << unit.getPiece();
  if (getOwner() && getFiner())
    return emitOpError("has an owner, so there are no pieces to be cut further");
  if (!getFiner())
    return verifyAxes(*this, getOver());
  if (!getOver())
    return emitOpError("shares pieces out over all axes, so there are none to cut them over then");
  if (failed(verifyAxes(*this, getFiner())) || failed(verifyAxes(*this, gradientAxes())))
    return failure();
  for (UnitAttr unit : getUnits().getAsRange<UnitAttr>())
    if (unit.getPiece() % (64 * parts()) != 0)
      return emitOpError("piece of unit ")
             << unit.getName() << " must be " << parts() << " parts of a multiple of 64 elements, found "
             << unit.getPiece();
  return success();
}

/// Verifies that the shard of a collective holds the pieces back to back, and that every unit fits its
/// pieces.
static LogicalResult verifyCollective(Operation *op, Value shard, ValueRange units,
                                      ArrayRef<int64_t> pieces) {
  if (units.size() != pieces.size())
    return op->emitOpError("expected one piece size per unit, found ")
           << pieces.size() << " for " << units.size() << " units";
  int64_t sum = std::accumulate(pieces.begin(), pieces.end(), int64_t(0));
  if (elementsOf(shard) != sum)
    return op->emitOpError("the shard must hold the pieces' ")
           << sum << " elements, found " << elementsOf(shard);
  return success();
}

template <typename OpT> static LogicalResult verifyOverAxes(OpT op) {
  if (failed(verifyAxes(op, op.getOver())))
    return failure();
  return verifyCollective(op, op.getShard(), op.getUnits(), op.getPieces());
}

LogicalResult AllGatherOp::verify() { return verifyOverAxes(*this); }
LogicalResult ReduceScatterOp::verify() { return verifyOverAxes(*this); }
LogicalResult OwnShardOp::verify() { return verifyOverAxes(*this); }
LogicalResult BroadcastOp::verify() { return verifyOverAxes(*this); }
LogicalResult ReduceOp::verify() { return verifyOverAxes(*this); }

/// Verifies that the members of a unit follow one another without overlap; elements between two are padding.
static LogicalResult verifyMembers(Operation *op, ValueRange members, ArrayRef<int64_t> offsets,
                                   Value packed) {
  if (members.size() != offsets.size())
    return op->emitOpError("expected one offset per member, found ")
           << offsets.size() << " for " << members.size() << " members";
  int64_t filled = 0;
  for (auto [number, member, offset] : llvm::enumerate(members, offsets)) {
    if (offset < filled)
      return op->emitOpError("member ")
             << number << " begins at element " << offset << ", but those before it end at " << filled;
    filled = offset + elementsOf(member);
  }
  if (filled > elementsOf(packed))
    return op->emitOpError("the members end at element ") << filled << " of a unit of " << elementsOf(packed);
  return success();
}

/// A value is made in one place of a unit.
LogicalResult PackOp::verify() {
  llvm::SmallPtrSet<Value, 8> seen;
  for (auto [number, member] : llvm::enumerate(getMembers()))
    if (!seen.insert(member).second)
      return emitOpError("member ") << number << " stands twice";
  return verifyMembers(*this, getMembers(), getOffsets(), getPacked());
}
LogicalResult UnpackOp::verify() { return verifyMembers(*this, getMembers(), getOffsets(), getPacked()); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !kernel->hasAttr(kKernelAttr))
    return emitOpError("'") << getKernel() << "' is not a kernel of this module";
  if (kernel.getFunctionType() != FunctionType::get(getContext(), getOperandTypes(), getResultTypes()))
    return emitOpError("kernel '") << getKernel() << "' has type " << kernel.getFunctionType();
  return success();
}
