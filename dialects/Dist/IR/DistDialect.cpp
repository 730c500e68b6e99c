#include "dialects/Dist/IR/DistDialect.h"

#include "dialects/Graph/IR/EnumWord.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::dist;

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

LogicalResult MeshOp::verify() {
  if (static_cast<int64_t>(getDp()) < 1)
    return emitOpError("axis dp must have at least 1 rank, found ") << getDp();
  return success();
}

SmallVector<int64_t> BucketOp::getPieces() {
  int64_t held = 1;
  if (getOwner())
    for (auto mesh : (*this)->getParentOfType<ModuleOp>().getOps<MeshOp>())
      held = mesh.getDp();
  return llvm::map_to_vector(getUnits().getAsRange<UnitAttr>(),
                             [held](UnitAttr unit) { return held * unit.getPiece(); });
}

int64_t BucketOp::getShardElements() {
  SmallVector<int64_t> pieces = getPieces();
  return std::accumulate(pieces.begin(), pieces.end(), int64_t(0));
}

LogicalResult BucketOp::verify() {
  if (getStage() > 3)
    return emitOpError("stage must be 0, 1, 2 or 3, found ") << getStage();
  if (getOwner() && getStage() != 3)
    return emitOpError("only a bucket of stage 3 has an owner, found stage ") << getStage();
  for (UnitAttr unit : getUnits().getAsRange<UnitAttr>())
    if (unit.getPiece() % 64 != 0)
      return emitOpError("piece of unit ")
             << unit.getName() << " must be a multiple of 64 elements, found " << unit.getPiece();
  return success();
}

/// A collective's shard holds the pieces back to back, and every unit fits its pieces.
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

LogicalResult AllGatherOp::verify() { return verifyCollective(*this, getShard(), getUnits(), getPieces()); }
LogicalResult ReduceScatterOp::verify() {
  return verifyCollective(*this, getShard(), getUnits(), getPieces());
}
LogicalResult BroadcastOp::verify() { return verifyCollective(*this, getShard(), getUnits(), getPieces()); }
LogicalResult ReduceOp::verify() { return verifyCollective(*this, getShard(), getUnits(), getPieces()); }

/// Members stand in a unit one behind the other; what lies between two is padding.
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

LogicalResult PackOp::verify() { return verifyMembers(*this, getMembers(), getOffsets(), getPacked()); }
LogicalResult UnpackOp::verify() { return verifyMembers(*this, getMembers(), getOffsets(), getPacked()); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !kernel->hasAttr(kKernelAttr))
    return emitOpError("'") << getKernel() << "' is not a kernel of this module";
  if (kernel.getFunctionType() != FunctionType::get(getContext(), getOperandTypes(), getResultTypes()))
    return emitOpError("kernel '") << getKernel() << "' has type " << kernel.getFunctionType();
  return success();
}
