// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceProbe.h"

#include "compiler/codegen/Storage.h"
#include "compiler/codegen/device/DeviceFunction.h"
#include "runtime/base/DeviceBuiltins.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// One thread's pattern, and the operations on it.
class Operations {
public:
  Operations(DeviceFunction &code, Value pattern)
      : builder(code.builder), loc(code.loc), f32(builder.getF32Type()), f64(builder.getF64Type()),
        i32(builder.getI32Type()) {
    Value first = code.times(pattern, 3);
    for (int64_t word = 0; word < 3; ++word)
      words.push_back(code.load(code.parameter(0), code.plus(first, word), builder.getI64Type()));
  }

  /// The result as a word of 64 bits.
  Value compute(ProbeOperation operation) {
    Value result = resultOf(operation);
    if (result.getType() == f32)
      result = arith::BitcastOp::create(builder, loc, i32, result);
    if (result.getType() == f64)
      return arith::BitcastOp::create(builder, loc, builder.getI64Type(), result);
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), result);
  }

private:
  Value resultOf(ProbeOperation operation) {
    switch (operation) {
    case ProbeOperation::MultiplyAdd32:
      return multiplyAdd(f32);
    case ProbeOperation::Fused32:
      return fused(f32);
    case ProbeOperation::Quotient32:
      return quotient(f32);
    case ProbeOperation::Root32:
      return root(f32);
    case ProbeOperation::MultiplyAdd64:
      return multiplyAdd(f64);
    case ProbeOperation::Fused64:
      return fused(f64);
    case ProbeOperation::Quotient64:
      return quotient(f64);
    case ProbeOperation::Root64:
      return root(f64);
    case ProbeOperation::Narrow16:
      return roundTo(builder, loc, operand(0, f32), builder.getF16Type());
    case ProbeOperation::Widen16: {
      Value half = arith::TruncIOp::create(builder, loc, builder.getI16Type(), words[0]);
      return fromStorage(builder, loc, half, builder.getF16Type());
    }
    case ProbeOperation::Narrow32:
      return arith::TruncFOp::create(builder, loc, f32, operand(0, f64));
    case ProbeOperation::Widen32:
      return arith::ExtFOp::create(builder, loc, f64, operand(0, f32));
    case ProbeOperation::FromInteger:
      return arith::SIToFPOp::create(builder, loc, f32, integer());
    case ProbeOperation::ToInteger: {
      Value wide = arith::SIToFPOp::create(builder, loc, f32, integer());
      Value by = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(f32, 256));
      Value part = arith::DivFOp::create(builder, loc, wide, by);
      return arith::FPToSIOp::create(builder, loc, i32, part);
    }
    case ProbeOperation::Shuffles:
      return shuffles();
    }
    llvm_unreachable("an operation of no kind");
  }

  Value integer() { return arith::TruncIOp::create(builder, loc, i32, words[0]); }

  /// Word 0, 1 or 2 as a number.
  Value operand(unsigned word, Type type) {
    Value bits = words[word];
    if (type == f32)
      bits = arith::TruncIOp::create(builder, loc, i32, bits);
    return arith::BitcastOp::create(builder, loc, type, bits);
  }

  Value multiplyAdd(Type type) {
    Value a = operand(0, type), b = operand(1, type), c = operand(2, type);
    Value product = arith::MulFOp::create(builder, loc, a, b);
    return arith::AddFOp::create(builder, loc, product, c);
  }

  Value fused(Type type) {
    Value a = operand(0, type), b = operand(1, type), c = operand(2, type);
    return math::FmaOp::create(builder, loc, a, b, c);
  }

  Value quotient(Type type) {
    Value a = operand(0, type), b = operand(1, type);
    return arith::DivFOp::create(builder, loc, a, b);
  }

  Value root(Type type) {
    Value size = math::AbsFOp::create(builder, loc, operand(0, type));
    return math::SqrtOp::create(builder, loc, size);
  }

  /// Shuffles, for which all lanes of the warp must be active: there are as many threads as patterns.
  Value shuffles() {
    auto number = [&](int32_t value) { return arith::ConstantIntOp::create(builder, loc, i32, value); };
    Value all = number(-1), clamp = number(31), factor = number(33);
    Value mixed = integer();
    for (int32_t distance : {16, 8, 4, 2, 1}) {
      Value by = number(distance);
      Value other =
          NVVM::ShflOp::create(builder, loc, i32, all, mixed, by, clamp, NVVM::ShflKind::bfly, UnitAttr());
      Value scaled = arith::MulIOp::create(builder, loc, mixed, factor);
      mixed = arith::AddIOp::create(builder, loc, scaled, other);
    }
    return mixed;
  }

  OpBuilder &builder;
  Location loc;
  Type f32, f64, i32;
  SmallVector<Value, 3> words;
};

} // namespace

void emitProbe(ModuleOp into) {
  DeviceFunction code(into, kProbe, {true, true});
  Value pattern = code.times(code.block(), kProbeThreads);
  pattern = code.plus(pattern, code.thread());
  Operations operations(code, pattern);
  for (int64_t number = 0; number < kProbeOperations; ++number) {
    Value result = operations.compute(static_cast<ProbeOperation>(number));
    code.store(result, code.parameter(1), code.plus(pattern, number * kProbePatterns),
               code.builder.getI64Type());
  }
}

} // namespace windlass::codegen
