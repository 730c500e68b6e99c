// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StartingWeights.h - what a fresh run's parameters are =================//
//
// Duty: the weight files a plan names, opened and proven to be those it was
// compiled with, and the values of a state from them or from its initialiser.
// A piece of a state is read where it lies: no tensor is ever whole in memory.
// Errors: BadInput for a file that is missing, or has another size or hash.
// Threads: const use by many.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include "runtime/training/states/PackedHalves.h"
#include "runtime/training/states/States.h"
#include <map>
#include <string>
#include <vector>

namespace windlass {

class StartingWeights {
public:
  /// `folder`: where the files lie now, under their own names; empty: where the plan says.
  static Result<StartingWeights> open(const plan::Plan &plan, const std::string &folder);

  /// Element i of a state depends only on the files or, where they hold no such tensor, on the seed,
  /// the tensor's name and i. The source must not outlive these files.
  StateSource values(uint64_t seed) const;

private:
  /// Finds the elements of what is packed, which stand at no fixed distance.
  Status unpack(const plan::State &state);
  Status read(const plan::State &state, int64_t first, std::span<std::byte> out) const;

  /// Of a file, and the byte where it begins.
  using Place = std::pair<int32_t, int64_t>;

  std::vector<File> files; ///< as Plan::weights
  std::map<Place, PackedHalves> packed;
};

} // namespace windlass
