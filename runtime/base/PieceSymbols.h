// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PieceSymbols.h - a sum in two phases, in a shared object ==============//
//
// Duty: what stands behind a kernel's name in the names of what makes its sum on several threads of a
// processor, for who writes them (compiler/codegen) and who looks them up (runtime/kernels):
//
//   void k.pieces(void *const *args, int64_t begin, int64_t end);   the pieces [begin, end), by any threads
//   void k.total(void *const *args, int64_t begin, int64_t end);    what they add up to, as `k` makes it
//   const int64_t k.piece_count;
//
// `args` are those of `k` with the partial sums behind them.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass {

inline constexpr const char *kPiecesSuffix = ".pieces", *kTotalSuffix = ".total",
                            *kPieceCountSuffix = ".piece_count";

} // namespace windlass
