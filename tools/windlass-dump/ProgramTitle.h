// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProgramTitle.h - titles of the programs of a plan =====================//
//
// Duty: names the programs of a plan that has several; a plan of one program needs no titles.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <string>

namespace windlass::dump {

/// "program 1, ranks 2 to 3\n"; empty if the plan has one program.
inline std::string programTitle(const plan::Plan &plan, size_t number) {
  if (plan.programs.size() == 1)
    return "";
  const plan::Program &program = plan.programs[number];
  return "program " + std::to_string(number) + ", " +
         (program.ranks == 1
              ? "rank " + std::to_string(program.firstRank)
              : "ranks " + std::to_string(program.firstRank) + " to " + std::to_string(program.lastRank())) +
         "\n";
}

} // namespace windlass::dump
