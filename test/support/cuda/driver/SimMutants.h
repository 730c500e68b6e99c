// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimMutants.h - programs that use the driver wrongly ================//
//
// Duty: the simulated driver's table as a program with one seeded mistake would use it: the mistake stands
// between the program and the driver. How many of these are found is the measure of trust in the rules.
// Ownership: one mutated table of a process at a time. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/driver/SimDriver.h"

namespace windlass::test {

enum class SimMutant : uint8_t {
  WaitDropped,     ///< a stream does not wait for an event
  MarkElsewhere,   ///< an event is recorded on another stream
  MarkTooLate,     ///< an event is used before it is recorded anew, for what its old record says
  CopyTooShort,    ///< the first few of the bytes go to the device
  NotPinned,       ///< host memory is copied from that was never registered
  ContextNotSet,   ///< a thread calls without having entered the context
  LaunchElsewhere, ///< a kernel runs on another stream
};
inline constexpr SimMutant kSimMutants[] = {
    SimMutant::WaitDropped, SimMutant::MarkElsewhere, SimMutant::MarkTooLate,     SimMutant::CopyTooShort,
    SimMutant::NotPinned,   SimMutant::ContextNotSet, SimMutant::LaunchElsewhere,
};

std::string_view nameOf(SimMutant mutant);
/// The rules that this mistake breaks, one or the other.
std::vector<SimRule> rulesBrokenBy(SimMutant mutant);

/// The simulated driver's table, on which the mistake happens at its `at`-th occasion, counted from 1.
cuda::Driver mutatedTable(SimMutant mutant, int64_t at);

} // namespace windlass::test
