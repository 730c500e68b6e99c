// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaText.h - device code that tests write by hand ==================//
//
// Duty: PTX of what synthetic plans launch: products, a thread for each of their elements, and of the
// functions that every plan brings (runtime/base/DeviceBuiltins.h). Plain code, which a compiler would not
// write. Units: elements of f32. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Kernel.h"
#include <string>

namespace windlass::test {

inline constexpr int64_t kProductThreads = 128; ///< of a block

/// What begins a text.
std::string ptxHead();
/// C (+)= op(A) op(B), of one batch: parameters A, B, C, scratch, begin and end.
std::string productText(const std::string &symbol, const plan::MatmulSpec &spec);
/// The sums of f32, and the probe.
std::string builtinsText();

} // namespace windlass::test
