// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SmallestMachine.h - the smallest machine that a model fits ============//
//
// Duty: finds the fewest ranks of a kind of machine on which some plan fits, with the training file's work
// per rank: 1, 2, 4, ... ranks of a node, then 1, 2, 4, ... whole nodes. For that number, finds the least
// capacity of each tier, with the other tiers as they are, to one part in fifty. Units: bytes, as in the
// hardware file: of a device, of a node's host and NVMe. Errors: those of Fit.h; CannotFit if no number of
// ranks suffices. Threads: as compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Enums.h"
#include <vector>

namespace windlass {

struct LeastCapacity {
  plan::Tier tier = plan::Tier::Device;
  int64_t least = 0, given = 0;
};

struct SmallestMachine {
  int64_t ranks = 0, tooFew = 0; ///< tooFew: the most ranks known not to fit; 0: one rank fits
  std::vector<LeastCapacity> capacities;
};

Result<SmallestMachine> smallestMachine(const CompileRequest &request);

} // namespace windlass
