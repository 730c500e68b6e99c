// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tolerances.h - when one step is faster than another ===================//
//
// Duty: the shares of a step's seconds by which planners compare plans, layouts and bounds, all in one place.
// Constants of one value stay apart where they answer different questions.
// Units: shares of seconds; those named `...Beyond` and `...Times` are multiples of seconds. None changes a
// number that is trained. Threads: constants. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass::planning {

/// Two steps are equally fast if their seconds differ by no larger share. The rates of a machine have three
/// digits, so that seconds are known to one part in 200. Compared with the difference of two simulated steps,
/// and of a step and a bound, for different candidates or homes.
inline constexpr double kNearly = 0.005;
/// Two layouts of one candidate are equally fast if their seconds differ by no larger share. The share is
/// smaller than kNearly, since the differences of all rounds of backfilling add up. Compared with the loss of
/// a layout by waits for memory, and by homes that move.
inline constexpr double kSameSpeed = 0.002;

/// Homes leave a device on which all of them fit only if the placement then costs less by this share.
/// Compared with the costs of two placements, whose cost is a lower bound of the step.
inline constexpr double kWorthLeaving = 0.02;
/// A neighbour of the best plan that takes more memory is taken only if its step is faster by this share.
/// Compared with the steps of the two plans.
inline constexpr double kWorthMemory = 0.05;
/// The device waits if it does not compute for at least this share of the step. Compared with the seconds of
/// a step, and those in which the device computes.
inline constexpr double kWaitingShare = 0.05;
/// The choice of recomputation is made anew if the decisions that follow it make the step faster by this
/// share. Compared with the step before these decisions, and after them.
inline constexpr double kReversingShare = 0.05;
/// A recomputation is kept as a rival if its step takes at most so many times the fastest, or the limit:
/// other decisions may make it the fastest. Compared with the step of its first plan, and that of another
/// recomputation or the limit.
inline constexpr double kCloseTimes = 1.05;
/// A step waits for messages if it takes more than so many times the computation and bubble of its stages.
/// Compared with the step of a pipeline, and the lower bound of its schedule.
inline constexpr double kWaitsBeyond = 1.05;

/// A layout gets no offsets if its step takes more than so many times the request's limit, although its
/// bytes fit. The limit may be exceeded by less, because homes that the first rounds place on the device may
/// cost more in waits than homes that later rounds place elsewhere. Compared with the step without offsets.
inline constexpr double kSlowBeyond = 1.1;
/// No other layout of a candidate is tried if one takes more than so many times the request's limit: neither
/// other reserves nor backfilled homes make up for that. Compared with the step of the best layout so far.
inline constexpr double kHopelessBeyond = 1.12;
/// A rival is left if its first plan takes more than so many times the limit. What is repeated in place of
/// kept, or the other way, is a third of what a step computes. Compared with the step of that plan.
inline constexpr double kRivalBeyond = 1.5;

} // namespace windlass::planning
