//===- StepItems.h - names of what goes into a step =======================//
//
// Duty: names of feeds that more than one room asks for. The others stand where they are fed
// (runtime/training/StepHosts.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace windlass {

/// How many blocks of rows stand before this rank's in the batch.
inline constexpr std::string_view kRowBlock = "row_block";

} // namespace windlass
