// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxArithmetic.h"

#include "runtime/base/F16.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace windlass::ptx {
namespace {

using U = uint64_t;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

template <typename T> T from(U bits) {
  if constexpr (std::is_same_v<T, f32>)
    return std::bit_cast<f32>(static_cast<u32>(bits));
  else if constexpr (std::is_same_v<T, f64>)
    return std::bit_cast<f64>(bits);
  else
    return static_cast<T>(bits);
}

template <typename T> U into(T value) {
  if constexpr (std::is_same_v<T, f32>)
    return std::bit_cast<u32>(value);
  else if constexpr (std::is_same_v<T, f64>)
    return std::bit_cast<u64>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

/// The result of an operation on f32. Every NaN is the canonical one.
U number(f32 value) { return std::isnan(value) ? 0x7fffffffu : into(value); }
U number(f64 value) { return into(value); }

template <typename T> struct Twice;
template <> struct Twice<s16> {
  using type = s32;
};
template <> struct Twice<u16> {
  using type = u32;
};
template <> struct Twice<s32> {
  using type = s64;
};
template <> struct Twice<u32> {
  using type = u64;
};
template <> struct Twice<s64> {
  using type = __int128;
};
template <> struct Twice<u64> {
  using type = unsigned __int128;
};

// Sums and products wrap: they are computed without a sign.
template <typename T> U add(U a, U b, U) { return into(static_cast<T>(a + b)); }
template <typename T> U sub(U a, U b, U) { return into(static_cast<T>(a - b)); }
template <typename T> U mulLo(U a, U b, U) { return into(static_cast<T>(a * b)); }
template <typename T> U madLo(U a, U b, U c) { return into(static_cast<T>(a * b + c)); }
template <typename T> typename Twice<T>::type product(U a, U b) {
  return static_cast<typename Twice<T>::type>(from<T>(a)) * from<T>(b);
}
template <typename T> U mulHi(U a, U b, U) {
  return into(static_cast<T>(product<T>(a, b) >> (8 * sizeof(T))));
}
template <typename T> U mulWide(U a, U b, U) { return into(product<T>(a, b)); }
template <typename T> U madWide(U a, U b, U c) { return into(product<T>(a, b)) + c; }
template <typename T> U div(U a, U b, U) { return into(static_cast<T>(from<T>(a) / from<T>(b))); }
template <typename T> U rem(U a, U b, U) { return into(static_cast<T>(from<T>(a) % from<T>(b))); }
template <typename T> U minimum(U a, U b, U) {
  return into(from<T>(a) < from<T>(b) ? from<T>(a) : from<T>(b));
}
template <typename T> U maximum(U a, U b, U) {
  return into(from<T>(a) > from<T>(b) ? from<T>(a) : from<T>(b));
}
template <typename T> U negate(U a, U, U) { return into(static_cast<T>(0 - a)); }
template <typename T> U magnitude(U a, U b, U c) { return from<T>(a) < 0 ? negate<T>(a, b, c) : a; }

template <typename T> U bitAnd(U a, U b, U) { return a & b; }
template <typename T> U bitOr(U a, U b, U) { return a | b; }
template <typename T> U bitXor(U a, U b, U) { return a ^ b; }
template <typename T> U bitNot(U a, U, U) { return into(static_cast<T>(~a)); }
U predicateNot(U a, U, U) { return a ^ 1; }

template <typename T> constexpr U kBits = 8 * sizeof(T);
template <typename T> U shiftLeft(U a, U b, U) { return b >= kBits<T> ? 0 : into(static_cast<T>(a << b)); }
template <typename T> U shiftRight(U a, U b, U) {
  if (b >= kBits<T>)
    return from<T>(a) < T(0) ? into(static_cast<T>(-1)) : 0;
  return into(static_cast<T>(from<T>(a) >> b));
}
/// funnelLeft: the upper half of {b, a} shifted to the left. funnelRight: the lower half of {b, a} shifted to
/// the right.
U funnelLeft(U a, U b, U c) { return static_cast<u32>(((b << 32 | a) << (c & 31)) >> 32); }
U funnelRight(U a, U b, U c) { return static_cast<u32>((b << 32 | a) >> (c & 31)); }

/// Bytes of {b, a}, each chosen by four bits of c. The highest of these replaces the byte by its sign.
U permute(U a, U b, U c) {
  const U bytes = b << 32 | a;
  U result = 0;
  for (int place = 0; place < 4; ++place) {
    const U selector = c >> (4 * place) & 0xF;
    U byte = bytes >> (8 * (selector & 7)) & 0xFF;
    if (selector & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << (8 * place);
  }
  return result;
}

/// Copies bits of a: the lowest byte of c is their number, and that of b the first of them. Bits beyond the
/// register or the field are zero; for signed types they are the highest bit of the field.
template <typename T> U bitField(U a, U b, U c) {
  const U from = b & 0xFF, count = c & 0xFF;
  const U known = from >= kBits<T> ? 0 : std::min(count, kBits<T> - from);
  const U ones = known == 64 ? ~U(0) : (U(1) << known) - 1;
  const U field = known == 0 ? 0 : a >> from & ones;
  const bool isNegative =
      std::is_signed_v<T> && count > 0 && (a >> std::min(from + count - 1, kBits<T> - 1) & 1) != 0;
  return into(static_cast<T>(isNegative ? field | ~ones : field));
}

template <typename T> U addFloat(U a, U b, U) { return number(from<T>(a) + from<T>(b)); }
template <typename T> U subFloat(U a, U b, U) { return number(from<T>(a) - from<T>(b)); }
template <typename T> U mulFloat(U a, U b, U) { return number(from<T>(a) * from<T>(b)); }
template <typename T> U divFloat(U a, U b, U) { return number(from<T>(a) / from<T>(b)); }
template <typename T> U fmaFloat(U a, U b, U c) {
  return number(std::fma(from<T>(a), from<T>(b), from<T>(c)));
}
template <typename T> U rootFloat(U a, U, U) { return number(std::sqrt(from<T>(a))); }
template <typename T> U inverseFloat(U a, U, U) { return number(T(1) / from<T>(a)); }
template <typename T> U negateFloat(U a, U, U) { return number(-from<T>(a)); }
template <typename T> U magnitudeFloat(U a, U, U) { return number(std::fabs(from<T>(a))); }
/// The value of b with the sign of a.
template <typename T> U copySign(U a, U b, U) {
  constexpr U kSign = U(1) << (kBits<T> - 1);
  return (a & kSign) | (b & (kSign - 1));
}

/// -0 is less than +0. A NaN gives way to a number, or, with passesNan, makes the result a NaN.
template <typename T, bool isMaximum, bool passesNan> U extremum(U a, U b, U) {
  const T x = from<T>(a), y = from<T>(b);
  const U nan = sizeof(T) == 4 ? U(0x7fffffff) : U(0x7fffffffffffffff);
  if (std::isnan(x) || std::isnan(y)) {
    if (passesNan || (std::isnan(x) && std::isnan(y)))
      return nan;
    return std::isnan(x) ? b : a;
  }
  const bool isLess = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return isLess == isMaximum ? b : a;
}
template <typename T> U minFloat(U a, U b, U c) { return extremum<T, false, false>(a, b, c); }
template <typename T> U maxFloat(U a, U b, U c) { return extremum<T, true, false>(a, b, c); }
U minNan(U a, U b, U c) { return extremum<f32, false, true>(a, b, c); }
U maxNan(U a, U b, U c) { return extremum<f32, true, true>(a, b, c); }

template <typename T> U equal(U a, U b, U) { return from<T>(a) == from<T>(b); }
template <typename T> bool isUnordered(U a, U b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(from<T>(a)) || std::isnan(from<T>(b));
  return false;
}
/// For floats: false if one of them is a NaN.
template <typename T> U unequal(U a, U b, U) { return !isUnordered<T>(a, b) && from<T>(a) != from<T>(b); }
template <typename T> U less(U a, U b, U) { return from<T>(a) < from<T>(b); }
template <typename T> U lessEqual(U a, U b, U) { return from<T>(a) <= from<T>(b); }
template <typename T> U greater(U a, U b, U) { return from<T>(a) > from<T>(b); }
template <typename T> U greaterEqual(U a, U b, U) { return from<T>(a) >= from<T>(b); }
template <typename T> U isNumber(U a, U b, U) { return !isUnordered<T>(a, b); }
template <typename T> U isNan(U a, U b, U) { return isUnordered<T>(a, b); }
/// A comparison that is true if one operand is a NaN.
template <typename T, U (*compare)(U, U, U)> U orNan(U a, U b, U c) {
  return isUnordered<T>(a, b) || compare(a, b, c);
}
template <typename T> U choose(U a, U b, U c) { return c ? a : b; }

template <typename To, typename From> U convertInteger(U a, U, U) {
  return into(static_cast<To>(from<From>(a)));
}
template <typename To, typename From> U toFloat(U a, U, U) { return into(static_cast<To>(from<From>(a))); }

/// Rounds towards zero. A value outside of the type becomes its nearest value; a NaN becomes 0 or the highest
/// bit alone.
template <typename To, typename From> U toInteger(U a, U, U) {
  const From value = std::trunc(from<From>(a));
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value))
    return sizeof(From) == 8 || sizeof(To) == 8 ? U(1) << (kBits<To> - 1) : 0;
  const From bound = std::ldexp(From(1), Limits::digits); // the smallest value that is too large
  if (value >= bound)
    return into(Limits::max());
  if (value < (Limits::is_signed ? -bound : From(0)))
    return into(Limits::min());
  return into(static_cast<To>(value));
}

template <typename T> U roundEven(U a, U, U) { return number(std::nearbyint(from<T>(a))); }
template <typename T> U roundZero(U a, U, U) { return number(std::trunc(from<T>(a))); }
template <typename T> U roundDown(U a, U, U) { return number(std::floor(from<T>(a))); }
template <typename T> U roundUp(U a, U, U) { return number(std::ceil(from<T>(a))); }

U widen(U a, U, U) { return into(static_cast<f64>(from<f32>(a))); }
U narrow(U a, U, U) { return number(static_cast<f32>(from<f64>(a))); }
U widenHalf(U a, U, U) { return number(widenF16(static_cast<u16>(a))); }
U widenHalfTwice(U a, U, U) { return into(static_cast<f64>(widenF16(static_cast<u16>(a)))); }
U narrowHalf(U a, U, U) { return std::isnan(from<f32>(a)) ? 0x7fff : roundToF16(from<f32>(a)); }
/// Narrows two values at once. The first source becomes the upper half.
U narrowHalves(U a, U b, U c) { return narrowHalf(a, b, c) << 16 | narrowHalf(b, a, c); }

U copy(U a, U, U) { return a; }

template <U (*function)(U, U, U)>
void overLanes(Lanes &result, const Lanes &a, const Lanes &b, const Lanes &c, uint32_t mask) {
  if (mask == ~0u) // the usual case, in which several lanes are computed at once
    for (int lane = 0; lane < kLanes; ++lane)
      result[lane] = function(a[lane], b[lane], c[lane]);
  else
    for (int lane = 0; lane < kLanes; ++lane)
      if (mask >> lane & 1)
        result[lane] = function(a[lane], b[lane], c[lane]);
}

/// Opcodes for which one function serves every type. They are in the order of PtxOpcodes.def.
#define PTX_INTEGERS(name, function)                                                                         \
  case Opcode::name##_s32:                                                                                   \
    return overLanes<function<s32>>;                                                                         \
  case Opcode::name##_u32:                                                                                   \
    return overLanes<function<u32>>;                                                                         \
  case Opcode::name##_s64:                                                                                   \
    return overLanes<function<s64>>;                                                                         \
  case Opcode::name##_u64:                                                                                   \
    return overLanes<function<u64>>;
#define PTX_SHORTS(name, function)                                                                           \
  case Opcode::name##_s16:                                                                                   \
    return overLanes<function<s16>>;                                                                         \
  case Opcode::name##_u16:                                                                                   \
    return overLanes<function<u16>>;
#define PTX_SIGNED(name, function)                                                                           \
  case Opcode::name##_s32:                                                                                   \
    return overLanes<function<s32>>;                                                                         \
  case Opcode::name##_s64:                                                                                   \
    return overLanes<function<s64>>;
#define PTX_BITS(name, function)                                                                             \
  case Opcode::name##_b16:                                                                                   \
    return overLanes<function<u16>>;                                                                         \
  case Opcode::name##_b32:                                                                                   \
    return overLanes<function<u32>>;                                                                         \
  case Opcode::name##_b64:                                                                                   \
    return overLanes<function<u64>>;
#define PTX_FLOATS(name, function)                                                                           \
  case Opcode::name##_f32:                                                                                   \
    return overLanes<function<f32>>;                                                                         \
  case Opcode::name##_f64:                                                                                   \
    return overLanes<function<f64>>;
#define PTX_CASE(name, ...)                                                                                  \
  case Opcode::name:                                                                                         \
    return overLanes<__VA_ARGS__>;

Compute integersOf(Opcode opcode) {
  switch (opcode) {
    PTX_SIGNED(add, add)
    PTX_CASE(add_s16, add<s16>)
    PTX_SIGNED(sub, sub)
    PTX_CASE(sub_s16, sub<s16>)
    PTX_SIGNED(mul_lo, mulLo)
    PTX_CASE(mul_lo_s16, mulLo<s16>)
    PTX_INTEGERS(mul_hi, mulHi)
    PTX_SHORTS(mul_hi, mulHi)
    PTX_SHORTS(mul_wide, mulWide)
    PTX_CASE(mul_wide_s32, mulWide<s32>)
    PTX_CASE(mul_wide_u32, mulWide<u32>)
    PTX_SIGNED(mad_lo, madLo)
    PTX_CASE(mad_lo_s16, madLo<s16>)
    PTX_CASE(mad_wide_s32, madWide<s32>)
    PTX_CASE(mad_wide_u32, madWide<u32>)
    PTX_INTEGERS(div, div)
    PTX_SHORTS(div, div)
    PTX_INTEGERS(rem, rem)
    PTX_SHORTS(rem, rem)
    PTX_INTEGERS(min, minimum)
    PTX_SHORTS(min, minimum)
    PTX_INTEGERS(max, maximum)
    PTX_SHORTS(max, maximum)
    PTX_SIGNED(neg, negate)
    PTX_CASE(neg_s16, negate<s16>)
    PTX_SIGNED(abs, magnitude)
    PTX_BITS(and, bitAnd)
    PTX_CASE(and_pred, bitAnd<u8>)
    PTX_BITS(or, bitOr)
    PTX_CASE(or_pred, bitOr<u8>)
    PTX_BITS(xor, bitXor)
    PTX_CASE(xor_pred, bitXor<u8>)
    PTX_BITS(not, bitNot)
    PTX_CASE(not_pred, predicateNot)
    PTX_BITS(shl, shiftLeft)
    PTX_INTEGERS(shr, shiftRight)
    PTX_SHORTS(shr, shiftRight)
    PTX_CASE(shf_l_wrap_b32, funnelLeft)
    PTX_CASE(shf_r_wrap_b32, funnelRight)
    PTX_CASE(prmt_b32, permute)
    PTX_INTEGERS(bfe, bitField)
  default:
    return nullptr;
  }
}

Compute floatsOf(Opcode opcode) {
  switch (opcode) {
    PTX_FLOATS(add_rn, addFloat)
    PTX_FLOATS(sub_rn, subFloat)
    PTX_FLOATS(mul_rn, mulFloat)
    PTX_FLOATS(div_rn, divFloat)
    PTX_FLOATS(fma_rn, fmaFloat)
    PTX_FLOATS(sqrt_rn, rootFloat)
    PTX_FLOATS(rcp_rn, inverseFloat)
    PTX_FLOATS(neg, negateFloat)
    PTX_FLOATS(abs, magnitudeFloat)
    PTX_FLOATS(min, minFloat)
    PTX_FLOATS(max, maxFloat)
    PTX_CASE(min_NaN_f32, minNan)
    PTX_CASE(max_NaN_f32, maxNan)
    PTX_FLOATS(copysign, copySign)
  default:
    return nullptr;
  }
}

Compute comparisonsOf(Opcode opcode) {
  switch (opcode) {
    PTX_BITS(setp_eq, equal)
    PTX_BITS(setp_ne, unequal)
    PTX_INTEGERS(setp_lt, less)
    PTX_SHORTS(setp_lt, less)
    PTX_INTEGERS(setp_le, lessEqual)
    PTX_SHORTS(setp_le, lessEqual)
    PTX_INTEGERS(setp_gt, greater)
    PTX_SHORTS(setp_gt, greater)
    PTX_INTEGERS(setp_ge, greaterEqual)
    PTX_SHORTS(setp_ge, greaterEqual)
    PTX_FLOATS(setp_eq, equal)
    PTX_FLOATS(setp_ne, unequal)
    PTX_FLOATS(setp_lt, less)
    PTX_FLOATS(setp_le, lessEqual)
    PTX_FLOATS(setp_gt, greater)
    PTX_FLOATS(setp_ge, greaterEqual)
    PTX_FLOATS(setp_num, isNumber)
    PTX_FLOATS(setp_nan, isNan)
    PTX_CASE(setp_equ_f32, orNan<f32, equal<f32>>)
    PTX_CASE(setp_equ_f64, orNan<f64, equal<f64>>)
    PTX_CASE(setp_neu_f32, orNan<f32, unequal<f32>>)
    PTX_CASE(setp_neu_f64, orNan<f64, unequal<f64>>)
    PTX_CASE(setp_ltu_f32, orNan<f32, less<f32>>)
    PTX_CASE(setp_ltu_f64, orNan<f64, less<f64>>)
    PTX_CASE(setp_leu_f32, orNan<f32, lessEqual<f32>>)
    PTX_CASE(setp_leu_f64, orNan<f64, lessEqual<f64>>)
    PTX_CASE(setp_gtu_f32, orNan<f32, greater<f32>>)
    PTX_CASE(setp_gtu_f64, orNan<f64, greater<f64>>)
    PTX_CASE(setp_geu_f32, orNan<f32, greaterEqual<f32>>)
    PTX_CASE(setp_geu_f64, orNan<f64, greaterEqual<f64>>)
    PTX_BITS(selp, choose)
    PTX_FLOATS(selp, choose)
  default:
    return nullptr;
  }
}

Compute conversionsOf(Opcode opcode) {
  switch (opcode) {
    PTX_CASE(cvt_u16_u8, convertInteger<u16, u8>)
    PTX_CASE(cvt_s16_s8, convertInteger<s16, s8>)
    PTX_CASE(cvt_u32_u8, convertInteger<u32, u8>)
    PTX_CASE(cvt_s32_s8, convertInteger<s32, s8>)
    PTX_CASE(cvt_u64_u8, convertInteger<u64, u8>)
    PTX_CASE(cvt_s64_s8, convertInteger<s64, s8>)
    PTX_CASE(cvt_u32_u16, convertInteger<u32, u16>)
    PTX_CASE(cvt_s32_s16, convertInteger<s32, s16>)
    PTX_CASE(cvt_u64_u16, convertInteger<u64, u16>)
    PTX_CASE(cvt_s64_s16, convertInteger<s64, s16>)
    PTX_CASE(cvt_u64_u32, convertInteger<u64, u32>)
    PTX_CASE(cvt_s64_s32, convertInteger<s64, s32>)
    PTX_CASE(cvt_u16_u32, convertInteger<u16, u32>)
    PTX_CASE(cvt_u16_u64, convertInteger<u16, u64>)
    PTX_CASE(cvt_u32_u64, convertInteger<u32, u64>)
    PTX_CASE(cvt_rn_f32_s16, toFloat<f32, s16>)
    PTX_CASE(cvt_rn_f32_u16, toFloat<f32, u16>)
    PTX_CASE(cvt_rn_f32_s32, toFloat<f32, s32>)
    PTX_CASE(cvt_rn_f32_u32, toFloat<f32, u32>)
    PTX_CASE(cvt_rn_f32_s64, toFloat<f32, s64>)
    PTX_CASE(cvt_rn_f32_u64, toFloat<f32, u64>)
    PTX_CASE(cvt_rn_f64_s16, toFloat<f64, s16>)
    PTX_CASE(cvt_rn_f64_u16, toFloat<f64, u16>)
    PTX_CASE(cvt_rn_f64_s32, toFloat<f64, s32>)
    PTX_CASE(cvt_rn_f64_u32, toFloat<f64, u32>)
    PTX_CASE(cvt_rn_f64_s64, toFloat<f64, s64>)
    PTX_CASE(cvt_rn_f64_u64, toFloat<f64, u64>)
    PTX_CASE(cvt_rzi_s16_f32, toInteger<s16, f32>)
    PTX_CASE(cvt_rzi_u16_f32, toInteger<u16, f32>)
    PTX_CASE(cvt_rzi_s32_f32, toInteger<s32, f32>)
    PTX_CASE(cvt_rzi_u32_f32, toInteger<u32, f32>)
    PTX_CASE(cvt_rzi_s64_f32, toInteger<s64, f32>)
    PTX_CASE(cvt_rzi_u64_f32, toInteger<u64, f32>)
    PTX_CASE(cvt_rzi_s16_f64, toInteger<s16, f64>)
    PTX_CASE(cvt_rzi_u16_f64, toInteger<u16, f64>)
    PTX_CASE(cvt_rzi_s32_f64, toInteger<s32, f64>)
    PTX_CASE(cvt_rzi_u32_f64, toInteger<u32, f64>)
    PTX_CASE(cvt_rzi_s64_f64, toInteger<s64, f64>)
    PTX_CASE(cvt_rzi_u64_f64, toInteger<u64, f64>)
    PTX_CASE(cvt_rni_f32_f32, roundEven<f32>)
    PTX_CASE(cvt_rzi_f32_f32, roundZero<f32>)
    PTX_CASE(cvt_rmi_f32_f32, roundDown<f32>)
    PTX_CASE(cvt_rpi_f32_f32, roundUp<f32>)
    PTX_CASE(cvt_rni_f64_f64, roundEven<f64>)
    PTX_CASE(cvt_rzi_f64_f64, roundZero<f64>)
    PTX_CASE(cvt_rmi_f64_f64, roundDown<f64>)
    PTX_CASE(cvt_rpi_f64_f64, roundUp<f64>)
    PTX_CASE(cvt_f64_f32, widen)
    PTX_CASE(cvt_rn_f32_f64, narrow)
    PTX_CASE(cvt_f32_f16, widenHalf)
    PTX_CASE(cvt_f64_f16, widenHalfTwice)
    PTX_CASE(cvt_rn_f16_f32, narrowHalf)
    PTX_CASE(cvt_rn_f16x2_f32, narrowHalves)
    PTX_CASE(mov_pred, copy)
    PTX_CASE(mov_b16, copy)
    PTX_CASE(mov_b32, copy)
    PTX_CASE(mov_b64, copy)
    PTX_CASE(mov_u32, copy)
    PTX_CASE(mov_f32, copy)
    PTX_CASE(mov_f64, copy)
  default:
    return nullptr;
  }
}

template <typename T> bool isLeastByMinusOne(U a, U b) {
  return std::is_signed_v<T> && from<T>(a) == std::numeric_limits<T>::min() &&
         from<T>(b) == static_cast<T>(-1);
}

} // namespace

Compute computeOf(Opcode opcode) {
  for (auto family : {integersOf, floatsOf, comparisonsOf, conversionsOf})
    if (Compute compute = family(opcode))
      return compute;
  return nullptr;
}

bool dividesIntegers(Opcode opcode) {
  const std::string_view text = infoOf(opcode).text;
  return (text.starts_with("div.") || text.starts_with("rem.")) && !text.starts_with("div.rn");
}

bool hasNoQuotient(Opcode opcode, uint64_t a, uint64_t b) {
  const std::string_view type = infoOf(opcode).text.substr(4);
  return b == 0 || (type == "s16" && isLeastByMinusOne<s16>(a, b)) ||
         (type == "s32" && isLeastByMinusOne<s32>(a, b)) || (type == "s64" && isLeastByMinusOne<s64>(a, b));
}

} // namespace windlass::ptx
