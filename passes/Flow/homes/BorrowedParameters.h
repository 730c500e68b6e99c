// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BorrowedParameters.h - whole parameters away from the device ========//
//
// Duty: at ZeRO 0 to 2 launches read parameters where they rest. One that rests elsewhere is borrowed:
// it comes to the device for a run of instructions of one function, as a gathered one does. Only the update
// works where it rests. This says, walking a section in order, what each launch must borrow. Threads,
// ownership: a value per section; refers to the table of homes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace windlass::flow {

class BorrowedParameters {
public:
  explicit BorrowedParameters(const HomeTable &homes) : homes(homes) {}

  /// The whole parameters (uses of their homes) that `launch` is the first of its function's run to read.
  mlir::SmallVector<mlir::Value> firstReadBy(LaunchOp launch);

  /// Whether a launch reads what was borrowed, rather than what rests.
  static bool borrows(LaunchOp launch);

private:
  const HomeTable &homes;
  mlir::StringAttr function; ///< whose run it is
  llvm::SmallPtrSet<mlir::Value, 8> seen;
};

} // namespace windlass::flow
