// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NearestName.h - the known name somebody meant =========================//
//
// Duty: for messages about unknown keys, flags and names.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace windlass {

/// The known name with the fewest edits from `name`; empty when none is within half its length, or two.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> known);
/// The same within `most` edits.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> known, size_t most);

/// ", did you mean \"...\"?", or nothing when no known name is near.
std::string didYouMean(std::string_view name, std::span<const std::string_view> known);

} // namespace windlass
