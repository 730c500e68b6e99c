// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BorrowedParameters.h - whole parameters away from the device ==========//
//
// Duty: says which parameters each launch of a section borrows, launch by launch in order. At zero 0 to 2 a
// launch reads whole parameters in their homes. A parameter whose home is not on the device is borrowed: it
// is brought to the device for a run of instructions of one function, and dropped behind them. The update
// borrows nothing, for it runs where the home is.
// Threads, ownership: one object per section; refers to the table of homes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace windlass::flow {

class BorrowedParameters {
public:
  explicit BorrowedParameters(const HomeTable &homes) : homes(homes) {}

  /// The whole parameters, as uses of their homes, that no earlier launch of the same run reads.
  mlir::SmallVector<mlir::Value> firstReadBy(LaunchOp launch);

  /// Whether a launch reads copies of parameters on the device; false: it runs where its homes are.
  static bool borrows(LaunchOp launch);

private:
  const HomeTable &homes;
  mlir::StringAttr function;              ///< of the present run
  llvm::SmallPtrSet<mlir::Value, 8> seen; ///< parameters that the run has read
};

} // namespace windlass::flow
