// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceFunction.h"

#include "compiler/codegen/Storage.h"
#include "compiler/codegen/device/DeviceMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace windlass::codegen {

DeviceFunction::DeviceFunction(ModuleOp into, StringRef name, ArrayRef<bool> isAddress)
    : builder(into.getContext()), loc(into.getLoc()) {
  builder.setInsertionPointToEnd(into.getBody());
  const Type address = LLVM::LLVMPointerType::get(builder.getContext(), kGlobalMemory);
  SmallVector<Type> parameters;
  for (bool each : isAddress)
    parameters.push_back(each ? address : builder.getI64Type());
  function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(parameters, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(function.front().getTerminator());
}

Value DeviceFunction::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), value);
}

Value DeviceFunction::zero(Type floating) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(floating, 0));
}

Value DeviceFunction::thread() {
  Value number = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
}

Value DeviceFunction::block() {
  Value number = NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type());
  return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
}

Value DeviceFunction::plus(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }

Value DeviceFunction::times(Value a, int64_t b) {
  Value factor = constant(b);
  return arith::MulIOp::create(builder, loc, a, factor);
}

Value DeviceFunction::quotient(Value a, int64_t b) {
  Value by = constant(b);
  return arith::DivUIOp::create(builder, loc, a, by);
}

Value DeviceFunction::remainder(Value a, int64_t b) {
  Value by = constant(b);
  return arith::RemUIOp::create(builder, loc, a, by);
}

Value DeviceFunction::isLess(Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
}

Value DeviceFunction::place(Value address, Value index, Type stored) {
  return LLVM::GEPOp::create(builder, loc, address.getType(), stored, address, ArrayRef<LLVM::GEPArg>{index});
}

Value DeviceFunction::load(Value address, Value index, Type element) {
  const Type stored = storageType(element);
  Value from = place(address, index, stored);
  Value loaded = LLVM::LoadOp::create(builder, loc, stored, from);
  return fromStorage(builder, loc, loaded, element);
}

void DeviceFunction::store(Value value, Value address, Value index, Type element) {
  Value rounded = isHalf(element) ? roundTo(builder, loc, value, element) : value;
  Value stored = toStorage(builder, loc, rounded, element);
  Value to = place(address, index, stored.getType());
  LLVM::StoreOp::create(builder, loc, stored, to);
}

void DeviceFunction::onlyIf(Value condition) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
}

} // namespace windlass::codegen
