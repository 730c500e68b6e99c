// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DropoutFeed.h - what the masks of dropout are drawn with ==============//
//
// Duty: stream n of a step is that of (seed, step, "dropout" + n); number (row,
// column) of it decides over one element of the n-th tensor that the step drops
// elements of. Rows are those of the whole batch: a rank's tensor of a micro-batch
// is a block of them. So a mask depends neither on ranks nor on micro-batches, and
// a step that is run again draws it again.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Random.h"
#include <cstddef>
#include <span>
#include <string_view>

namespace windlass {

/// Where in a run a micro-batch stands.
struct DropoutPlace {
  uint64_t seed = 0, step = 0;
  int64_t rowBlock = 0; ///< micro-batch * ranks + rank
};

RandomStream dropoutStream(uint64_t seed, uint64_t step, uint64_t number);

/// Fills the item "dropout_keys" or "row_block"; false if it is neither.
bool feedDropout(std::string_view item, const DropoutPlace &place, std::span<std::byte> bytes);

} // namespace windlass
