// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceBuiltins.h - functions that a plan's device code brings =========//
//
// Duty: how the functions of a plan's code for a GPU are called that no launch of the plan names, for who
// generates them (compiler/codegen) and who launches them. Every parameter has 8 bytes; grids lie along x.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace windlass {

/// Sums in rank order, to the bits of runtime/transport/OrderedSum.h: a function for each type that is
/// summed, with its name behind the prefix ("f32"). Parameters: where the sum goes, how many elements, how
/// many sources, and the addresses of kMostSummed sources, of which those behind the last count for nothing.
inline constexpr const char kOrderedSumPrefix[] = "windlass_ordered_sum_";
inline constexpr size_t kMostSummed = 16;
inline constexpr int64_t kSumElements = 1024; ///< of a block
inline constexpr unsigned kSumThreads = 256;

/// What tells whether a device computes as a host does. Parameters: where patterns lie, and where results go:
/// result r of pattern p is word r * kProbePatterns + p; what is narrower stands in the word's low bits.
inline constexpr const char kProbe[] = "windlass_probe";
enum class ProbeOperation {
#define WINDLASS_PROBE_OPERATION(Name, Result, Text) Name,
#include "runtime/base/ProbeOperations.def"
};
inline constexpr int64_t kProbeOperations = 0
#define WINDLASS_PROBE_OPERATION(Name, Result, Text) +1
#include "runtime/base/ProbeOperations.def"
    ;
struct ProbePattern {
  uint64_t a, b, c;
};
inline constexpr int64_t kProbePatterns = 4096;
inline constexpr unsigned kProbeThreads = 256; ///< a pattern each, in blocks of so many

} // namespace windlass
