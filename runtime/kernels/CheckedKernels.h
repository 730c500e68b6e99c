// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckedKernels.h - kernels of a device, held against the host's =======//
//
// Duty: a KernelSet that launches what another one launches, and everything once more on the host, on copies
// of the operands: generated code must leave the same bits, and so must products by reference. A product of a
// library must be as near to the exact one as any order of its sums brings it, and have the same bits when it
// is repeated. What operands hold is what a run gives them, so indices are in range and numbers of the size
// that they have.
// Ownership: keeps both sets; the plan outlives it, and so do the memories, which are looked for at each
// launch. Threads: launchers without a stream, one thread. Errors: RunFailed, naming kernel, operand and the
// first element or byte that differs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelSet.h"
#include "runtime/plan/Plan.h"
#include "runtime/tiers/DeviceMemory.h"
#include <functional>
#include <map>
#include <string>

namespace windlass {

/// The device tier of a rank.
using FindDevice = std::function<DeviceMemory *(int64_t rank)>;

/// `folder` holds Plan::kernelFiles, with code for the host of every kernel.
Result<std::shared_ptr<const KernelSet>> checkKernels(const plan::Plan &plan, const std::string &folder,
                                                      std::shared_ptr<const KernelSet> device,
                                                      FindDevice memory);

} // namespace windlass
