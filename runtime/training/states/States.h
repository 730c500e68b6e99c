// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.h - which bytes of which rank hold which elements ============//
//
// Duty: walks Plan::states: writing every rank's pieces from a source of values,
// and reading logical tensors back into a sink, between steps, through one
// bounded staging buffer. Initialisation, checkpoint and resume all go this way,
// so none depends on stage, placement or the number of ranks.
// Errors: those of the executor, source and sink.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/plan/Plan.h"
#include <functional>
#include <vector>

namespace windlass {

/// Elements [first, first + count) of what a state holds, at byte `at` of its home on one rank.
struct ElementRange {
  int64_t first = 0, count = 0, at = 0;
};

int64_t elementsOf(const plan::State &state);

/// What one rank holds of a state; count is 0 if nothing.
ElementRange heldRange(const plan::Plan &plan, const plan::State &state, int64_t rank);

/// Brings elements [first, ...) of a state's tensor, in the state's type; fills all of `out`.
using StateSource = std::function<Status(const plan::State &state, int64_t first, std::span<std::byte> out)>;
/// Takes elements [first, ...) of a state's tensor, in order. A slice comes in its runs within the tensor.
using StateSink =
    std::function<Status(const plan::State &state, int64_t first, std::span<const std::byte> in)>;

class StateStream {
public:
  StateStream(const plan::Plan &plan, Executor &executor);

  /// Fills every byte of every buffer that is a home, on every rank: elements
  /// from the source, padding with zero.
  Status writeAll(const StateSource &source);
  /// Hands all elements of one state to the sink, from the ranks that hold them.
  Status read(const plan::State &state, const StateSink &sink);

private:
  Status writeHome(uint32_t buffer, int64_t rank, const StateSource &source);
  Status fillFrom(const plan::State &state, int64_t rank, int64_t chunkStart, std::span<std::byte> chunk,
                  const StateSource &source);

  const plan::Plan &plan;
  Executor &executor;
  std::vector<std::byte> staging;
};

/// What the initialisers say: element i of a state depends only on the seed, the tensor's name and i.
StateSource initialValues(uint64_t seed);

} // namespace windlass
