// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimFaults.h - injected faults of a simulated device ===================//
//
// Duty: counts the occasions for each kind of fault, and decides whether an injected fault strikes.
// Threads: the caller locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace windlass::test {

enum class SimFaultKind : uint8_t {
#define WINDLASS_SIM_FAULT(Case, Name) Case,
#include "test/support/cuda/SimFaults.def"
};
inline constexpr std::string_view kSimFaultNames[] = {
#define WINDLASS_SIM_FAULT(Case, Name) Name,
#include "test/support/cuda/SimFaults.def"
};

struct SimFault {
  SimFaultKind kind;
  int64_t at = 1; ///< the occasion on which the fault strikes, counted from 1

  /// A fault on one of the first `occasions` occasions.
  static SimFault bySeed(SimFaultKind kind, uint64_t seed, int64_t occasions);
  /// Reads "launch-failed:12": a name of the table and an occasion. Returns nothing for any other text.
  static std::optional<SimFault> fromText(std::string_view text);
};

class SimFaults {
public:
  explicit SimFaults(std::vector<SimFault> faults = {}) : faults(std::move(faults)) {}
  /// Counts an occasion, and returns whether a fault strikes on it.
  bool strikes(SimFaultKind kind);

private:
  std::vector<SimFault> faults;
  std::array<int64_t, std::size(kSimFaultNames)> occasions{};
};

} // namespace windlass::test
