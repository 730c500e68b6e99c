// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace windlass::codegen {
namespace {

Attribute memorySpace(MLIRContext *context, unsigned number) {
  return IntegerAttr::get(IntegerType::get(context, 64), number);
}

bool isOfBlock(memref::GlobalOp global) {
  return cast<MemRefType>(global.getType()).getMemorySpaceAsInt() == kBlockMemory;
}

/// Makes tables public variables, with names that PTX allows. LLVM would otherwise treat them as constants,
/// and make loads that kernels must not have (AuditPtx.h).
LogicalResult exposeTables(ModuleOp module) {
  unsigned count = 0;
  for (auto table : llvm::to_vector(module.getOps<memref::GlobalOp>())) {
    if (isOfBlock(table))
      continue;
    auto name = StringAttr::get(module.getContext(), "windlass_table_" + std::to_string(count++));
    if (failed(SymbolTable::replaceAllSymbolUses(table, name, module)))
      return table.emitError("not every use of a table is known");
    table.setSymName(name);
    table.setPublic();
    table.setConstant(false);
  }
  return success();
}

/// A multiple that is larger than any loaded vector.
constexpr int64_t kAnyMultiple = 64;

/// A number that divides the index, as far as is known.
int64_t multipleOf(Value index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return std::gcd(*known, kAnyMultiple);
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == index
               ? std::gcd(multipleOf(loop.getLowerBound()), multipleOf(loop.getStep()))
               : 1;
  }
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return std::gcd(multipleOf(sum.getLhs()), multipleOf(sum.getRhs()));
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    return std::gcd(multipleOf(product.getLhs()) * multipleOf(product.getRhs()), kAnyMultiple);
  return 1;
}

int64_t multipleOf(OpFoldResult index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return std::gcd(*known, kAnyMultiple);
  return multipleOf(cast<Value>(index));
}

/// A number that divides the position of an element in its buffer.
int64_t multipleOf(Value slice, ValueRange indices) {
  int64_t result = kAnyMultiple;
  auto consider = [&](Value buffer, auto offsets) {
    auto [strides, offset] = cast<MemRefType>(buffer.getType()).getStridesAndOffset();
    for (auto [stride, from] : llvm::zip(strides, offsets))
      result = std::gcd(result, ShapedType::isDynamic(stride) ? 1 : multipleOf(from) * stride);
  };
  consider(slice, indices);
  if (auto view = slice.getDefiningOp<memref::SubViewOp>())
    consider(view.getSource(), view.getMixedOffsets());
  return result;
}

template <typename OpT> void alignAsKnown(OpT op) {
  if (isTable(op.getBase()))
    return;
  VectorType type = op.getVectorType();
  const int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  const int64_t bytes = multipleOf(op.getBase(), op.getIndices()) * elementBytes;
  op.setAlignment(std::gcd(accessBytes(type), bytes));
}

} // namespace

LogicalResult moveToDevice(ModuleOp module) {
  if (failed(exposeTables(module)))
    return failure();
  AttrTypeReplacer replacer;
  Attribute space = memorySpace(module.getContext(), kGlobalMemory);
  replacer.addReplacement([&](MemRefType type) -> std::optional<Type> {
    if (type.getMemorySpace())
      return type;
    return MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), space);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

Value bufferOf(Value slice) {
  while (auto view = slice.getDefiningOp<memref::SubViewOp>())
    slice = view.getSource();
  return slice;
}

bool isTable(Value buffer) { return buffer.getDefiningOp<memref::GetGlobalOp>() != nullptr; }

int64_t accessBytes(VectorType type) {
  return std::min<int64_t>(type.getNumElements() * type.getElementTypeBitWidth() / 8, kAccessBytes);
}

void alignVectors(func::FuncOp function) {
  function.walk([](vector::LoadOp load) { alignAsKnown(load); });
  function.walk([](vector::StoreOp store) { alignAsKnown(store); });
}

Value blockBuffer(OpBuilder &builder, func::FuncOp function, ArrayRef<int64_t> shape, Type element,
                  unsigned number) {
  auto module = function->getParentOfType<ModuleOp>();
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                              memorySpace(builder.getContext(), kBlockMemory));
  std::string name = (function.getName() + "_partial_").str();
  llvm::raw_string_ostream(name) << element << "_" << number;
  if (!module.lookupSymbol(name)) {
    OpBuilder atModule(module.getBodyRegion());
    memref::GlobalOp::create(atModule, function.getLoc(), name, builder.getStringAttr("private"), type,
                             builder.getUnitAttr(), /*constant=*/false,
                             builder.getI64IntegerAttr(kAccessBytes));
  }
  return memref::GetGlobalOp::create(builder, function.getLoc(), type, name);
}

} // namespace windlass::codegen
