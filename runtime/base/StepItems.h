//===- StepItems.h - names of what goes into a step =======================//
//
// Duty: names of feeds that more than the training loop must know. The others stand where they are fed
// (runtime/training/StepHosts.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace windlass {

/// How many blocks of rows stand before this rank's in the batch.
inline constexpr std::string_view kRowBlock = "row_block";
/// What the item of every loss share begins with (plan::LossShare).
inline constexpr std::string_view kLossSharePrefix = "loss_share.";

} // namespace windlass
