// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitModel.h - a module as one of several ranks runs it =============//
//
// Duty: chooses how ranks share out every layer function and step of a module, and rewrites all of it:
// functions, steps, states. @evaluate and its layers, which are trained, settle how states are split; other
// steps and their layers follow. Threads, ownership: as MLIR's. Errors: BadInput where nothing can be shared
// out; CannotFit of the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitChoice.h"

namespace windlass::graph {

class SplitModel {
public:
  SplitModel(mlir::ModuleOp module, int64_t ranks) : module(module), ranks(ranks) {}

  Status run();

private:
  void collectCalls();
  void markReached(StepOp step);
  std::optional<SplitForm> settledForm(mlir::func::FuncOp function, unsigned argument);
  Status shareFunction(mlir::func::FuncOp function);
  Status shareStep(StepOp step);
  void settleStates(StepOp step, const SplitChoice &choice);
  void splitStates();
  void describe(llvm::StringRef of, mlir::Block &block, const SplitChoice &choice);
  std::string nameOf(mlir::Operation *op);

  mlir::ModuleOp module;
  int64_t ranks;
  llvm::SmallVector<StepOp> steps;                                                 ///< @evaluate first
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::func::CallOp>> calls; ///< by function
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<bool>> reached;              ///< arguments, by function
  llvm::DenseMap<mlir::Operation *, ArgumentForms> arguments;                      ///< by function
  llvm::StringMap<SplitForm> states;
  std::string layout;
  int64_t shared = 0; ///< ops
};

} // namespace windlass::graph
