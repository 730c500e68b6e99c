// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dice.h - what random tests draw from ===================================//
//
// Duty: numbers and choices that follow from a seed, so that a seed that failed can be run again by its
// number.
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

  /// Of `low` to `high`, both included.
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
