// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.h - which bytes of which rank hold which elements ==============//
//
// Duty: walks the states of every program: writing every rank's pieces from a source of values,
// and reading logical tensors back into a sink, between steps, through one
// bounded staging buffer. Initialisation, checkpoint and resume all go this way,
// so none depends on ZeRO, placement or the number of ranks.
// Of a job of several processes each walks over what its own ranks hold.
// Errors: those of the executor, source and sink.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/launch/JobProcess.h"
#include "runtime/plan/Plan.h"
#include <functional>
#include <unordered_map>
#include <vector>

namespace windlass {

/// Elements [first, first + count) of what a state holds, at byte `at` of its home on one rank.
struct ElementRange {
  int64_t first = 0, count = 0, at = 0;
};

int64_t elementsOf(const plan::State &state);

/// What one rank of its program holds of a state; count is 0 if nothing.
ElementRange heldRange(const plan::Plan &plan, const plan::State &state, int64_t rank);

/// Brings elements [first, ...) of a state's tensor, in the state's type; fills all of `out`.
using StateSource = std::function<Status(const plan::State &state, int64_t first, std::span<std::byte> out)>;
/// Takes elements [first, ...) of a state's tensor. A slice or a split comes in its runs within the tensor;
/// else they come in order.
using StateSink =
    std::function<Status(const plan::State &state, int64_t first, std::span<const std::byte> in)>;

class StateStream {
public:
  StateStream(const plan::Plan &plan, Executor &executor);
  /// For processes that do the same at the same time.
  StateStream(const plan::Plan &plan, Executor &executor, JobProcess &job);

  /// Fills every byte of every buffer that is a home, on every rank that the executor runs: elements
  /// from the source, padding with zero.
  Status writeAll(const StateSource &source);
  /// Hands all elements of one of the plan's states or gradients to the sink, from the ranks that hold them,
  /// as far as they are this process's.
  Status read(const plan::State &state, const StateSink &sink);
  /// The processes that together hold all.
  JobProcess &job() const { return *shared; }

private:
  Status writeHomes(const plan::Program &program, int64_t rank, const StateSource &source);
  Status writeHome(const plan::Program &program, uint32_t buffer, int64_t rank, const StateSource &source);
  Status fillFrom(const plan::State &state, int64_t rank, int64_t chunkStart, std::span<std::byte> chunk,
                  const StateSource &source);

  /// Ranks that together hold all of a state: piece by piece, of each those that have a place of its split.
  /// Groups of a program hold the same: the first one's ranks are asked.
  std::vector<std::vector<int64_t>> holdersOf(const plan::State &state) const;
  /// Hands elements [begin, end) of what each of these ranks holds to the sink, one rank after the other.
  Status readEach(const plan::State &state, const std::vector<int64_t> &ranks, int64_t begin, int64_t end,
                  const StateSink &sink);
  /// The same of whole rows of a split, which these ranks have all places of, joined to rows of the tensor:
  /// the part of a row that a rank has may be a few hundred bytes.
  Status readRows(const plan::State &state, const std::vector<int64_t> &ranks, int64_t begin, int64_t end,
                  const StateSink &sink);
  /// Those of elements [begin, end) that readRows() takes: whole rows that fit staging and rest in this
  /// process; none: [end, end).
  std::pair<int64_t, int64_t> rowsTogether(const plan::State &state, const std::vector<int64_t> &ranks,
                                           int64_t begin, int64_t end) const;

  const plan::Plan &plan;
  Executor &executor;
  JobProcess alone;
  JobProcess *shared;
  std::unordered_map<const plan::State *, const plan::Program *> programs; ///< whose states these are
  std::vector<std::byte> staging, rows;
};

/// What the initialisers say: element i of a state depends only on the seed, the tensor's name and i. Drawn
/// by as many threads as the process has processors; the source is called by one at a time.
StateSource initialValues(uint64_t seed);

} // namespace windlass
