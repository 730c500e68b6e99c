//===- NearestName.h - the known name somebody meant =======================//
//
// Duty: for messages about unknown keys, flags and names.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string_view>

namespace windlass {

/// The known name with the fewest edits from `name`; empty when none is near.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> known);

} // namespace windlass
