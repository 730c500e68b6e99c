// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeProblem.h - which activations of a layer are kept ============//
//
// Duty: the problem (the forward pass of one distinct layer: its operations, the values that they read and
// make, the values that the backward pass reads; and the memory and rates that all equal layers share), the
// solutions (which operations are repeated, so that fewer values are kept) and the text form of the problem.
// Cost: a lower bound of a micro-batch, max(compute + layers * repeated seconds, bytes away / link). Bytes
// that do not fit the device leave over the link and come back, both directions at once. Units: bytes of one
// rank, seconds. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

struct RecomputeValue {
  std::string id;
  int64_t bytes = 0;     ///< that it takes if kept; 0 for values that exist in any case, such as parameters
  bool isNeeded = false; ///< the backward pass reads it
};

/// Values are indices into RecomputeProblem::values. A value that no operation makes comes from outside of
/// the layer.
struct RecomputeOp {
  std::string id;
  double seconds = 0;
  std::vector<uint32_t> reads, makes;
};

struct RecomputeProblem {
  std::vector<RecomputeValue> values;
  std::vector<RecomputeOp> ops; ///< in program order
  int64_t layers = 1;           ///< equal ones
  int64_t device = INT64_MAX;   ///< bytes for the values that all layers keep
  int64_t host = 0;             ///< bytes for kept values that leave the device
  double link = 0;              ///< bytes per second, in the slower direction; 0: nothing leaves the device
  double compute = 0;           ///< seconds of a micro-batch without repetition
};

/// A choice for one layer: each operation is repeated in the backward pass, or those of its values are kept
/// that the backward pass reads.
struct RecomputeChoice {
  std::vector<bool> isRepeated; ///< per operation
  std::vector<bool> isKept;     ///< per value
  int64_t bytes = 0;            ///< of kept values
  double seconds = 0;           ///< of repeated operations
};

/// A Pareto front: each choice keeps fewer bytes, and repeats for more seconds, than the one before. For
/// every possible choice, the front has one with no more bytes and at most (1 + gap) times its seconds.
struct RecomputeFront {
  std::vector<RecomputeChoice> choices;
  double gap = 0;
};

struct RecomputeSolution {
  size_t choice = 0;     ///< index in the front
  int64_t away = 0;      ///< bytes of all layers that leave the device
  double cost = 0;       ///< seconds, of the formula above
  double lowerBound = 0; ///< of the cost of every choice
};

/// The choice that repeats certain operations, and keeps every other value that they or the backward pass
/// read.
RecomputeChoice chooseRepeated(const RecomputeProblem &problem, const std::vector<bool> &isRepeated);
/// Bytes of all layers that leave the device.
int64_t bytesAway(const RecomputeProblem &problem, int64_t bytes);
/// The cost of a choice that keeps so many bytes and repeats for so many seconds in each layer.
double recomputeCost(const RecomputeProblem &problem, int64_t bytes, double seconds);

/// One line per fact; see test/planning/Recompute for the grammar by example.
std::string printRecompute(const RecomputeProblem &problem);
Result<RecomputeProblem> parseRecompute(std::string_view text);

} // namespace windlass::planning
