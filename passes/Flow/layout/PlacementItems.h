// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementItems.h - the items that a placement assigns to tiers ========//
//
// Duty: lists the items of a module to which a placement assigns tiers, holds the tiers that are asked for
// them (pins), and writes the tiers of a placement on a module. An item is an activation checkpoint, or the
// homes of one class of one bucket: its parameters, its gradients, its moments.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/plan/PlacementClass.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace windlass::flow {

/// The tiers that are asked for the items of a class.
struct ClassPins {
  std::optional<plan::Tier> others;     ///< of items that `of` does not name; none: the planner decides
  std::map<std::string, plan::Tier> of; ///< by name of the bucket or checkpoint
  bool operator==(const ClassPins &) const = default;
};
using TierPins = std::map<plan::PlacementClass, ClassPins>;
/// The class of an item, and its bucket or checkpoint.
using ItemName = std::pair<plan::PlacementClass, std::string>;

/// Whether every item rests on the device.
bool allOnDevice(const TierPins &homes);

/// The item to which a home belongs. A home without a role holds an activation checkpoint in slots.
ItemName placementItem(HomeOp home);
/// The activation checkpoints of a section.
llvm::SmallVector<AllocOp> checkpointsOf(SectionOp section);

/// The items of a module: one entry for each home that has no tier yet, in the order of the module, and then
/// one for each activation checkpoint of each section. An item with several homes has several entries.
std::vector<ItemName> placementItems(mlir::ModuleOp module);
/// The same items by class, each once. Their tiers have no meaning: all are the device.
TierPins itemsOf(mlir::ModuleOp module);

/// Writes the tiers on a module or a copy of it. `homes` must have every item of the module.
void applyPlacement(mlir::ModuleOp module, const TierPins &homes);

} // namespace windlass::flow
