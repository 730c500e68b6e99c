// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Facts.h - facts of a plan beside its instructions =====================//
//
// Duty: the parts of a plan that come from the training file and the imported model: inputs, training facts,
// the numerics record, the strategy.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Plan.h"
#include <optional>

namespace windlass {

/// Sets model name, parameter count, layers, weight files, inputs and the loss's facts of the plan from an
/// imported module.
Status describeModel(mlir::ModuleOp imported, plan::Plan &plan);
/// The type that a precision computes in.
plan::ElementType elementType(Precision precision);
/// Elements of the parameters that are not frozen.
int64_t trainedParameters(mlir::ModuleOp imported);
/// The reason of the cadence, with the cost or saving of the other cadence; nothing if they do not differ.
std::optional<plan::Reason> reasonOfCadence(const TrainingOptions &training, int64_t trained);
/// Sets mesh, training facts, target and numerics record of a plan that has its inputs. `tensorLayout`: a
/// text on how tensor-parallel ranks share out operations; empty for one rank.
void describeTraining(const TrainingOptions &training, const plan::Target &target,
                      const plan::DeviceRow &device, const std::string &tensorLayout, plan::Plan &plan);

} // namespace windlass
