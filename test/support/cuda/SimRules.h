// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimRules.h - violations of the rules of the simulated driver ==========//
//
// Duty: the rules by name, and the list of violations.
// Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace windlass::test {

enum class SimRule : uint8_t {
#define WINDLASS_SIM_RULE(Case, Name) Case,
#include "test/support/cuda/SimRules.def"
};

constexpr std::string_view nameOf(SimRule rule) {
  constexpr std::string_view kNames[] = {
#define WINDLASS_SIM_RULE(Case, Name) Name,
#include "test/support/cuda/SimRules.def"
  };
  return kNames[static_cast<size_t>(rule)];
}

struct SimViolation {
  SimRule rule;
  std::string what; ///< a text for people: the call and the bytes
};

using SimReport = std::function<void(SimRule rule, std::string what)>;

} // namespace windlass::test
