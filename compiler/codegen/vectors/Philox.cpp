// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectors/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "runtime/base/Random.h"

#include <array>

using namespace mlir;

namespace windlass::codegen {
namespace {

constexpr int64_t kWordBits = 32, kLowWord = 0xFFFFFFFF;

/// Words of 32 bits in lanes of 64, so that a product has room. Between operations the upper half of a lane
/// may hold anything: a product takes the lower ones only, as the multiplier of a processor does.
using Words = std::array<Value, 4>;

/// Integer arithmetic on scalars, or on vectors of `width` lanes.
struct Lanes {
  OpBuilder &builder;
  Location loc;
  int64_t width;

  Type of(Type element) const { return width == 1 ? element : VectorType::get({width}, element); }
  Type i32() const { return of(builder.getI32Type()); }
  Type i64() const { return of(builder.getI64Type()); }
  Value spread(Value value) const {
    if (width == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, of(value.getType()), value);
  }
  Value constant(Type type, int64_t value) const {
    Type element = getElementTypeOrSelf(type);
    return spread(arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(element, value)));
  }
  Value constant(int64_t value) const { return constant(builder.getI64Type(), value); }
  Value low(Value a) const { return arith::AndIOp::create(builder, loc, a, constant(kLowWord)); }
  Value high(Value a) const { return arith::ShRUIOp::create(builder, loc, a, constant(kWordBits)); }
  Value add(Value a, Value b) const { return arith::AddIOp::create(builder, loc, a, b); }
  Value mul(Value a, int64_t b) const { return arith::MulIOp::create(builder, loc, a, constant(b)); }
  Value bitXor(Value a, Value b) const { return arith::XOrIOp::create(builder, loc, a, b); }
  Value fromIndex(Value a) const { return arith::IndexCastOp::create(builder, loc, i64(), spread(a)); }
  Value word(Value a) const { return arith::TruncIOp::create(builder, loc, i32(), a); }
};

/// The key of a round: scalar, since it is the same in all lanes and iterations.
Value buildRoundKey(const Lanes &lanes, Value key, uint32_t weyl, int round) {
  Lanes scalar{lanes.builder, lanes.loc, 1};
  auto added = static_cast<int32_t>(weyl * static_cast<uint32_t>(round));
  Value word = scalar.add(key, scalar.constant(scalar.i32(), added));
  return lanes.spread(arith::ExtUIOp::create(lanes.builder, lanes.loc, scalar.i64(), word));
}

Words buildBlock(const Lanes &lanes, Words counter, Value key0, Value key1) {
  for (int round = 0; round < philox::kRounds; ++round) {
    Value first = lanes.mul(lanes.low(counter[0]), philox::kMultiplier0);
    Value second = lanes.mul(lanes.low(counter[2]), philox::kMultiplier1);
    Value k0 = buildRoundKey(lanes, key0, philox::kWeyl0, round);
    Value k1 = buildRoundKey(lanes, key1, philox::kWeyl1, round);
    Value high2 = lanes.high(second), word0 = lanes.bitXor(high2, lanes.bitXor(counter[1], k0));
    Value high1 = lanes.high(first), word2 = lanes.bitXor(high1, lanes.bitXor(counter[3], k1));
    counter = {word0, second, word2, first};
  }
  return counter;
}

/// RandomStream::unit of 32 random bits.
Value buildUnit(const Lanes &lanes, Value word) {
  OpBuilder &builder = lanes.builder;
  Value bits = arith::ShRUIOp::create(builder, lanes.loc, word, lanes.constant(lanes.i32(), 8));
  Value number = arith::SIToFPOp::create(builder, lanes.loc, lanes.of(builder.getF32Type()), bits);
  Value step = arith::ConstantOp::create(builder, lanes.loc, builder.getF32FloatAttr(0x1p-24F));
  return arith::MulFOp::create(builder, lanes.loc, number, lanes.spread(step));
}

} // namespace

Value buildRandom(OpBuilder &builder, Location loc, const RandomPlace &place, int64_t width) {
  Lanes lanes{builder, loc, width};
  Value row = lanes.fromIndex(place.row), column = lanes.fromIndex(place.column);
  Value quad = arith::ShRUIOp::create(builder, loc, column, lanes.constant(2));
  Words words = buildBlock(lanes, {quad, lanes.high(quad), row, lanes.high(row)}, place.key0, place.key1);
  Value which = arith::AndIOp::create(builder, loc, column, lanes.constant(kBlockElements - 1));
  Value word = lanes.word(words[0]);
  for (int64_t number = 1; number < kBlockElements; ++number) {
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, which, lanes.constant(number));
    word = arith::SelectOp::create(builder, loc, isIt, lanes.word(words[number]), word);
  }
  return buildUnit(lanes, word);
}

Value buildConsecutiveRandom(OpBuilder &builder, Location loc, const RandomPlace &place, int64_t width) {
  Lanes blocks{builder, loc, width / kBlockElements}, numbers{builder, loc, width};
  Value row = blocks.fromIndex(place.row);
  Value column = blocks.fromIndex(place.column);
  Value first = arith::ShRUIOp::create(builder, loc, column, blocks.constant(2));
  SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, blocks.width));
  Value step = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(cast<VectorType>(blocks.i64()), ArrayRef(steps)));
  Value quad = blocks.add(first, step);
  Words words = buildBlock(blocks, {quad, blocks.high(quad), row, blocks.high(row)}, place.key0, place.key1);
  // Two words to a lane, then the two halves of each block side by side: the elements in order.
  auto pair = [&](Value lower, Value upper) -> Value {
    Value moved = arith::ShLIOp::create(builder, loc, upper, blocks.constant(kWordBits));
    return arith::OrIOp::create(builder, loc, blocks.low(lower), moved);
  };
  Value even = pair(words[0], words[1]), odd = pair(words[2], words[3]);
  Value halves = vector::InterleaveOp::create(builder, loc, even, odd);
  return buildUnit(numbers, vector::BitCastOp::create(builder, loc, cast<VectorType>(numbers.i32()), halves));
}

} // namespace windlass::codegen
