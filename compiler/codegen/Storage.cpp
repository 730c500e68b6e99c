// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Storage.h"

#include "dialects/Graph/IR/GraphPitch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

Value constant(OpBuilder &builder, Location loc, uint32_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), static_cast<int32_t>(value));
}

/// The nearest bf16 of an f32, as an f32; a NaN stays one.
Value roundToBf16(OpBuilder &builder, Location loc, Value value);

} // namespace

bool isHalf(Type element) { return element.isBF16() || element.isF16(); }

Type storageType(Type element) {
  if (isHalf(element))
    return IntegerType::get(element.getContext(), 16);
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return element;
}

Type computeType(Type element) { return isHalf(element) ? Float32Type::get(element.getContext()) : element; }

MemRefType storageType(RankedTensorType tensor) {
  Type element = storageType(tensor.getElementType());
  if (!tensor.getEncoding())
    return MemRefType::get(tensor.getShape(), element);
  SmallVector<int64_t> strides(tensor.getRank(), 1);
  for (int64_t dimension = tensor.getRank() - 1, apart = graph::pitchOf(tensor); dimension-- > 0;
       apart *= tensor.getDimSize(dimension))
    strides[dimension] = apart;
  return MemRefType::get(tensor.getShape(), element,
                         StridedLayoutAttr::get(tensor.getContext(), /*offset=*/0, strides));
}

Value fromStorage(OpBuilder &builder, Location loc, Value stored, Type element) {
  if (element.isInteger(1))
    return arith::TruncIOp::create(builder, loc, element, stored);
  if (element.isF16()) {
    Value half = arith::BitcastOp::create(builder, loc, element, stored);
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), half);
  }
  if (!element.isBF16())
    return stored;
  Value wide = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), stored);
  Value bits = arith::ShLIOp::create(builder, loc, wide, constant(builder, loc, 16));
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

Value toStorage(OpBuilder &builder, Location loc, Value computed, Type element) {
  if (element.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, storageType(element), computed);
  if (element.isF16()) {
    Value half = arith::TruncFOp::create(builder, loc, element, computed);
    return arith::BitcastOp::create(builder, loc, storageType(element), half);
  }
  if (!element.isBF16())
    return computed;
  Value bits = arith::BitcastOp::create(builder, loc, builder.getI32Type(), computed);
  Value high = arith::ShRUIOp::create(builder, loc, bits, constant(builder, loc, 16));
  return arith::TruncIOp::create(builder, loc, storageType(element), high);
}

Value roundTo(OpBuilder &builder, Location loc, Value value, Type element) {
  if (element.isBF16())
    return roundToBf16(builder, loc, value);
  if (!element.isF16())
    return value;
  Value half = arith::TruncFOp::create(builder, loc, element, value);
  return arith::ExtFOp::create(builder, loc, value.getType(), half);
}

namespace {

Value roundToBf16(OpBuilder &builder, Location loc, Value value) {
  auto constantBits = [&](uint32_t bits) { return constant(builder, loc, bits); };
  Value bits = arith::BitcastOp::create(builder, loc, builder.getI32Type(), value);
  Value high = arith::ShRUIOp::create(builder, loc, bits, constantBits(16));
  Value odd = arith::AndIOp::create(builder, loc, high, constantBits(1));
  Value half = arith::AddIOp::create(builder, loc, odd, constantBits(0x7fff));
  Value rounded = arith::AddIOp::create(builder, loc, bits, half);
  // Adding could carry a NaN's bits into an infinity: set its quiet bit instead.
  Value quiet = arith::OrIOp::create(builder, loc, bits, constantBits(0x400000));
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(builder, loc, isNan, quiet, rounded);
  Value cut = arith::AndIOp::create(builder, loc, chosen, constantBits(0xffff0000u));
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), cut);
}

} // namespace

} // namespace windlass::codegen
