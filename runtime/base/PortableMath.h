// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PortableMath.h - functions with equal bits everywhere =================//
//
// Duty: the few transcendental functions whose bits decide a run. Every libm
// rounds its own way; these use only + - * / in f64, in a fixed order, so they
// give equal bits on every IEEE machine whose compiler does not contract.
// Accuracy: some 4 units in the last place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

/// Natural logarithm of a positive normal number.
double portableLog(double x);

struct SineCosine {
  double sine, cosine;
};

/// Of the angle 2 pi turn / 2^32.
SineCosine sineCosineOfTurn(uint32_t turn);

} // namespace windlass
