// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepCounts.h - bytes and seconds of a training step ===================//
//
// Duty: the bytes and seconds of a step that do not depend on the order of its instructions; and lower bounds
// of these for steps that are not lowered: with more layers, with layers of two kinds, and of one stage of a
// pipeline. Units: bytes and seconds of one rank. Threads: values; no sharing. Errors: none.
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

/// A lower bound of the counts of a step with `layers` more layers than the step of `few` has. `more`: the
/// counts of a step with one more layer than `few`. Bytes at rest and seconds grow by the same amount with
/// each layer, so that their extrapolation is exact. The bytes that live at one moment of the step grow by
/// the same amount, too. The maximum of these over all moments is a convex function of the number of layers,
/// so that the line through `few` and `more` is a lower bound of `working`.
StepCounts extended(const StepCounts &few, const StepCounts &more, int64_t layers);

/// A lower bound of the counts of a step in which a share of the layers (from 0 to 1) is lowered as in `all`,
/// and the other layers as in `none`. `others`: the counts of a step that has these other layers alone; such
/// a step holds no more bytes at any moment. Seconds are interpolated between `none` and `all`. Bytes are the
/// smaller ones of `none` and `all`; `working` is at least that of `others`.
StepCounts between(const StepCounts &none, const StepCounts &all, const StepCounts &others, double share);

/// A lower bound of the bytes of the stage that holds the most, where `stages` stages of a pipeline divide
/// the layers of `all` among themselves. The largest of several parts is no less than their mean. This holds
/// for bytes at rest, and for the bytes that live at one moment of `all`, since each stage holds its part of
/// these at some moment of its own. Seconds are 0, since the layers of a stage are not known.
StepCounts ofFullestStage(const StepCounts &all, int64_t stages);

} // namespace windlass::planning
