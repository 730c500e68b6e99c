// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layouts.h - order and offsets of one module with given homes ========//
//
// Duty: lays out copies of a module: with the homes of a placement, materialises transfers, schedules
// sections, allocates offsets, and simulates the step that comes of it.
// Units: bytes of one rank by plan::Tier, seconds of a step. Errors: those of the passes and solvers; a
// layout that does not fit is none. Threads, ownership: as MLIR's; refers to module, machine and request.
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

/// What came of a layout. A slow one has no offsets, and its `step` is its `inOrder`.
struct Layout {
  Placement placement;
  TierBytes reserved{}, slack{}; ///< bytes kept from homes, and from the scheduler, when it was laid out
  TierBytes mostSlack{};         ///< with any slack between, it would be the same
  TierBytes leastBuffers{};      ///< live at once in program order: slack takes none of these
  PrefetchCredits prefetch;
  planning::Credits reach{1, 1, 1}; ///< groups under way at once, at most, in the memory there is
  bool isReordered = false;         ///< some section of the step has another order than the program's
  bool fitsInOrder = true;          ///< the live bytes of every section of the step fit
  SimulatedStep inOrder;            ///< before buffers have offsets, so that none waits for another's bytes
  SimulatedStep step;               ///< as it is laid out; of a layout that does not fit as `inOrder`
  std::array<ArenaUse, 3> arenas;
  std::optional<plan::Shortage> shortage; ///< where it does not fit, if asked for
  bool isSlow = false;
  bool isBound = false; ///< it was left before it had an order: `step` is what its homes take at least

  /// More slack makes nothing faster: the order alone is slow, or no section found another order than the
  /// program's in the memory that slack left, or waits for bytes that another buffer had before cost hardly
  /// any time.
  bool needsNoSlack() const;
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

  /// The layout of a placement, with bytes kept from homes (`reserved`, which the placement heeded) and from
  /// the scheduler (`slack`); it may not fit. It is left as slow, without offsets, where its order alone
  /// takes longer than `limit` seconds, or fits and takes clearly longer than the request's limit. Where
  /// homes and live bytes alone do not fit, it has no order, and its arenas are what these take.
  Result<LaidOut> layOut(Placement placement, const TierBytes &reserved, const TierBytes &slack,
                         double limit);
  bool fits(const std::array<ArenaUse, 3> &arenas) const;
  /// Packs the device of a layout that fits into as few bytes as the solver finds, unless the step then takes
  /// longer. While layouts are compared, a packing that fits is enough.
  Status tighten(LaidOut &laidOut) const;
  /// Hands the copy over, with its arenas written on it.
  mlir::OwningOpRef<mlir::ModuleOp> commit(LaidOut &laidOut) const;

private:
  /// Whether nobody asks what fills a layout that does not fit.
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
