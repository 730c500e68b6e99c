// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Scratch.h - the parts of a launch's scratch ===========================//
//
// Duty: where one part ends and the next begins. Units: bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

/// Up to the next place at which a part may begin.
inline int64_t alignedScratch(int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace windlass
