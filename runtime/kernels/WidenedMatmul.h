// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WidenedMatmul.h - 16-bit matmuls on CPUs that lack them ===============//
//
// Duty: where a bf16 or f16 operand of a launch stands, as f32, in the launch's
// scratch. oneDNN's own bf16 is slower than f32 without AVX512-BF16 and does not
// exist on AVX2, its f16 needs AVX512-FP16, which no target has: so operands are
// widened, multiplied in f32, and the result rounded once.
// Units: bytes. Threads: const after construction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <array>
#include <cstdint>

namespace windlass {

/// bf16 or f16.
bool isHalf(plan::ElementType type);

class WidenedMatmul {
public:
  /// `libraryScratch` bytes at the start of the scratch stay with the library.
  WidenedMatmul(const plan::MatmulSpec &spec, int64_t libraryScratch);

  /// Whether a product goes through f32: the library multiplies two f32, and two bf16 where it has
  /// instructions for them, but no other mix.
  static bool isNeeded(const plan::MatmulSpec &spec, bool nativeBf16);
  /// The same product over f32 operands.
  static plan::MatmulSpec widened(plan::MatmulSpec spec);

  int64_t scratchBytes() const { return end; }
  /// Fills the f32 copies and returns the four arguments of the f32 matmul.
  std::array<void *, 4> widen(void *const *args) const;
  /// Rounds the f32 result into C, if C is bf16 or f16.
  void narrow(void *const *args) const;

private:
  struct Panel {
    plan::ElementType type = plan::ElementType::F32;
    int64_t elements = 0;
    int64_t at = 0; ///< in the scratch
  };
  std::array<Panel, 3> panels; ///< A, B, C
  bool accumulate = false;
  int64_t end = 0;
};

} // namespace windlass
