// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

constexpr int32_t kAllLanes = -1, kLastLane = kWarpThreads - 1;
constexpr unsigned kWordBits = 32;

} // namespace

void askForRegisters(func::FuncOp function, int64_t threads) {
  constexpr int64_t kOfMultiprocessor = 65536, kOfThread = 128;
  const int64_t blocks = std::max<int64_t>(1, kOfMultiprocessor / (kOfThread * threads));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    Builder(function).getI32IntegerAttr(static_cast<int32_t>(blocks)));
}

Value ThreadBuilder::thread() {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type()));
}

Value ThreadBuilder::block() {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
}

Value ThreadBuilder::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
Value ThreadBuilder::plus(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
Value ThreadBuilder::minus(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
Value ThreadBuilder::times(Value a, int64_t factor) {
  return arith::MulIOp::create(builder, loc, a, constant(factor));
}
Value ThreadBuilder::quotient(Value a, int64_t by) {
  return arith::DivUIOp::create(builder, loc, a, constant(by));
}
Value ThreadBuilder::remainder(Value a, int64_t by) {
  return arith::RemUIOp::create(builder, loc, a, constant(by));
}
Value ThreadBuilder::isLess(Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
}
Value ThreadBuilder::isEqual(Value a, int64_t b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, constant(b));
}
Value ThreadBuilder::between(Value least, Value number, Value most) {
  return arith::MinSIOp::create(builder, loc, arith::MaxSIOp::create(builder, loc, number, least), most);
}
Value ThreadBuilder::both(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
Value ThreadBuilder::choose(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

void ThreadBuilder::barrier() { NVVM::Barrier0Op::create(builder, loc); }

Value ThreadBuilder::exchangeWord(Value word, int64_t distance) {
  auto number = [&](int32_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  };
  Value lanes = number(kAllLanes), offset = number(static_cast<int32_t>(distance)), clamp = number(kLastLane);
  return NVVM::ShflOp::create(builder, loc, builder.getI32Type(), lanes, word, offset, clamp,
                              NVVM::ShflKind::bfly, UnitAttr());
}

/// Exchanges a value as one or two words of 32 bits.
Value ThreadBuilder::exchangeElement(Value value, int64_t distance) {
  Type type = value.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(bits), word = builder.getIntegerType(kWordBits);
  Value whole =
      isa<FloatType>(type) ? arith::BitcastOp::create(builder, loc, integer, value).getResult() : value;
  if (bits < kWordBits) {
    Value wide = exchangeWord(arith::ExtUIOp::create(builder, loc, word, whole), distance);
    whole = arith::TruncIOp::create(builder, loc, integer, wide);
  } else if (bits == kWordBits) {
    whole = exchangeWord(whole, distance);
  } else {
    Value shift = arith::ConstantIntOp::create(builder, loc, integer, kWordBits);
    Value upper = arith::ShRUIOp::create(builder, loc, whole, shift);
    Value low = exchangeWord(arith::TruncIOp::create(builder, loc, word, whole), distance);
    Value high = exchangeWord(arith::TruncIOp::create(builder, loc, word, upper), distance);
    Value shifted =
        arith::ShLIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, integer, high), shift);
    whole = arith::OrIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, integer, low), shifted);
  }
  return isa<FloatType>(type) ? arith::BitcastOp::create(builder, loc, type, whole).getResult() : whole;
}

Value ThreadBuilder::exchange(Value value, int64_t distance) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return exchangeElement(value, distance);
  SmallVector<Value> elements;
  for (int64_t element = 0; element < vector.getNumElements(); ++element)
    elements.push_back(exchangeElement(
        vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{element}), distance));
  return vector::FromElementsOp::create(builder, loc, vector, elements);
}

} // namespace windlass::codegen
