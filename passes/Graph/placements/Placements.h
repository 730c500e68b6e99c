// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Placements.h - placement of every value over tensor-parallel ranks ====//
//
// Duty: derives the placement of each value over the tensor-parallel ranks, op by op from states, feeds and
// exchanges, and refuses an op whose operands do not meet its rule. This check shares no code with
// passes/Graph/splits, which writes the exchanges. In the forward pass, a whole value that parts of an op
// read must have been varied: otherwise its gradient would lack a sum over ranks. In the backward pass, which
// is not differentiated, parts of ops may read whole values. If a rank has one index of several dimensions,
// an op leaves open which of them is split; the module is sound if one choice for each such op meets all
// rules. Threads, ownership: as MLIR's. Errors: diagnostics at the op, of the walk that came furthest.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Graph/placements/OpenWays.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace windlass::graph {

struct Placement {
  enum class Kind {
    Free,   ///< whole, and depends on no trained parameter
    Whole,  ///< the same on all ranks, and so is its gradient
    Varied, ///< the same on all ranks; its gradient is terms
    Terms,  ///< the value is the sum over ranks
    Split,  ///< of every `period` elements each rank has `width`
    Own,    ///< each rank's own, made from its coordinate
  };
  Kind kind = Kind::Free;
  int64_t period = 0, width = 0; ///< of a Split; the period includes padding
  /// Of a Split, the dimension of the tensor that is likely to be the split one. Its elements may allow
  /// others.
  std::optional<unsigned> dimension = {};

  static Placement split(int64_t period, int64_t width, std::optional<unsigned> dimension = {}) {
    return {Kind::Split, period, width, dimension};
  }
  bool is(Kind other) const { return kind == other; }
  bool hasElementsOf(const Placement &other) const {
    return kind == other.kind && period == other.period && width == other.width;
  }
  bool operator==(const Placement &) const = default;
};

/// The placement as a text: "whole", "split(12 of 24)".
std::string describe(const Placement &placement);

using Placements = llvm::SmallVector<Placement>;
/// Candidate placements of the results of an op. If a rank has one index of a dimension, the split dimension
/// is ambiguous: several placements describe the same elements. Ops that read the results refuse the wrong
/// candidates.
using Ways = llvm::SmallVector<Placements>;

void addWay(Ways &ways, Placements way);

/// The placements of an op's results; an error if its operands do not meet its rule. `op` is no exchange,
/// state or call. `isBackward`: the op is not differentiated.
mlir::FailureOr<Placements> placeResults(mlir::Operation *op, const Placements &operands, int64_t ranks,
                                         bool isBackward, OpenWays &open);
/// The placement of the result of an exchange; an error if the operand does not meet its rule.
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
  mlir::FailureOr<Placements> placeCall(mlir::func::CallOp call, Placements operands, OpenOps &because);
  void placeZeroGradients(mlir::func::CallOp call, mlir::func::FuncOp backward, Placements &operands,
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
