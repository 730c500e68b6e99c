// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeProblem.h - which activations of a layer are kept ==========//
//
// Duty: the question (the forward pass of one distinct layer: its operations, the values they read and make,
// which of these the backward pass reads; and what the machine has for all layers that are alike), the
// answers (which operations are repeated, so that less is kept) and the text form of the question.
// Cost: a lower bound of a micro-batch: its computation, or the link if that is busy longer. What finds no
// room on the device leaves over the link and comes back.
// Units: bytes of one rank, seconds.
// Threads: values; no sharing.
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
  int64_t bytes = 0;     ///< that keeping it takes; 0 for what is there in any case, as parameters are
  bool isNeeded = false; ///< the backward pass reads it
};

/// Values are indices into RecomputeProblem::values. What no operation makes comes from outside of the layer.
struct RecomputeOp {
  std::string id;
  double seconds = 0;
  std::vector<uint32_t> reads, makes;
};

struct RecomputeProblem {
  std::vector<RecomputeValue> values;
  std::vector<RecomputeOp> ops; ///< in program order
  int64_t layers = 1;           ///< that are alike
  int64_t device = INT64_MAX;   ///< bytes for what all of them keep
  int64_t host = 0;             ///< bytes for what of it is away from the device
  double link = 0;              ///< bytes per second, in the slower direction; 0: nothing leaves the device
  double compute = 0;           ///< seconds of a micro-batch without repetition
};

/// One layer: an operation is repeated in its backward pass, or what it made and is read there is kept.
struct RecomputeChoice {
  std::vector<bool> isRepeated; ///< per operation
  std::vector<bool> isKept;     ///< per value
  int64_t bytes = 0;            ///< of what is kept
  double seconds = 0;           ///< of what is repeated
};

/// Choices none of which is better than another in both: the most bytes first, the fewest seconds.
/// Whatever else can be chosen, one of these takes no more bytes, and no more seconds than (1 + gap) times.
struct RecomputeFront {
  std::vector<RecomputeChoice> choices;
  double gap = 0;
};

struct RecomputeSolution {
  size_t choice = 0;     ///< of the front
  int64_t away = 0;      ///< bytes of all layers that leave the device
  double cost = 0;       ///< seconds, see above
  double lowerBound = 0; ///< no choice costs less
};

/// The choice that repeats certain operations: of what the backward pass and they read, the rest is kept.
RecomputeChoice chooseRepeated(const RecomputeProblem &problem, const std::vector<bool> &isRepeated);
/// Bytes of all layers that leave the device.
int64_t bytesAway(const RecomputeProblem &problem, int64_t bytes);
/// Of a choice that keeps so many bytes and repeats for so many seconds in each layer.
double recomputeCost(const RecomputeProblem &problem, int64_t bytes, double seconds);

/// One line per fact; see test/planning/Recompute for the grammar by example.
std::string printRecompute(const RecomputeProblem &problem);
Result<RecomputeProblem> parseRecompute(std::string_view text);

} // namespace windlass::planning
