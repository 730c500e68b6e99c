// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceTeam.h - threads that make the results of a row together ========//
//
// Duty: the ways in which the reductions of a kernel are shared out to threads, each with the
// order of docs/numerics.md: a quad of threads holds the 16 lanes of a row, many quads the
// blocks or rows of a long sum, many warps the blocks of rows of 32 columns. Sums of several
// pass through the memory of the block. All threads of a block are there wherever threads
// wait for each other; those without work are told so.
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

  /// initial + what a generic reduces: in all threads of the team. Of pieces their sums are stored, and what
  /// is given means nothing.
  virtual Values reduce(mlir::linalg::GenericOp generic, VectorBody &body, mlir::ValueRange initial) = 0;
  /// What a generic without a reduction makes, each element by one thread.
  virtual void store(mlir::linalg::GenericOp generic, VectorBody &body) = 0;

  DeviceGrid grid;
};

/// Sums of pieces that a thread loads at a time (buildLoop), to add them up.
inline constexpr int64_t kPartsAhead = 8;

/// How many of `iterations` of a generic's innermost loop, of `width` elements each, a thread makes at a time
/// (buildLoop): what it has on its way from memory is to fit into its registers beside all else.
int64_t iterationsAhead(mlir::linalg::GenericOp generic, const PieceSums &pieces, int64_t width,
                        int64_t iterations);

/// Deals the rows out, takes their loops apart and says how the generics are shared out, which are given in
/// order. The builder stands at the function's beginning, and from then on where the team is to build.
std::unique_ptr<DeviceTeam> makeRowTeam(RowNest &nest, llvm::ArrayRef<mlir::linalg::GenericOp> generics,
                                        const PieceSums &pieces, mlir::OpBuilder &builder);
std::unique_ptr<DeviceTeam> makeColumnTeam(RowNest &nest, llvm::ArrayRef<mlir::linalg::GenericOp> generics,
                                           const PieceSums &pieces, mlir::OpBuilder &builder);

/// Rows that a reduction adds up, each along the innermost loop: through all of its reduced loops but that.
int64_t rowsOf(mlir::linalg::GenericOp generic);
/// The row of a number, counted through the reduced loops `loops`, the last fastest.
void setRow(mlir::OpBuilder &builder, VectorBody &body, mlir::linalg::GenericOp generic,
            llvm::ArrayRef<unsigned> loops, mlir::Value number);

} // namespace windlass::codegen
