// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Facts.h - what a plan says beside its instructions ==================//
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

/// Model name, parameter count, layers, weight files, inputs: from the module as imported.
Status describeModel(mlir::ModuleOp imported, plan::Plan &plan);
/// What a precision computes in.
plan::ElementType elementType(Precision precision);
/// Elements of the parameters that are not frozen.
int64_t trainedParameters(mlir::ModuleOp imported);
/// What the other cadence would cost or save; nothing where there is no difference.
std::optional<plan::Reason> reasonOfCadence(const TrainingOptions &training, int64_t trained);
/// Mesh, training facts, what the plan is for and the numerics record. `tensorLayout`: how ranks share out
/// operations, where they do.
void describeTraining(const TrainingOptions &training, const plan::Target &target,
                      const plan::DeviceRow &device, const std::string &tensorLayout, plan::Plan &plan);

} // namespace windlass
