// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryProblem.h - the problem of offsets of buffers ===================//
//
// Duty: the problem (the buffers of one arena, each live over a range of positions), the solution (their
// offsets) and the text form of the problem.
// Units: bytes; positions are those of instructions in their order. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

struct MemoryBuffer {
  std::string id;
  int64_t bytes = 0;
  int64_t begin = 0, end = 0; ///< live at positions [begin, end)
  int64_t alignment = 64;     ///< a power of two
  std::optional<int64_t> fixedOffset;
};

struct MemoryProblem {
  std::vector<MemoryBuffer> buffers;
};

struct MemorySolution {
  std::vector<int64_t> offset; ///< per buffer
  int64_t peak = 0;            ///< bytes the arena needs
  int64_t lowerBound = 0;      ///< largest sum of live bytes at any position
  std::string method;          ///< the packing that found it: "size, best fit"
};

/// The largest sum of live bytes at any position.
int64_t mostLiveBytes(const MemoryProblem &problem);

std::string printMemory(const MemoryProblem &problem);
Result<MemoryProblem> parseMemory(std::string_view text);

} // namespace windlass::planning
