// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OperandPanels.h - operands whose rows share too few sets of a cache ===//
//
// Duty: small products that oneDNN reads in place on AVX2, without packing, walk down the rows of an operand;
// where rows begin a multiple of 2 KiB apart, all of them meet in a few sets of the first cache and push each
// other out, which halves the speed. Such an operand is multiplied in panels of some columns, each copied
// into scratch first, where its rows lie a line further apart. Which sums are made, and in which order, stays
// as it was.
// Units: elements. Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/MatmulParts.h"
#include "runtime/kernels/Scratch.h"
#include <cstdint>
#include <optional>

namespace windlass {

struct OperandPanels {
  static constexpr int64_t kColumns = 64; ///< of a panel; operands with panels have a multiple of them
  static constexpr int64_t kLeading = 80; ///< between rows of a panel

  bool ofA = false;  ///< of A, stored transposed; else of B
  int64_t count = 0; ///< panels
  int64_t rows = 0;  ///< of a panel

  /// Nothing where the product is fast as it is.
  static std::optional<OperandPanels> of(const MatmulPart &product);

  /// Of the one panel that is in scratch at a time.
  int64_t scratchBytes() const {
    return alignedScratch(rows * kLeading * static_cast<int64_t>(sizeof(float)));
  }
  /// `operand`: its stored rows begin `leading` apart.
  void copy(int64_t panel, const float *operand, int64_t leading, float *to) const;
};

} // namespace windlass
