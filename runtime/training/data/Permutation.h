// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Permutation.h - the order of an epoch =================================//
//
// Duty: a shuffle of [0, size) that needs no table: element i of the epoch is
// computed, so the whole data position of a run is one number.
// How: a Feistel network over the next even power of two, whose rounds are
// Philox under (seed, epoch); values outside the range walk on until inside.
// Threads: const values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

class Permutation {
public:
  /// 0 < size <= 2^62.
  Permutation(uint64_t size, uint64_t seed, uint64_t epoch);
  /// Where index (below size) goes; one-to-one on [0, size).
  uint64_t operator()(uint64_t index) const;

private:
  uint64_t encrypt(uint64_t value) const;

  uint64_t size, seed, epoch;
  uint32_t halfBits;
};

} // namespace windlass
