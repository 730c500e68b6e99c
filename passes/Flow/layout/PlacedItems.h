// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacedItems.h - what has a tier of its own ==========================//
//
// Duty: the items of a module that are placed, each the homes of one class of a bucket, or an activation
// checkpoint; the tiers that are asked for them; and the tiers written on a module.
// Threads, ownership: as MLIR's.
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

/// The item that a home without a tier is of. Without a role it holds an activation checkpoint in slots.
ItemName placedItem(HomeOp home);
/// The activation checkpoints of a section.
llvm::SmallVector<AllocOp> checkpointsOf(SectionOp section);

/// The items of a module, of those homes that have no tier yet, and of checkpoints: in its
/// order. An item stands there as often as it has homes.
std::vector<ItemName> placedItems(mlir::ModuleOp module);
/// The same by class; each said to be on the device.
TierPins itemsOf(mlir::ModuleOp module);

/// Writes the tiers on a module or a copy of it.
void applyPlacement(mlir::ModuleOp module, const TierPins &homes);

} // namespace windlass::flow
