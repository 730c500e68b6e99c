// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layouts.h - order and offsets of one module with given homes ==========//
//
// Duty: lays out copies of a module with the homes of a placement: materialises transfers, schedules
// sections, allocates offsets, and simulates the step.
// Units: bytes of one rank, by plan::Tier; seconds of a step. Errors: those of the passes and solvers. A
// layout that does not fit is no error. Threads, ownership: as MLIR's; refers to the module, the machine and
// the request.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/layout/AllocateBuffers.h"
#include "passes/Flow/layout/PlaceStates.h"
#include "passes/Flow/layout/PrefetchCredits.h"
#include "passes/Flow/layout/SimulateLayout.h"

namespace windlass::flow {

inline constexpr std::array<plan::Tier, 3> kTiers = {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme};

/// The result of a layout. A layout that is slow before its buffers have offsets gets none; its `step` then
/// equals `inOrder`.
struct Layout {
  Placement placement;
  TierBytes reserved{};     ///< bytes that the placement left free of homes
  TierBytes slack{};        ///< bytes that the scheduler left free
  TierBytes mostSlack{};    ///< the layout is the same for every slack from `slack` to `mostSlack`
  TierBytes leastBuffers{}; ///< peak of the live bytes in program order; slack takes none of these bytes
  PrefetchCredits prefetch;
  planning::Credits reach{1, 1, 1}; ///< the most groups that the schedule has under way at once
  bool isReordered = false;         ///< some section of the step has an order that the scheduler found
  bool fitsInOrder = true;          ///< the live bytes of the order of every section of the step fit
  SimulatedStep inOrder; ///< the step without offsets: no buffer waits for memory that another one held
  SimulatedStep step;    ///< the step with offsets; equals `inOrder` if the layout does not fit
  std::array<ArenaUse, 3> arenas;
  std::optional<plan::Shortage> shortage; ///< where it does not fit, if asked for
  bool isSlow = false;                    ///< the step is too slow without offsets already
  bool isBound = false; ///< the layout was given up without an order: `step` is a lower bound from its homes

  /// Whether more slack cannot make the step of these homes faster. One of three things must hold: the layout
  /// is slow without offsets; or every section keeps its program order, for want of memory that the slack
  /// leaves; or waits for memory that another buffer held lengthen the step by no more than
  /// planning::kSameSpeed.
  bool needsNoSlack() const;
  /// Whether a layout of these homes with `other` as slack would be the same.
  bool isSameWith(const TierPins &homes, const TierBytes &other) const;
};

/// A layout with the copy of the module that has it.
struct LaidOut : Layout {
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class Layouts {
public:
  Layouts(mlir::ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request)
      : module(module), machine(machine), request(request) {}

  /// Lays out a copy of the module with the homes of `placement`. `reserved`: bytes of each tier that the
  /// placement left free of homes. `slack`: bytes of each tier that the scheduler is to leave free. `limit`:
  /// seconds of a step.
  ///
  /// The layout may not fit: ask fits() about its arenas. If the homes and the live bytes of the program
  /// order do not fit, and the request does not ask for the shortage, the layout has no order, and its arenas
  /// have these bytes. The layout is slow, and has no offsets, if its step without offsets takes clearly
  /// longer than `limit`; or if its live bytes fit and the step takes more than planning::kSlowBeyond times
  /// the request's limit.
  Result<LaidOut> layOut(Placement placement, const TierBytes &reserved, const TierBytes &slack,
                         double limit);
  bool fits(const std::array<ArenaUse, 3> &arenas) const;
  /// Packs the device of a layout that fits into as few bytes as the solver finds, unless the step then takes
  /// longer. While layouts are compared, a packing that fits is enough.
  Status tighten(LaidOut &laidOut) const;
  /// Writes the arenas on the copy of the module, and hands the copy over.
  mlir::OwningOpRef<mlir::ModuleOp> commit(LaidOut &laidOut) const;

private:
  /// Whether a layout that does not fit is of no use: the request does not ask for the shortage.
  bool mustFit() const { return !request.shortage; }
  Status schedule(LaidOut &next, InstructionCost &cost) const;
  Status allocate(LaidOut &next) const;
  Result<ArenaUse> allocateToFit(BufferAllocator &allocator, plan::Tier tier) const;
  Result<ArenaUse> allocateFreely(BufferAllocator &allocator, plan::Tier tier, int64_t enough) const;
  std::optional<plan::Shortage> shortageOf(const LaidOut &laidOut) const;

  mlir::ModuleOp module;
  const model::Machine &machine;
  const PlanMemoryRequest &request;
};

} // namespace windlass::flow
