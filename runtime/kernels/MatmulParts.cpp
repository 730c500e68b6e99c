// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/MatmulParts.h"
#include <algorithm>

namespace windlass {

namespace {

constexpr int64_t kRowGrain = 16; // a cut inside the library's register blocks costs a rest on both sides

/// Sizes of at most `parts` runs that cover [0, extent), each but the last a multiple of the grain.
std::vector<int64_t> cutExtent(int64_t extent, int64_t parts, int64_t grain) {
  int64_t grains = (extent + grain - 1) / grain;
  int64_t part = std::max<int64_t>(1, (grains + parts - 1) / parts) * grain;
  std::vector<int64_t> sizes;
  for (int64_t at = 0; at < extent; at += part)
    sizes.push_back(std::min(part, extent - at));
  return sizes;
}

} // namespace

std::vector<MatmulPart> cutMatmul(const plan::MatmulSpec &spec, int64_t threads) {
  std::vector<MatmulPart> parts;
  bool isBatch = spec.batch > 1;
  int64_t at = 0;
  for (int64_t size : cutExtent(isBatch ? spec.batch : spec.m, threads, isBatch ? 1 : kRowGrain)) {
    MatmulPart part{spec, spec.transposeA ? spec.m : spec.k};
    (isBatch ? part.spec.batch : part.spec.m) = size;
    part.atA = at * (isBatch ? spec.m * spec.k : spec.transposeA ? 1 : spec.k);
    part.atB = isBatch ? at * spec.k * spec.n : 0;
    part.atC = at * (isBatch ? spec.m * spec.n : spec.n);
    parts.push_back(part);
    at += size;
  }
  return parts;
}

} // namespace windlass
