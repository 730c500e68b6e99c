// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepItems.h - names of what goes into a step ==========================//
//
// Duty: the names of what the training loop feeds and takes, which plans must keep to: whoever makes plans,
// whoever checks them, and the loop. Beside them, inputs are fed by their own names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace windlass {

/// Numbers of a step, in f32.
inline constexpr std::string_view kLearningRate = "learning_rate", kBiasCorrection1 = "bias_correction1",
                                  kBiasCorrection2 = "bias_correction2", kLossSeed = "loss_seed",
                                  kInverseLossScale = "inverse_loss_scale", kStep = "step";
/// What masks of dropout are drawn with: a key for each tensor.
inline constexpr std::string_view kDropoutKeys = "dropout_keys";
/// The token of a sample whose logits are reported alone.
inline constexpr std::string_view kPosition = "position";
/// Reports.
inline constexpr std::string_view kLoss = "loss", kGradientNorm = "grad_norm", kLogits = "logits";
/// How many blocks of rows stand before this rank's in the batch.
inline constexpr std::string_view kRowBlock = "row_block";
/// A rank's coordinate along the axis on which ranks share out operations, in i32.
inline constexpr std::string_view kTensorCoordinate = "coordinate.tp";
/// What the item of every loss share begins with (plan::LossShare).
inline constexpr std::string_view kLossSharePrefix = "loss_share.";

} // namespace windlass
