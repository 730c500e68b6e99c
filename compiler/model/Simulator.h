// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Simulator.h - plays a plan on a machine =============================//
//
// Duty: when every instruction of a step starts and ends on one rank (all ranks
// do the same at the same time), from the plan's lanes and waits and the
// machine's rates. With shared cores, kernels and copies that run at once share them.
// Units: seconds since the step began. Deterministic.
// Errors: a plan whose waits never come true is refused.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/model/Machine.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Plan.h"
#include <array>
#include <vector>

namespace windlass::model {

inline constexpr size_t kLanes = plan::kLanes;

struct SimulatorOptions {
  /// As `windlass-run --pace`: cg and gg leave the cores alone and every link has one clock for all ranks of
  /// its node.
  bool paced = false;
};

struct SimulatedEvent {
  plan::SectionKind section = plan::SectionKind::Only;
  int64_t microBatch = 0;   ///< its section's first of the step
  uint32_t instruction = 0; ///< index in its section
  double start = 0, end = 0;
  double work = 0; ///< seconds of one of the shared cores
};

struct Simulation {
  std::vector<SimulatedEvent> events; ///< section runs in order, instructions in plan order
  double stepSeconds = 0;
  std::array<double, kLanes> busy{}; ///< seconds in which the lane had work
  std::string boundBy; ///< "compute", "nc_in", ..., "nvme" (both ways), "cores", kBetweenNodes, or "waits"
                       ///< if nothing is busy half the step
  double boundSeconds = 0;    ///< busiest resource: no order of these instructions is faster
  double transferSeconds = 0; ///< sum over gg, cg and nc instructions
  double hiddenShare = 1;     ///< share of it during which a kernel ran on compute or host_compute

  plan::Prediction prediction(const Machine &machine) const;
};

/// What a step is bound by that waits for links between nodes.
inline constexpr std::string_view kBetweenNodes = "links.nodes";

/// The ranks that a collective of a plan runs over.
RankGroup groupOf(const plan::Plan &plan, const plan::Instruction &collective);

/// Seconds the instruction takes alone on its rank.
double instructionSeconds(const Machine &machine, const plan::Plan &plan,
                          const plan::Instruction &instruction, const SimulatorOptions &options = {});

/// One training step: only, or first, middle x (m-2), last.
Result<Simulation> simulateStep(const plan::Plan &plan, const Machine &machine,
                                const SimulatorOptions &options = {});

} // namespace windlass::model
