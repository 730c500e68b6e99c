// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every opcode that computes, on corner cases, with a reference that follows the parts of its text
// and computes with more bits than the result has.

#include "test/support/ptx/PtxArithmetic.h"
#include "test/support/ptx/PtxMachine.h"
#include "test/support/ptx/PtxOpcodeKernel.h"
#include "test/support/ptx/PtxReader.h"
#include "test/support/ptx/PtxText.h"

#include <bit>
#include <cmath>
#include <optional>
#include <random>

using namespace windlass;
using namespace windlass::ptx;

namespace {

using Wide = __int128;
using Quad = __float128;

constexpr uint32_t kNan = 0x7fffffff;

std::vector<std::string> partsOf(std::string_view text) {
  std::vector<std::string> parts(1);
  for (char mark : text)
    if (mark == '.')
      parts.emplace_back();
    else
      parts.back() += mark;
  return parts;
}

/// A type such as s32, with its conversions of bits and of numbers.
struct Type {
  explicit Type(const std::string &text)
      : kind(text == "pred" ? 'p' : text[0]), bits(text == "pred" ? 1 : std::stoi(text.substr(1))) {}

  bool isFloat() const { return kind == 'f'; }
  Wide integer(uint64_t value) const {
    const Wide whole = value & mask();
    return kind == 's' && (whole >> (bits - 1)) ? whole - (Wide(1) << bits) : whole;
  }
  uint64_t mask() const { return bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1; }
  uint64_t wrap(Wide value) const { return static_cast<uint64_t>(value) & mask(); }
  double number(uint64_t value) const {
    return bits == 32 ? std::bit_cast<float>(static_cast<uint32_t>(value)) : std::bit_cast<double>(value);
  }
  /// The nearest number of the type.
  uint64_t round(Quad value) const {
    if (bits == 64)
      return std::bit_cast<uint64_t>(static_cast<double>(value));
    const auto single = static_cast<float>(value);
    return std::isnan(single) ? kNan : std::bit_cast<uint32_t>(single);
  }
  Wide least() const { return kind == 's' ? -(Wide(1) << (bits - 1)) : 0; }
  Wide most() const { return (Wide(1) << (kind == 's' ? bits - 1 : bits)) - 1; }

  char kind;
  int bits;
};

/// a + b with the last bit set if digits were lost, so that rounding the result again rounds only once.
Quad addOdd(Quad a, Quad b) {
  const Quad sum = a + b;
  if (!(sum - sum == 0) || sum == 0)
    return sum;
  const Quad part = sum - a, lost = (a - (sum - part)) + (b - part);
  auto digits = std::bit_cast<unsigned __int128>(sum);
  if (lost == 0 || (digits & 1))
    return sum;
  const bool isAway = (lost > 0) == (sum > 0);
  digits = isAway ? digits + 1 : digits - 1;
  return std::bit_cast<Quad>(digits);
}

/// The square root as a Quad, by Newton's method, so that its rounding to the type is that of the exact root.
Quad rootOf(double x) {
  if (!(x > 0) || std::isinf(x))
    return x == 0 || x > 0 ? Quad(x) : Quad(NAN);
  Quad root = 1;
  int exponent = 0;
  Quad scaled = std::frexp(x, &exponent); // in [0.5, 1)
  if (exponent % 2 != 0)
    scaled *= 2, --exponent;
  for (int turn = 0; turn < 8; ++turn)
    root = (root + scaled / root) / 2; // converges to the last bits of a Quad
  return root * static_cast<Quad>(std::ldexp(1.0, exponent / 2));
}

Wide floorQuotient(Wide value, uint64_t shift) { return shift > 126 ? (value < 0 ? -1 : 0) : value >> shift; }

std::optional<uint64_t> integerReference(const std::vector<std::string> &parts, const Type &type, uint64_t a,
                                         uint64_t b, uint64_t c) {
  const std::string &op = parts[0];
  const Wide x = type.integer(a), y = type.integer(b);
  const bool isWide = parts[1] == "wide", isHigh = parts[1] == "hi";
  if (op == "add" || op == "sub")
    return type.wrap(op == "add" ? x + y : x - y);
  if (op == "mul" && isHigh) // no Wide holds every product of u64
    return type.wrap(type.kind == 's' ? x * y >> type.bits
                                      : static_cast<Wide>(static_cast<unsigned __int128>(x) *
                                                              static_cast<unsigned __int128>(y) >>
                                                          type.bits));
  if (op == "mul" || op == "mad") {
    const auto product = static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y);
    const auto sum = product + (op == "mad" ? c : 0);
    return isWide ? static_cast<uint64_t>(sum) & (type.bits == 16 ? 0xFFFFFFFF : UINT64_MAX)
                  : type.wrap(static_cast<Wide>(sum));
  }
  if (op == "div" || op == "rem")
    return type.wrap(op == "div" ? x / y : x % y);
  if (op == "min" || op == "max")
    return type.wrap((op == "min") == (x < y) ? x : y);
  if (op == "neg" || op == "abs")
    return type.wrap(op == "abs" && x > 0 ? x : -x);
  if (op == "not")
    return type.wrap(-1 - x);
  if (op == "and" || op == "or" || op == "xor") {
    uint64_t bits = 0;
    for (int bit = 0; bit < type.bits; ++bit) {
      const int count = static_cast<int>(a >> bit & 1) + static_cast<int>(b >> bit & 1);
      bits |= uint64_t(op == "and" ? count == 2 : op == "or" ? count > 0 : count == 1) << bit;
    }
    return bits;
  }
  if (op == "shl")
    return b >= static_cast<uint64_t>(type.bits)
               ? 0
               : type.wrap(static_cast<Wide>(static_cast<unsigned __int128>(x) << b));
  if (op == "shr")
    return type.wrap(floorQuotient(x, b));
  if (op == "selp")
    return c ? a : b;
  if (op == "mov")
    return a;
  if (op == "shf") {
    const unsigned __int128 both = static_cast<unsigned __int128>(b << 32 | a) << 32;
    return type.wrap(static_cast<Wide>(parts[1] == "l" ? both << (c % 32) >> 64 : both >> (c % 32) >> 32));
  }
  if (op == "bfe") { // bit by bit, as in the manual
    const int last = type.bits - 1, from = static_cast<int>(b & 255), count = static_cast<int>(c & 255);
    const bool fill = type.kind == 's' && count > 0 && (a >> std::min(from + count - 1, last) & 1) != 0;
    uint64_t result = 0;
    for (int bit = 0; bit <= last; ++bit) {
      const bool isIn = bit < count && from + bit <= last;
      result |= uint64_t(isIn ? (a >> (from + bit) & 1) != 0 : fill) << bit;
    }
    return result;
  }
  if (op == "prmt") {
    const uint64_t pool = b << 32 | a;
    uint64_t result = 0;
    for (int place = 0; place < 4; ++place) {
      const auto choice = static_cast<unsigned>(c >> (4 * place) & 15);
      const auto byte = static_cast<uint8_t>(pool >> (8 * (choice % 8)));
      const auto chosen = static_cast<uint8_t>(choice < 8 ? byte : byte >> 7 ? 255 : 0);
      result |= uint64_t(chosen) << (8 * place);
    }
    return result;
  }
  return std::nullopt;
}

std::optional<uint64_t> floatReference(const std::vector<std::string> &parts, const Type &type, uint64_t a,
                                       uint64_t b, uint64_t c) {
  const std::string &op = parts[0];
  const double x = type.number(a), y = type.number(b), z = type.number(c);
  const uint64_t sign = uint64_t(1) << (type.bits - 1);
  if (op == "add" || op == "sub")
    return type.round(addOdd(x, op == "add" ? y : -y));
  if (op == "mul")
    return type.round(Quad(x) * y);
  if (op == "div")
    return type.round(Quad(x) / y);
  if (op == "fma")
    return type.round(addOdd(Quad(x) * y, z));
  if (op == "rcp")
    return type.round(1 / Quad(x));
  if (op == "sqrt")
    return type.round(rootOf(x));
  if (op == "neg" || op == "abs")
    return std::isnan(x) ? type.round(NAN) : op == "neg" ? a ^ sign : a & ~sign;
  if (op == "copysign")
    return (b & ~sign) | (a & sign);
  if (op == "selp")
    return c ? a : b;
  if (op == "mov")
    return a;
  if (op == "min" || op == "max") {
    const bool passes = parts[1] == "NaN";
    if (std::isnan(x) || std::isnan(y))
      return passes || (std::isnan(x) && std::isnan(y)) ? type.round(NAN) : std::isnan(x) ? b : a;
    if (x == y)
      return op == "min" ? a | b : a & b; // zeros may differ in their sign
    return (op == "min") == (x < y) ? a : b;
  }
  return std::nullopt;
}

std::optional<uint64_t> compareReference(const std::string &how, const Type &type, uint64_t a, uint64_t b) {
  const bool isNan = type.isFloat() && (std::isnan(type.number(a)) || std::isnan(type.number(b)));
  if (how == "num" || how == "nan")
    return isNan == (how == "nan");
  if (isNan)
    return how.size() == 3;
  const std::string base = how.substr(0, 2);
  int order = 0;
  if (type.isFloat())
    order = type.number(a) < type.number(b) ? -1 : type.number(a) > type.number(b);
  else
    order = type.integer(a) < type.integer(b) ? -1 : type.integer(a) > type.integer(b);
  if (base == "eq" || base == "ne")
    return (order == 0) == (base == "eq");
  if (base == "lt" || base == "ge")
    return (order < 0) == (base == "lt");
  if (base == "gt" || base == "le")
    return (order > 0) == (base == "gt");
  return std::nullopt;
}

/// The value of 16 bits as an f16.
double halfOf(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), digits = static_cast<int>(bits & 1023);
  const double size = exponent == 31  ? (digits ? NAN : INFINITY)
                      : exponent == 0 ? std::ldexp(digits, -24)
                                      : std::ldexp(1024 + digits, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

/// The nearest f16, found by search. Infinity stands for 65536.
uint64_t nearestHalf(double value) {
  if (std::isnan(value))
    return 0x7fff;
  const double size = std::fabs(value);
  auto place = [](uint32_t half) { return half == 0x7c00 ? 65536.0 : halfOf(half); };
  uint32_t low = 0, high = 0x7c00;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (place(middle) <= size ? low : high) = middle;
  }
  const double below = size - place(low), above = place(high) - size;
  const uint32_t nearest = below < above || (below == above && low % 2 == 0) ? low : high;
  return nearest | (std::signbit(value) ? 0x8000 : 0);
}

/// Rounds to an integral number in the direction of a modifier.
double integral(const std::string &how, double value) {
  if (!(std::fabs(value) < 4503599627370496.0))
    return value;
  const auto cut = static_cast<double>(static_cast<int64_t>(value));
  const double rest = value - cut;
  double result = cut;
  if (how == "rmi" && rest < 0)
    result -= 1;
  if (how == "rpi" && rest > 0)
    result += 1;
  if (how == "rni" &&
      (std::fabs(rest) > 0.5 || (std::fabs(rest) == 0.5 && static_cast<int64_t>(cut) % 2 != 0)))
    result += rest > 0 ? 1 : -1;
  return std::copysign(result, value);
}

std::optional<uint64_t> convertReference(const std::vector<std::string> &parts, uint64_t a, uint64_t b) {
  if (parts[2] == "f16x2")
    return nearestHalf(Type("f32").number(a)) << 16 | nearestHalf(Type("f32").number(b));
  const Type to(parts[parts.size() - 2]), from(parts.back());
  const std::string how = parts.size() == 4 ? parts[1] : "";
  if (!to.isFloat() && !from.isFloat())
    return to.wrap(from.integer(a));
  if (!from.isFloat())
    return to.round(static_cast<Quad>(from.integer(a)));
  const double value = from.bits == 16 ? halfOf(static_cast<uint32_t>(a)) : from.number(a);
  if (to.bits == 16 && to.isFloat())
    return nearestHalf(value);
  if (to.isFloat())
    return to.round(how.size() == 3 && how != "rn" ? integral(how, value) : value);
  if (std::isnan(value))
    return from.bits == 64 || to.bits == 64 ? uint64_t(1) << (to.bits - 1) : 0;
  if (Quad(value) >= static_cast<Quad>(to.most()))
    return to.wrap(to.most());
  return to.wrap(Quad(value) <= static_cast<Quad>(to.least()) ? to.least() : static_cast<Wide>(Quad(value)));
}

/// The result of an opcode by its text; none if the text is not understood.
std::optional<uint64_t> reference(std::string_view text, uint64_t a, uint64_t b, uint64_t c) {
  const std::vector<std::string> parts = partsOf(text);
  if (parts[0] == "setp")
    return compareReference(parts[1], Type(parts[2]), a, b);
  if (parts[0] == "cvt")
    return convertReference(parts, a, b);
  const Type type(parts.back());
  return type.isFloat() ? floatReference(parts, type, a, b, c) : integerReference(parts, type, a, b, c);
}

std::vector<uint64_t> corners(char letter, bool isFloat, bool few) {
  std::vector<uint64_t> values = {0,  1,  2,  3,  5,    7,    8,    15,     16,     17,     31,    32,
                                  33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x7531, 0x7fff, 0x8000, 0xffff};
  std::vector<double> numbers = {0.0,          -0.0,
                                 1.0,          -1.0,
                                 0.5,          -0.5,
                                 1.5,          2.5,
                                 -2.5,         0.1,
                                 -3.75,        1e-8,
                                 65504,        65519.9,
                                 65520,        65536,
                                 1e10,         -1e10,
                                 1e-41,        3e-39,
                                 1e38,         -3e38,
                                 0x1p-24,      0x1p-25,
                                 0x1p-149,     2147483647,
                                 -0x1p31,      0x1p31,
                                 0x1p32,       0x1p63,
                                 0x1p64,       -0x1p63,
                                 INFINITY,     -INFINITY,
                                 0x1.000002p0, 0x1.fffffep127,
                                 0x1p-126,     0.3333333432674408};
  if (letter == 'w' && isFloat) {
    values = {0x7fc00000, 0xffc12345, 0x7f800001};
    for (double number : numbers)
      values.push_back(std::bit_cast<uint32_t>(static_cast<float>(number)));
  } else if (letter == 'd' && isFloat) {
    values = {0x7ff8000000000000, 0xfff8000000001234, 0x7ff0000000000001, 1,
              0x000fffffffffffff, 0x7fefffffffffffff};
    for (double number : numbers)
      values.push_back(std::bit_cast<uint64_t>(number));
  } else if (letter == 'h' && isFloat) {
    values = {0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x5640};
  } else if (letter == 'w' || letter == 'd') {
    for (uint64_t value : {0x7fffffffull, 0x80000000ull, 0xffffffffull, 0xdeadbeefull})
      values.push_back(value);
    if (letter == 'd')
      for (uint64_t value :
           {0x100000000ull, 0x7fffffffffffffffull, 0x8000000000000000ull, ~0ull, 0x0123456789abcdefull})
        values.push_back(value);
  } else if (letter == 'p') {
    return {0, 1};
  }
  std::mt19937_64 random(7);
  const uint64_t mask = letter == 'h' ? 0xffff : letter == 'w' ? 0xffffffff : UINT64_MAX;
  for (int count = few ? 3 : 40; count > 0; --count)
    values.push_back(random() & mask);
  return values;
}

bool isFloatOperand(const OpcodeInfo &info, size_t number) {
  const std::vector<std::string> parts = partsOf(info.text);
  return parts.back()[0] == 'f' && info.operands[number] != 'p' && parts[0] != "shl";
}

/// Every combination of the corner cases of the sources. Per source: its value in each thread.
std::vector<std::vector<uint64_t>> casesOf(const OpcodeInfo &info, Opcode opcode) {
  const size_t sources = info.operands.size() - 1;
  std::vector<std::vector<uint64_t>> values;
  for (size_t source = 1; source <= sources; ++source)
    values.push_back(corners(info.operands[source], isFloatOperand(info, source), sources == 3));
  std::vector<std::vector<uint64_t>> cases(sources);
  std::vector<size_t> place(sources);
  for (bool isDone = false; !isDone;) {
    const uint64_t a = values[0][place[0]], b = sources > 1 ? values[1][place[1]] : 0;
    if (!dividesIntegers(opcode) || !hasNoQuotient(opcode, a, b))
      for (size_t source = 0; source < sources; ++source)
        cases[source].push_back(values[source][place[source]]);
    isDone = true;
    for (size_t source = 0; source < sources && isDone; ++source)
      if (++place[source] < values[source].size())
        isDone = false;
      else
        place[source] = 0;
  }
  while (cases[0].size() % kLanes != 0)
    for (auto &one : cases)
      one.push_back(one.front());
  return cases;
}

bool isSame(const OpcodeInfo &info, uint64_t found, uint64_t expected) {
  if (found == expected)
    return true;
  const std::vector<std::string> parts = partsOf(info.text);
  const bool isDouble = info.operands[0] == 'd' &&
                        (parts.back() == "f64" || parts[1] == "f64" || parts[1] == "rn") &&
                        (parts[0] != "cvt" || parts[parts.size() - 2] == "f64");
  return isDouble && std::isnan(std::bit_cast<double>(found)) && std::isnan(std::bit_cast<double>(expected));
}

void check(Opcode opcode) {
  const OpcodeInfo &info = infoOf(opcode);
  SCOPED_TRACE(std::string(info.text));
  Result<Module> module = load(opcodeKernel(info));
  ASSERT_TRUE(module.isOk()) << module.status().message() << opcodeKernel(info);
  const auto cases = casesOf(info, opcode);
  const size_t count = cases[0].size();
  Allocations memory;
  std::vector<uint64_t> addresses = {memory.allocate("result", count * bytesOf(info.operands[0]))};
  for (size_t source = 0; source < cases.size(); ++source) {
    const int bytes = bytesOf(info.operands[source + 1]);
    std::vector<uint8_t> packed(count * bytes);
    for (size_t number = 0; number < count; ++number)
      std::memcpy(&packed[number * bytes], &cases[source][number], bytes);
    addresses.push_back(memory.place("source", packed.data(), packed.size()));
  }
  const auto parameters = parametersOf(addresses);
  Result<std::vector<Touched>> done = launch({.kernel = &module->kernels[0],
                                              .blocks = static_cast<uint32_t>(count / kLanes),
                                              .parameters = parameters,
                                              .variables = {}},
                                             memory);
  ASSERT_TRUE(done.isOk()) << done.status().message();
  for (size_t number = 0; number < count; ++number) {
    uint64_t found = 0;
    memory.read(addresses[0] + number * bytesOf(info.operands[0]), &found, bytesOf(info.operands[0]));
    const uint64_t a = cases[0][number], b = cases.size() > 1 ? cases[1][number] : 0,
                   c = cases.size() > 2 ? cases[2][number] : 0;
    const std::optional<uint64_t> expected = reference(info.text, a, b, c);
    ASSERT_TRUE(expected) << "no reference";
    ASSERT_TRUE(isSame(info, found, *expected))
        << std::hex << "of " << a << ", " << b << ", " << c << ": " << found << " instead of " << *expected;
  }
}

TEST(PtxArithmetic, everyOpcodeHasTheValuesThatItsTextSays) {
  int count = 0;
#define PTX_COMPUTE(name, text, operands)                                                                    \
  check(Opcode::name);                                                                                       \
  ++count;
#include "compiler/codegen/ptx/PtxOpcodes.def"
  EXPECT_GT(count, 200);
}

TEST(PtxArithmetic, whatDiffersFromTheProcessorThatExecutesIt) {
  auto value = [](Opcode opcode, uint64_t a, uint64_t b = 0) {
    Lanes result{}, x{}, y{};
    x[0] = a, y[0] = b;
    computeOf(opcode)(result, x, y, y, 1);
    return result[0];
  };
  constexpr uint32_t kInfinity = 0x7f800000, kMinusInfinity = 0xff800000, kOne = 0x3f800000;
  EXPECT_EQ(value(Opcode::sub_rn_f32, kInfinity, kInfinity), kNan);
  EXPECT_EQ(value(Opcode::mul_rn_f32, 0xffc12345, kOne), kNan);
  EXPECT_EQ(value(Opcode::cvt_rzi_s32_f32, kMinusInfinity), 0x80000000u);
  EXPECT_EQ(value(Opcode::cvt_rzi_s32_f32, kInfinity), 0x7fffffffu);
  EXPECT_EQ(value(Opcode::cvt_rzi_s32_f32, kNan), 0u);
  EXPECT_EQ(value(Opcode::cvt_rzi_u32_f32, 0xbf800000), 0u);
  EXPECT_EQ(value(Opcode::cvt_rzi_s64_f32, kNan), 0x8000000000000000u);
  EXPECT_EQ(value(Opcode::shl_b32, 1, 32), 0u);
  EXPECT_EQ(value(Opcode::shr_s32, 0x80000000, 77), 0xffffffffu);
  EXPECT_EQ(value(Opcode::shr_u64, ~0ull, 64), 0u);
  EXPECT_EQ(value(Opcode::max_f32, kNan, kOne), kOne);
  EXPECT_EQ(value(Opcode::max_NaN_f32, kNan, kOne), kNan);
  EXPECT_EQ(value(Opcode::min_f32, 0, 0x80000000), 0x80000000u);
}

} // namespace
