// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimMutants.h - programs that use the driver wrongly ===================//
//
// Duty: a table of the simulated driver with one seeded mistake, which stands between the program and the
// driver. The number of mistakes that are found shows how far the rules can be trusted.
// Ownership: one mutated table of a process at a time. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/driver/SimDriver.h"

namespace windlass::test {

enum class SimMutant : uint8_t {
  WaitDropped,     ///< a stream does not wait for an event
  MarkElsewhere,   ///< an event is recorded on another stream
  MarkTooLate,     ///< an event is not recorded anew, so that its old record counts
  CopyTooShort,    ///< only the first few bytes go to the device
  NotPinned,       ///< host memory is copied without being registered
  ContextNotSet,   ///< a thread calls without entering the context
  LaunchElsewhere, ///< a kernel runs on another stream
};
inline constexpr SimMutant kSimMutants[] = {
    SimMutant::WaitDropped, SimMutant::MarkElsewhere, SimMutant::MarkTooLate,     SimMutant::CopyTooShort,
    SimMutant::NotPinned,   SimMutant::ContextNotSet, SimMutant::LaunchElsewhere,
};

std::string_view nameOf(SimMutant mutant);
/// The rules that this mistake can break; which of them depends on the run.
std::vector<SimRule> rulesBrokenBy(SimMutant mutant);

/// The table of the simulated driver, with the mistake at its `at`-th occasion, counted from 1.
cuda::Driver mutatedTable(SimMutant mutant, int64_t at);

} // namespace windlass::test
