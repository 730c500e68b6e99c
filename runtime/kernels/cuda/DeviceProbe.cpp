// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/cuda/DeviceProbe.h"
#include "runtime/base/F16.h"
#include "runtime/cuda/Desk.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <span>

namespace windlass {

using cuda::CuAddress;
using cuda::Driver;

namespace {

enum class Kind { Float, Double, Bits };

struct Operation {
  Kind result;
  const char *text;
};
constexpr Operation kOperations[] = {
#define WINDLASS_PROBE_OPERATION(Name, Result, Text) {Kind::Result, Text},
#include "runtime/base/ProbeOperations.def"
};

constexpr int64_t kLanes = 32; ///< of a warp

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// splitmix64.
uint64_t draw(uint64_t &state) {
  uint64_t bits = state += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

/// A number's high bits: sign and exponent of `exponentBits`, from `low` on one of `count`.
uint64_t exponent(uint64_t drawn, int exponentBits, uint64_t low, uint64_t count) {
  return (drawn & 1) << exponentBits | (low + (drawn >> 1) % count);
}

/// One word, of which the low half is a number of f32, and the whole one of f64. Kinds: of like sizes, so
/// that sums are rounded; so small that products and quotients are subnormal; the ends of what there is; any
/// bits.
uint64_t drawWord(uint64_t kind, uint64_t &state) {
  constexpr uint32_t kEnds[] = {0,          0x80000000, 1,          0x80000001, 0x007FFFFF, 0x00800000,
                                0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000, 0xBF800000};
  const uint64_t bits = draw(state), drawn = draw(state);
  switch (kind % 4) {
  case 0:
    return exponent(drawn, 11, 1020, 7) << 52 | (bits & 0xFFFFF00000000u) |
           exponent(drawn >> 32, 8, 124, 7) << 23 | (bits & 0x7FFFFF);
  case 1:
    return exponent(drawn, 11, 0, 600) << 52 | (bits & 0xFFFFF00000000u) |
           exponent(drawn >> 32, 8, 0, 80) << 23 | (bits & 0x7FFFFF);
  case 2:
    return uint64_t(kEnds[drawn % std::size(kEnds)]) << 32 | kEnds[(drawn >> 32) % std::size(kEnds)];
  default:
    return bits;
  }
}

//===----------------------------------------------------------------------===//
// What the host makes of them
//===----------------------------------------------------------------------===//

float single(uint64_t word) { return std::bit_cast<float>(static_cast<uint32_t>(word)); }
double wide(uint64_t word) { return std::bit_cast<double>(word); }
int32_t integer(uint64_t word) { return static_cast<int32_t>(static_cast<uint32_t>(word)); }
uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

uint64_t shuffled(const std::vector<ProbePattern> &patterns, int64_t pattern) {
  std::array<uint32_t, kLanes> mixed{};
  const int64_t first = pattern / kLanes * kLanes;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    mixed[lane] = static_cast<uint32_t>(patterns[first + lane].a);
  for (const int64_t distance : {16, 8, 4, 2, 1}) {
    const std::array<uint32_t, kLanes> before = mixed;
    for (int64_t lane = 0; lane < kLanes; ++lane)
      mixed[lane] = before[lane] * 33 + before[lane ^ distance];
  }
  return mixed[pattern - first];
}

uint64_t compute(ProbeOperation operation, const std::vector<ProbePattern> &patterns, int64_t pattern) {
  const auto &[a, b, c] = patterns[pattern];
  switch (operation) {
  case ProbeOperation::MultiplyAdd32:
    return bitsOf(single(a) * single(b) + single(c));
  case ProbeOperation::Fused32:
    return bitsOf(std::fma(single(a), single(b), single(c)));
  case ProbeOperation::Quotient32:
    return bitsOf(single(a) / single(b));
  case ProbeOperation::Root32:
    return bitsOf(std::sqrt(std::abs(single(a))));
  case ProbeOperation::MultiplyAdd64:
    return bitsOf(wide(a) * wide(b) + wide(c));
  case ProbeOperation::Fused64:
    return bitsOf(std::fma(wide(a), wide(b), wide(c)));
  case ProbeOperation::Quotient64:
    return bitsOf(wide(a) / wide(b));
  case ProbeOperation::Root64:
    return bitsOf(std::sqrt(std::abs(wide(a))));
  case ProbeOperation::Narrow16:
    return bitsOf(widenF16(roundToF16(single(a))));
  case ProbeOperation::Widen16:
    return bitsOf(widenF16(static_cast<uint16_t>(a)));
  case ProbeOperation::Narrow32:
    return bitsOf(static_cast<float>(wide(a)));
  case ProbeOperation::Widen32:
    return bitsOf(static_cast<double>(single(a)));
  case ProbeOperation::FromInteger:
    return bitsOf(static_cast<float>(integer(a)));
  case ProbeOperation::ToInteger:
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<float>(integer(a)) / 256));
  case ProbeOperation::Shuffles:
    return shuffled(patterns, pattern);
  }
  return 0;
}

bool isEqual(Kind kind, uint64_t expected, uint64_t found) {
  if (expected == found)
    return true;
  switch (kind) {
  case Kind::Float:
    return std::isnan(single(expected)) && std::isnan(single(found)) && found >> 32 == 0;
  case Kind::Double:
    return std::isnan(wide(expected)) && std::isnan(wide(found));
  case Kind::Bits:
    return false;
  }
  return false;
}

std::string hex(uint64_t word) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(word));
  return text;
}

/// Memory of the device as long as it lives.
class Lent {
public:
  explicit Lent(const cuda::Context &context) : context(context) {}
  ~Lent() {
    if (address && !context.isGivenUp() && context.enter())
      context.driver().free(address);
  }
  Lent(const Lent &) = delete;

  Status take(size_t bytes) { return context.call<&Driver::allocate>(&address, bytes); }
  CuAddress address = 0;

private:
  const cuda::Context &context;
};

} // namespace

std::vector<ProbePattern> probePatterns() {
  uint64_t state = 1;
  std::vector<ProbePattern> patterns;
  for (int64_t pattern = 0; pattern < kProbePatterns; ++pattern) {
    const uint64_t kinds = draw(state);
    const uint64_t a = drawWord(kinds, state), b = drawWord(kinds >> 2, state);
    // Sums are told from fused ones by terms of like size: half of all patterns have them.
    patterns.push_back(pattern % 2
                           ? ProbePattern{a, b, drawWord(kinds >> 4, state)}
                           : ProbePattern{drawWord(0, state), drawWord(0, state), drawWord(0, state)});
  }
  return patterns;
}

std::vector<uint64_t> probeResults(const std::vector<ProbePattern> &patterns) {
  std::vector<uint64_t> results;
  for (int64_t operation = 0; operation < kProbeOperations; ++operation)
    for (int64_t pattern = 0; pattern < kProbePatterns; ++pattern)
      results.push_back(compute(static_cast<ProbeOperation>(operation), patterns, pattern));
  return results;
}

Status compareProbe(const cuda::DeviceFacts &device, const std::vector<ProbePattern> &patterns,
                    const std::vector<uint64_t> &found) {
  const std::vector<uint64_t> expected = probeResults(patterns);
  for (int64_t at = 0; at < std::ssize(expected); ++at) {
    const Operation &operation = kOperations[at / kProbePatterns];
    if (isEqual(operation.result, expected[at], found[at]))
      continue;
    const auto &[a, b, c] = patterns[at % kProbePatterns];
    return cuda::needs("a GPU that computes as a host does, but '" + device.name +
                       "' with its driver for CUDA " + cuda::releaseText(device.driverRelease) + " gets " +
                       operation.text + " wrong: of pattern " + std::to_string(at % kProbePatterns) + ", a " +
                       hex(a) + ", b " + hex(b) + ", c " + hex(c) + ", it makes " + hex(found[at]) +
                       ", not " + hex(expected[at]));
  }
  return Status::ok();
}

Status probeDevice(const std::shared_ptr<cuda::Context> &context, cuda::CuFunction probe) {
  const std::vector<ProbePattern> patterns = probePatterns();
  std::vector<uint64_t> found(static_cast<size_t>(kProbeOperations * kProbePatterns));
  const size_t given = patterns.size() * sizeof(ProbePattern), made = found.size() * sizeof(uint64_t);
  Lent from(*context), to(*context);
  WINDLASS_TRY(from.take(given));
  WINDLASS_TRY(to.take(made));
  const Result<std::unique_ptr<cuda::Desk>> desk = cuda::Desk::create(context, std::max(given, made));
  WINDLASS_TRY(desk.status());
  WINDLASS_TRY((*desk)->upload(from.address, std::as_bytes(std::span(patterns)).data(), given));
  std::array<void *, 2> parameters{&from.address, &to.address};
  void **const noExtra = nullptr;
  constexpr cuda::CuStream kNullStream = nullptr;
  WINDLASS_TRY(context->call<&Driver::launch>(probe, static_cast<unsigned>(kProbePatterns / kProbeThreads),
                                              1u, 1u, kProbeThreads, 1u, 1u, 0u, kNullStream,
                                              parameters.data(), noExtra));
  WINDLASS_TRY(context->await(kNullStream).in("the probe of '" + context->facts().name + "'"));
  WINDLASS_TRY((*desk)->offload(std::as_writable_bytes(std::span(found)).data(), to.address, made));
  return compareProbe(context->facts(), patterns, found);
}

} // namespace windlass
