// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepCounts.h - bytes and seconds of a training step ================//
//
// Duty: the bytes and seconds of a step that do not depend on the order of its instructions; and those of a
// step with more layers of one kind, extrapolated from two steps with few of them. Units: bytes and seconds
// of one rank. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Enums.h"
#include "runtime/plan/PlacementClass.h"
#include <array>
#include <cstdint>

namespace windlass::planning {

struct StepCounts {
  /// Bytes that live on the device at one time, without those of homes and checkpoints.
  int64_t working = 0;
  /// Bytes that rest, by plan::PlacementClass; of checkpoints: as many as a micro-batch leaves.
  std::array<int64_t, plan::kPlacementClasses.size()> resting{};
  /// Seconds that the device computes, without updates.
  double compute = 0;
  /// Seconds that lanes are busy, by plan::Lane; of links between tiers without latencies, for requests may
  /// overlap and be of other sizes. 0 where strategies leave open what a lane does.
  std::array<double, plan::kLanes> busy{};
};

/// A lower bound of the counts of a step with `layers` more layers than `few` has. `more`: with one more.
/// Bytes at rest and busy seconds grow by the same from layer to layer, and so do the bytes that live at a
/// given moment of the step. The most over all moments is convex then: it lies on the line through the two
/// steps, or above it.
StepCounts extended(const StepCounts &few, const StepCounts &more, int64_t layers);

/// A lower bound of the counts of a step in which a share of the layers, 0 to 1, is as in `all`, and the
/// others as in `none`. `others`: of a step that has these others alone, which holds no more at any moment.
/// Seconds are shared out; the bytes are those of the smaller step, or of the others.
StepCounts between(const StepCounts &none, const StepCounts &all, const StepCounts &others, double share);

/// A lower bound of the bytes of the fullest of so many stages of a pipeline, which share out what `all`
/// holds: of the parts of a sum one is no less than their mean, and of what lives at one moment every stage
/// holds its own part at some moment. Seconds are 0: nobody says what a stage does.
StepCounts ofFullestStage(const StepCounts &all, int64_t stages);

} // namespace windlass::planning
