// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Simulator.h - plays a plan on a machine ===============================//
//
// Duty: simulates a plan's step: when every instruction starts and ends, on one rank of each program, and the
// figures that follow: the resource that binds the step, how busy lanes are, the share of transfers that is
// hidden. StepOfPlan.h makes timed tasks from the plan's lanes and waits and the machine's rates; the Player
// plays them. Units: seconds since the step began. Deterministic. Errors: BadInput for a plan whose waits
// never end, or that lacks a section of its step.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/StepOfPlan.h"
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::model {

struct SimulatedEvent {
  size_t program = 0;       ///< index into Plan::programs
  uint32_t section = 0;     ///< index into Program::sections
  int64_t microBatch = 0;   ///< its section's first of the step
  uint32_t instruction = 0; ///< index in its section
  double start = 0, end = 0;
  double work = 0; ///< seconds of one of the shared cores
};

struct Simulation {
  /// Of one rank of each program: section runs in order, instructions in plan order.
  std::vector<SimulatedEvent> events;
  /// Times of the same events by simulated rank, program by program: by data rank where some of the program's
  /// instructions have owners, else of one rank that stands for all. timesOf() finds those of a rank.
  std::vector<std::vector<TimeSpan>> times;
  double stepSeconds = 0;
  std::array<double, kLanes> busy{}; ///< seconds in which the lane had work
  std::string boundBy; ///< "compute", "nc_in", ..., "nvme" (both ways), "cores", "links.host", kBetweenNodes,
                       ///< or "waits" if nothing is busy half the step
  double boundSeconds = 0;    ///< busiest resource: no order of these instructions is faster
  double transferSeconds = 0; ///< sum over gg, cg and nc instructions
  double hiddenShare = 1;     ///< share of it during which a kernel ran on compute or host_compute
  double exposedSeconds = 0;  ///< with some transfer under way, and no kernel; of the rank with most

  plan::Prediction prediction(const Machine &machine) const;
};

/// Simulation::boundBy of a step that links between nodes bind.
inline constexpr std::string_view kBetweenNodes = "links.nodes";

/// When the events of a rank's program run on that rank, in their order. What another rank owns takes no
/// time.
std::span<const TimeSpan> timesOf(const plan::Plan &plan, const Simulation &simulation, int64_t rank);

Result<Simulation> simulateStep(const plan::Plan &plan, const Machine &machine, Links links = Links::Machine);

} // namespace windlass::model
