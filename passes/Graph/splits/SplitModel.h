// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitModel.h - rewrites a module to what one rank runs ================//
//
// Duty: chooses how tensor-parallel ranks share out every layer function and step of a module, and rewrites
// functions, steps and states. @evaluate and its layers, which are trained, settle the splits of states;
// other steps and their layers follow. Threads, ownership: as MLIR's. Errors: BadInput if no op can be shared
// out; CannotFit from the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/RepeatHeads.h"
#include "passes/Graph/splits/SplitChoice.h"

namespace windlass::graph {

/// The work and the parameters that every rank has in full, since no rank shares them.
struct ReplicatedWork {
  double flops = 0, allFlops = 0;        ///< floating-point operations of products and attention in @evaluate
  int64_t elements = 0, allElements = 0; ///< of parameters
  std::optional<int64_t> attentionHeads = {}; ///< of the first attention whose heads the ranks do not divide
};

class SplitModel {
public:
  SplitModel(mlir::ModuleOp module, int64_t ranks) : module(module), ranks(ranks) {}

  Status run();

  /// Which operation is shared out along which loop, in words; after run().
  const std::string &layoutText() const { return layout; }
  const ReplicatedWork &replicatedWork() const { return replicated; }

private:
  void collectCalls();
  void markReached(StepOp step);
  std::optional<SplitForm> settledForm(mlir::func::FuncOp function, unsigned argument);
  Status shareFunction(mlir::func::FuncOp function);
  Status shareStep(StepOp step);
  void takeBackIdle(mlir::Block &block, const SplitChoice &choice);
  void settleStates(StepOp step, const SplitChoice &choice);
  void splitStates();
  void describe(llvm::StringRef of, mlir::Block &block, const SplitChoice &choice);
  std::string nameOf(mlir::Operation *op);
  void countReplicated(mlir::Block &block, const SplitChoice &choice, int64_t times);

  mlir::ModuleOp module;
  int64_t ranks;
  llvm::SmallVector<StepOp> steps;                                                 ///< @evaluate first
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::func::CallOp>> calls; ///< by function
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<bool>> reached;              ///< arguments, by function
  llvm::DenseMap<mlir::Operation *, ArgumentForms> arguments;                      ///< by function
  llvm::StringMap<SplitForm> states;
  RepeatedAttention repeated;
  std::string layout;
  int64_t shared = 0; ///< ops
  ReplicatedWork replicated;
};

} // namespace windlass::graph
