// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AlikeLaunches.h - what tensor-parallel ranks repeat ===================//
//
// Duty: tells of each launch of a training step whether all tensor-parallel ranks of a group compute the same
// of the same values: operations that they do not share out, because their number does not divide these. It
// follows values from where ranks begin to differ (parts of states, a rank's coordinate, operands in places
// of their own, sums over these ranks) to the launches that read them.
// Threads: built once, then const. Errors: none; the plan is well-formed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>
#include <vector>

namespace windlass::model {

class AlikeLaunches {
public:
  explicit AlikeLaunches(const plan::Plan &plan);

  /// How many ranks of a group compute the same as the instruction of a section does: all of them, or one.
  int64_t copies(size_t program, uint32_t section, size_t instruction) const {
    return ranks > 1 && alike[program][section][instruction] ? ranks : 1;
  }

private:
  int64_t ranks = 1;                                 ///< of a group
  std::vector<std::vector<std::vector<bool>>> alike; ///< by program, section and instruction
};

} // namespace windlass::model
