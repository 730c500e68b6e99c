// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimFaults.h"
#include <algorithm>
#include <charconv>
#include <random>

namespace windlass::test {

SimFault SimFault::bySeed(SimFaultKind kind, uint64_t seed, int64_t occasions) {
  std::mt19937_64 random(seed);
  return {kind, 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(occasions))};
}

std::optional<SimFault> SimFault::fromText(std::string_view text) {
  const size_t colon = text.find(':');
  const auto *const name = std::ranges::find(kSimFaultNames, text.substr(0, colon));
  if (name == std::end(kSimFaultNames) || colon == std::string_view::npos)
    return std::nullopt;
  SimFault fault{static_cast<SimFaultKind>(name - std::begin(kSimFaultNames))};
  const char *const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data() + colon + 1, end, fault.at);
  return error == std::errc() && read == end ? std::optional(fault) : std::nullopt;
}

bool SimFaults::strikes(SimFaultKind kind) {
  const int64_t occasion = ++occasions[static_cast<size_t>(kind)];
  return std::ranges::any_of(
      faults, [&](const SimFault &fault) { return fault.kind == kind && fault.at == occasion; });
}

} // namespace windlass::test
