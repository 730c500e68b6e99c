// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingLimits.h - bounds of training files and of plans ==============//
//
// Duty: the largest numbers of a training loop that the reader of training files
// admits, and so the reader of plans.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

inline constexpr int64_t kMostMicroBatches = 1 << 16; ///< what a simulated step still gets through
inline constexpr double kMostLossScale = 1e30;        ///< its inverse still is a normal f32

} // namespace windlass
