// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanMutations.h - tests the checker on broken plans ===================//
//
// Duty: breaks a sound plan in every way at every instruction, and compares the checker with the oracle:
// harmful faults must be found, races must be reported with two instructions that do race, and harmless
// faults are listed and counted. Errors: fails the calling test. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <map>
#include <string>
#include <string_view>

namespace windlass::test {

struct FaultTally {
  int faults = 0;
  int caught = 0;         ///< faults that do harm, and that the checker found
  int named = 0;          ///< faults whose message names two instructions that race
  int harmlessPassed = 0; ///< faults that do no harm, and that the checker accepted
  int harmlessCaught = 0; ///< faults that do no harm, and that the checker found
};

/// The tallies by kind of fault.
using FaultTallies = std::map<std::string_view, FaultTally>;

/// Tries every kind at every instruction, or at one in `oneIn` instructions, drawn from the seed.
void breakEverywhere(const plan::Plan &sound, const std::string &label, uint64_t seed, FaultTallies &tallies,
                     uint64_t oneIn = 1);

void printTallies(const FaultTallies &tallies);

} // namespace windlass::test
