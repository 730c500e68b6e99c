// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckedBackend.h - a backend compared with the host's kernels =========//
//
// Duty: a Backend that has the parts of another one, but that each launch on the device is made on the host
// as well, and must come to the same (CheckedKernels.h). For executors that launch on no stream. Ownership,
// threads, errors: as Backend; the plan must outlive it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"

namespace windlass {

std::unique_ptr<Backend> checkedBackend(std::unique_ptr<Backend> backend);

} // namespace windlass
