// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementClass.h - the classes whose homes are decided ================//
//
// Duty: the classes of placement and their words. The keys of a strategy's placement, the subjects of reasons
// and the classes of the placement problem are these.
// Threads: pure functions over constant tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Cases.h"
#include <array>
#include <optional>
#include <string_view>

namespace windlass::plan {

enum class PlacementClass : uint8_t {
#define WINDLASS_PLACEMENT_CLASS(Id, Text) Id,
#include "runtime/plan/PlacementClasses.def"
};

inline constexpr std::array kPlacementClasses = {
#define WINDLASS_PLACEMENT_CLASS(Id, Text) std::string_view(Text),
#include "runtime/plan/PlacementClasses.def"
};

constexpr std::string_view textOf(PlacementClass cls) { return kPlacementClasses[static_cast<size_t>(cls)]; }

std::optional<PlacementClass> placementClassOf(std::string_view text);

/// The class that a state is placed with.
PlacementClass placedAs(StateClass state);

} // namespace windlass::plan
