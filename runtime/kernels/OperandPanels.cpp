// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/OperandPanels.h"
#include <algorithm>

namespace windlass {
namespace {

/// Rows so far apart, or multiples of it, meet in a quarter of the sets of a cache of 32 KiB, or in fewer.
constexpr int64_t kFarApart = 512;
/// Copying an element pays where it is multiplied this often.
constexpr int64_t kLeastUses = 32;

/// oneDNN 2.6 packs what is larger (nocopy_checker_avx2, 1/m + 1/n < 0.0038).
bool isReadInPlace(const plan::MatmulSpec &spec) { return (spec.m + spec.n) * 10000 >= 38 * spec.m * spec.n; }

} // namespace

std::optional<OperandPanels> OperandPanels::of(const MatmulPart &product) {
  constexpr auto kF32 = plan::ElementType::F32;
  const plan::MatmulSpec &spec = product.spec;
  if (spec.batch != 1 || spec.a != kF32 || spec.b != kF32 || spec.c != kF32 || !isReadInPlace(spec))
    return std::nullopt;
  auto isSlow = [](int64_t leading, int64_t apart, int64_t columns, int64_t uses) {
    return leading % apart == 0 && columns % kColumns == 0 && uses >= kLeastUses;
  };
  // A transposed A takes lines beside those of B.
  const int64_t apartB = spec.transposeA ? kFarApart / 2 : kFarApart;
  const bool slowB = !spec.transposeB && isSlow(spec.n, apartB, spec.n, spec.m);
  const bool slowA = spec.transposeA && isSlow(product.leadingA, kFarApart, spec.m, spec.n);
  if (slowB && (!slowA || spec.n >= product.leadingA))
    return OperandPanels{.ofA = false, .count = spec.n / kColumns, .rows = spec.k};
  if (slowA)
    return OperandPanels{.ofA = true, .count = spec.m / kColumns, .rows = spec.k};
  return std::nullopt;
}

void OperandPanels::copy(int64_t panel, const float *operand, int64_t leading, float *to) const {
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(operand + row * leading + panel * kColumns, kColumns, to + row * kLeading);
}

} // namespace windlass
