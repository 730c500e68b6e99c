// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaText.h - device code written by hand ==============================//
//
// Duty: PTX of the kernels of synthetic plans: products, with one thread for each element, and the functions
// of every plan (runtime/base/DeviceBuiltins.h). The code is plain, as no compiler would write it. Units:
// elements of f32. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Kernel.h"
#include <string>

namespace windlass::test {

inline constexpr int64_t kProductThreads = 128; ///< of a block

/// The beginning of every text.
std::string ptxHead();
/// C (+)= op(A) op(B), of one batch. Parameters: A, B, C, scratch, begin and end.
std::string productText(const std::string &symbol, const plan::MatmulSpec &spec);
/// The ordered sum of f32, and the probe.
std::string builtinsText();

} // namespace windlass::test
