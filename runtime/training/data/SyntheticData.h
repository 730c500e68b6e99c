// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SyntheticData.h - examples from a seed ================================//
//
// Duty: data for a first run and for benchmarks, learnable on purpose: a token
// mostly follows its predecessor by one, a class shifts the features it owns,
// targets repeat the features.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/data/DataSource.h"

namespace windlass {

class SyntheticData final : public DataSource {
public:
  static Result<std::unique_ptr<DataSource>> open(uint64_t seed, const plan::Plan &plan);
  Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const override;

private:
  void tokens(int64_t example, int64_t bound, int64_t skip, std::span<std::byte> out) const;
  void classes(int64_t example, int64_t bound, std::span<std::byte> out) const;
  void features(int64_t example, std::span<std::byte> out) const;

  uint64_t seed = 1;
  int64_t classBound = 0;   ///< of the Classes input; 0 if there is none
  int64_t featureCount = 0; ///< per example; 0 if there are none
};

} // namespace windlass
