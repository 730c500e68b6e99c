// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tolerances.h - when one step is faster than another =================//
//
// Duty: the shares of a step's seconds by which planners compare plans, layouts and bounds, all in one place.
// Units: shares; those named `...Beyond` are multiples. None changes a number that is trained.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass::planning {

/// Two steps take nearly the same time if they differ by no larger share: the rates of a machine have three
/// digits, so that seconds are known to one part in 200.
inline constexpr double kNearly = 0.005;
/// The same for the layouts of one candidate; less, because the differences of all backfilling rounds add up.
inline constexpr double kSameSpeed = 0.002;

/// Homes away from the device, if all homes fit on it, must save this share of the least seconds of a step.
inline constexpr double kWorthLeaving = 0.02;
/// A neighbour of the best plan that takes more memory must save this share of a step.
inline constexpr double kWorthMemory = 0.05;
/// The device waits if it computes for a smaller share of the step than one less this.
inline constexpr double kWaitingShare = 0.05;
/// Decisions after recomputation that save this share of a step may reverse the choice of recomputation.
inline constexpr double kReversingShare = 0.05;
/// A recomputation whose step takes at most so many times the fastest may be the fastest under other
/// decisions.
inline constexpr double kCloseTimes = 1.05;
/// A step that takes more than so many times the computation and bubble of its stages waits for messages.
inline constexpr double kWaitsBeyond = 1.05;

/// A layout that fits is left as slow if it takes more than so many times the limit: homes that the first
/// rounds place on the device may cost more in waits than homes that later rounds place elsewhere.
inline constexpr double kSlowBeyond = 1.1;
/// If a layout takes more than so many times the limit, no other layout of the candidate is tried: neither
/// reserves nor backfilled homes make up for that.
inline constexpr double kHopelessBeyond = 1.12;
/// If the first plan of a rival takes more than so many times the limit, the rival is left: what is repeated
/// in place of kept, or the other way, is a third of what a step computes.
inline constexpr double kRivalBeyond = 1.5;

} // namespace windlass::planning
