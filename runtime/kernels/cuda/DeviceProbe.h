// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceProbe.h - whether a GPU computes as a host does =================//
//
// Duty: before anything of a plan runs on a GPU, it computes the operations of the probe's table
// (runtime/base/DeviceBuiltins.h) for patterns of bits that are ordinary, subnormal, infinite or drawn, and
// the results are held against the host's: for what an assembler or a driver makes of code, nothing else
// tells. Errors: CannotFit naming the device, its driver, the operation and the first pattern that came out
// wrong. Threads: one; nothing else uses the device's null stream.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DeviceBuiltins.h"
#include "runtime/cuda/Context.h"
#include <vector>

namespace windlass {

/// The same on every machine.
std::vector<ProbePattern> probePatterns();
/// What the host makes of them, laid out as the function of the device lays out its results.
std::vector<uint64_t> probeResults(const std::vector<ProbePattern> &patterns);
/// Ok, or the first result that is not the host's; all NaNs are equal.
Status compareProbe(const cuda::DeviceFacts &device, const std::vector<ProbePattern> &patterns,
                    const std::vector<uint64_t> &found);

/// Runs the function of a plan's code, in memory that is given back.
Status probeDevice(const std::shared_ptr<cuda::Context> &context, cuda::CuFunction probe);

} // namespace windlass
