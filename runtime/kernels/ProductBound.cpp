// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/ProductBound.h"

#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "runtime/kernels/ReferenceMatmul.h"
#include <cmath>
#include <vector>

namespace windlass {
namespace {

using plan::ElementType;

float valueOf(ElementType type, const void *data, size_t i) {
  switch (type) {
  case ElementType::BF16:
    return widenBf16(static_cast<const uint16_t *>(data)[i]);
  case ElementType::F16:
    return widenF16(static_cast<const uint16_t *>(data)[i]);
  case ElementType::F64:
    return static_cast<float>(static_cast<const double *>(data)[i]);
  case ElementType::I32:
    return static_cast<float>(static_cast<const int32_t *>(data)[i]);
  case ElementType::F32:
    break;
  }
  return static_cast<const float *>(data)[i];
}

/// Half of a last place, relative to a number, and the half of the smallest one.
struct Rounding {
  double relative, absolute;
};
Rounding roundingTo(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return {std::ldexp(1, -8), std::ldexp(1, -134)};
  case ElementType::F16:
    return {std::ldexp(1, -11), std::ldexp(1, -25)};
  case ElementType::F32:
  case ElementType::F64:
  case ElementType::I32:
    break;
  }
  return {std::ldexp(1, -24), std::ldexp(1, -150)};
}

std::vector<float> magnitudes(ElementType type, const void *data, int64_t elements) {
  std::vector<float> result(static_cast<size_t>(elements));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = std::fabs(valueOf(type, data, i));
  return result;
}

} // namespace

Status checkProductBound(const plan::MatmulSpec &spec, void *const *operands, const void *exact,
                         const void *found) {
  const plan::StoredMatrix ofResult = spec.storedC();
  const std::vector<float> a = magnitudes(spec.a, operands[0], spec.storedA().elements()),
                           b = magnitudes(spec.b, operands[1], spec.storedB().elements());
  std::vector<float> c(static_cast<size_t>(ofResult.elements()));
  if (spec.accumulate)
    c = magnitudes(spec.c, operands[2], std::ssize(c));
  plan::MatmulSpec sizes = spec;
  sizes.a = sizes.b = sizes.c = ElementType::F32;
  referenceMatmul(sizes, a.data(), b.data(), c.data());
  const Rounding ofC = roundingTo(spec.c);
  const double ofSums = static_cast<double>(spec.k + 1) * std::ldexp(1, -23);
  for (size_t i = 0; i < c.size(); ++i) {
    if (static_cast<int64_t>(i) % ofResult.pitch >= ofResult.columns)
      continue;
    const double right = valueOf(spec.c, exact, i), is = valueOf(spec.c, found, i);
    // Both are rounded to the type of C.
    const double bound = ofSums * c[i] + 2 * (ofC.relative * std::fabs(right) + ofC.absolute);
    if (!(std::fabs(is - right) <= bound) && !(std::isnan(is) && std::isnan(right)) && is != right)
      return Status::runFailed("element " + std::to_string(i) + " is " + std::to_string(is) +
                               ", the exact one " + std::to_string(right) + ", no order of its " +
                               std::to_string(spec.k) + " products is off by more than " +
                               std::to_string(bound));
  }
  return Status::ok();
}

} // namespace windlass
