// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Planning.h - an imported job and its planner ==========================//
//
// Duty: does what the driver does before it plans: reads the inputs, imports the model, and makes the levels
// and the candidate planner. Errors: fail the test. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/driver/candidates/CandidatePlanner.h"
#include "compiler/driver/inputs/Inputs.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

namespace windlass::test {

struct Planning {
  explicit Planning(const Job &job) {
    request.model =
        folder.write(job.model.contains("model_type") ? "config.json" : "model.json", job.model.dump());
    request.training = folder.write("training.json", job.training.dump());
    request.hardware = folder.write("machine.json", job.hardware.dump());
    Result<Inputs> inputs = readInputs(request);
    EXPECT_TRUE(inputs) << inputs.status().message();
    training = inputs->training;
    machine = inputs->machine;
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importInputs(context, request, training);
    EXPECT_TRUE(module) << module.status().message();
    imported = module.take();
    levels.emplace(training, machine, plan::targetNamed("x86-64-v3").take(), "");
    planner.emplace(training, *levels, std::make_shared<ModelGraphs>(*imported));
  }

  TemporaryFolder folder;
  CompileRequest request;
  mlir::MLIRContext context;
  TrainingOptions training;
  model::Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  std::optional<Levels> levels;
  std::optional<CandidatePlanner> planner;
};

} // namespace windlass::test
