// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dice.h - seeded random numbers for tests ==============================//
//
// Duty: random numbers and choices from a seed, so that a failed seed can be run again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace windlass::test {

class Dice {
public:
  explicit Dice(unsigned seed) : random(seed) {}

  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  template <typename Value> Value oneOf(const std::vector<Value> &values) {
    return values[static_cast<size_t>(between(0, std::ssize(values) - 1))];
  }

private:
  std::mt19937 random;
};

} // namespace windlass::test
