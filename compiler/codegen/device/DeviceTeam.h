// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceTeam.h - teams of threads that reduce a row =====================//
//
// Duty: the ways in which threads share out the reductions of a kernel, all with the order of
// docs/numerics.md: a quad of threads has the 16 lanes of a row, many quads have the blocks or rows of a long
// sum, many warps have the blocks of rows of 32 columns. Sums of several quads or warps go through the shared
// memory of the block. All threads of a block take part in barriers; threads without work run with a false
// `isActive`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceRows.h"
#include "compiler/codegen/device/DeviceThreads.h"
#include "compiler/codegen/vectors/PieceSums.h"
#include "compiler/codegen/vectors/TermSums.h"

#include <memory>

namespace windlass::codegen {

class DeviceTeam {
public:
  virtual ~DeviceTeam() = default;

  /// `initial` plus the reduction of a generic, in all threads of the team. In the phase of pieces, the sums
  /// of pieces are stored, and the returned values have no meaning.
  virtual Values reduce(mlir::linalg::GenericOp generic, VectorBody &body, mlir::ValueRange initial) = 0;
  /// Stores the results of a generic without a reduction, each element by one thread.
  virtual void store(mlir::linalg::GenericOp generic, VectorBody &body) = 0;

  DeviceGrid grid;
};

/// The sums of pieces that a thread loads at a time (buildLoop).
inline constexpr int64_t kPartsAhead = 8;

/// The number of iterations of a generic's innermost loop, of `width` elements each, whose loads a thread
/// issues at a time (buildLoop): the loaded elements must fit into its registers. At most `iterations`.
int64_t iterationsAhead(mlir::linalg::GenericOp generic, const PieceSums &pieces, int64_t width,
                        int64_t iterations);

/// Assigns rows to threads, removes the row loops, and returns the team for the generics, which are given in
/// program order. The builder must be at the function's beginning; later the team builds at its insertion
/// point.
std::unique_ptr<DeviceTeam> makeRowTeam(RowNest &nest, llvm::ArrayRef<mlir::linalg::GenericOp> generics,
                                        const PieceSums &pieces, mlir::OpBuilder &builder);
std::unique_ptr<DeviceTeam> makeColumnTeam(RowNest &nest, llvm::ArrayRef<mlir::linalg::GenericOp> generics,
                                           const PieceSums &pieces, mlir::OpBuilder &builder);

/// The number of rows that a reduction adds up: the iterations of its reduced loops other than the innermost.
int64_t rowsOf(mlir::linalg::GenericOp generic);
/// Sets the reduced loops `loops` to row number `number`, where the last loop runs fastest.
void setRow(mlir::OpBuilder &builder, VectorBody &body, mlir::linalg::GenericOp generic,
            llvm::ArrayRef<unsigned> loops, mlir::Value number);

} // namespace windlass::codegen
