// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SmallestMachine.h - how small a machine holds the model =============//
//
// Duty: finds the fewest ranks of a kind of machine on which some plan fits, where every rank computes as
// much as the training file says: 1, 2, 4 and so on of a node, then 1, 2, 4 and so on whole nodes. And for
// that number the least capacity of each tier, the other tiers as they are, to one part in fifty.
// Units: bytes, as the hardware file has them: of a device, of a node's host and NVMe. Errors: those of
// Fit.h; CannotFit where no number of ranks helps. Threads: as compile().
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
  int64_t ranks = 0, tooFew = 0; ///< tooFew: the most that were found not to fit; 0: one rank fits
  std::vector<LeastCapacity> capacities;
};

Result<SmallestMachine> smallestMachine(const CompileRequest &request);

} // namespace windlass
