// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitChoice.h - tensor-parallel ways of the ops of a block ============//
//
// Duty: builds the split problem (planning/Split) of a block of a layer function or step, solves and checks
// it, and gives the form of each tensor that an op reads or makes. Arguments and results of a layer are
// whole, so that layers chain and share functions; parameters are split as their readers ask. The ways of an
// op are those that begin with it, and those that a split of a neighbour's tensors asks for.
// Threads, ownership: refers to the block, which must not change before LocalShapes.h has applied the choice.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphCalls.h"
#include "passes/Graph/splits/SplitWays.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::graph {

/// The form of each argument in the calls of a layer function.
using ArgumentForms = llvm::SmallVector<SplitForm>;

/// The forms and facts that a block gets from its surroundings.
struct SplitSurroundings {
  SplitScope scope;
  llvm::SmallVector<bool> isParameter; ///< of a function: the arguments that are parameters
  llvm::SmallVector<bool> isReached;   ///< of a function: the arguments that depend on a trained parameter
  llvm::SmallVector<std::optional<SplitForm>>
      settled; ///< of a function: forms of parameters that other blocks have settled
  llvm::DenseMap<mlir::Operation *, ArgumentForms> arguments; ///< of a step: by the function called
  llvm::StringMap<SplitForm> states; ///< of a step: forms of states that other steps have settled
};

class SplitChoice {
public:
  static Result<SplitChoice> of(mlir::Block &block, const SplitSurroundings &surroundings);

  /// The form of the result of an op, or of an argument. All reads of a state have one form.
  SplitForm formOf(mlir::Value value) const;
  SplitForm formAsked(mlir::OpOperand &operand) const;
  /// The loop that the ranks share out: "n", "heads"; "whole" if all ranks run the whole op.
  llvm::StringRef wayOf(mlir::Operation *op) const;
  /// Whether a value depends on a trained parameter.
  bool hasGradient(mlir::Value value) const { return reached.contains(value); }
  /// The number of ops that the ranks share out.
  int64_t countShared() const;

private:
  SplitChoice(mlir::Block &block, const SplitSurroundings &surroundings)
      : block(&block), surroundings(surroundings) {}

  void findReached();
  void addValues();
  void addOps();
  void addOp(mlir::Operation *op);
  void addSource(mlir::Value value, bool isParameter, std::optional<SplitForm> settled);
  void growWays();
  void addWay(size_t op, SplitWay way, double operations, double elements);
  void noteForm(uint32_t value, const SplitForm &form);
  void askNeighbours(uint32_t value, const SplitForm &form);
  bool isParameterArgument(unsigned i) const {
    return i < surroundings.isParameter.size() && surroundings.isParameter[i];
  }
  uint32_t numberOf(mlir::Value value) const { return numbers.lookup(value); }

  mlir::Block *block;
  SplitSurroundings surroundings;
  planning::SplitProblem problem;
  planning::SplitSolution solution;
  llvm::DenseSet<mlir::Value> reached;
  llvm::DenseMap<mlir::Value, uint32_t> numbers; ///< all reads of a state have one
  llvm::DenseMap<mlir::Operation *, size_t> opNumbers;
  llvm::DenseSet<size_t> growing;           ///< sources of parameters whose form is open
  llvm::SmallVector<mlir::Operation *> ops; ///< by number; null: the source of a value from outside the block
  llvm::SmallVector<llvm::SmallVector<SplitForm>> forms; ///< by value: the splits that some op asks for
  llvm::SmallVector<std::pair<uint32_t, SplitForm>>
      open; ///< value and split whose neighbours were not asked yet
};

} // namespace windlass::graph
