// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ParallelFor.h - calls a function on several threads ===================//
//
// Duty: calls a function for each of several questions, on several threads. Every compilation has its own
// MLIR context, so that questions share nothing, and their answers do not depend on the threads. Errors:
// those that the function keeps; the first exception of a call is thrown when all calls have ended. Threads:
// returns when all calls have.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace windlass {

/// Calls `ask` with each of 0 ... count - 1, once. `jobs`: calls at a time; 0: one for each processor.
void parallelFor(size_t count, int64_t jobs, const std::function<void(size_t)> &ask);

} // namespace windlass
