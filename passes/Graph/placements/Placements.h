// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Placements.h - how every value lies over ranks ======================//
//
// Duty: derives from states, feeds and exchanges how each value lies over the ranks that share out
// operations, op by op, and refuses an op whose operands do not meet its rule. It shares no code with
// passes/Graph/splits, which wrote the exchanges. Forward, a whole value that a part of an op reads must have
// been varied, or its gradient would lose a sum. Backward nobody differentiates, and whole values may meet
// parts. If a rank has one index of several dimensions, an op leaves open which of them is split; the module
// is sound if one choice for each such op meets all rules. Threads, ownership: as MLIR's. Errors: diagnostics
// at the op, of the walk that came furthest.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Graph/placements/OpenWays.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::graph {

struct Placement {
  enum class Kind {
    Free,   ///< whole, and nothing trained lies behind it
    Whole,  ///< the same on all ranks, and so is its gradient
    Varied, ///< the same on all ranks, but its gradient is terms
    Terms,  ///< its value is the sum over ranks
    Split,  ///< of every `period` elements each rank has `width`
    Own,    ///< each rank's own, made from its coordinate
  };
  Kind kind = Kind::Free;
  int64_t period = 0, width = 0; ///< of a split one; the period with padding, if it has some

  static Placement split(int64_t period, int64_t width) { return {Kind::Split, period, width}; }
  bool is(Kind other) const { return kind == other; }
  bool operator==(const Placement &) const = default;
};

/// "whole", "split(12 of 24)"
std::string describe(const Placement &placement);

using Placements = llvm::SmallVector<Placement>;

/// The placements of an op's results; an error if its operands do not meet its rule. `op` is no exchange,
/// state or call. `isBackward`: the op is not differentiated.
mlir::FailureOr<Placements> placeResults(mlir::Operation *op, const Placements &operands, int64_t ranks,
                                         bool isBackward, OpenWays &open);
/// The same of an exchange.
mlir::FailureOr<Placement> placeExchange(mlir::Operation *op, const Placement &operand, int64_t ranks);

/// Walks the steps of a module, and functions as they are called.
class PlacementWalk {
public:
  PlacementWalk(mlir::ModuleOp module, int64_t ranks) : module(module), symbols(module), ranks(ranks) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult walkSteps();
  struct Placed {
    Placement placement;
    OpenOps because; ///< the open ops on which `placement` depends
  };
  using Values = llvm::DenseMap<mlir::Value, Placed>;
  /// The placements of the arguments and results of a called function, and the open ops on which they depend.
  struct Called {
    Placements given, returned;
    OpenOps because;
  };

  /// Adds to `because` the open ops on which the placements depend.
  static Placements placementsOf(mlir::ValueRange all, const Values &values, OpenOps &because);
  mlir::LogicalResult walk(mlir::Block &block, Values &values);
  /// `because`: the open ops on which the operands depend; afterwards those on which the results depend.
  mlir::FailureOr<Placements> place(mlir::Operation *op, const Placements &operands, Values &values,
                                    OpenOps &because);
  mlir::FailureOr<Placements> placeCall(mlir::func::CallOp call, const Placements &operands,
                                        OpenOps &because);
  Placement ofState(llvm::StringRef name);
  mlir::LogicalResult checkReport(ReportOp report, const Placement &placement);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  int64_t ranks;
  llvm::StringMap<Called> called;
  OpenWays open;
  OpenOps refusal;    ///< the open ops on which the refusal of this walk depends
  int64_t placed = 0; ///< operations that this walk has placed
};

} // namespace windlass::graph
