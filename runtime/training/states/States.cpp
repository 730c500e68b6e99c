// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/States.h"

#include "runtime/base/Cores.h"
#include "runtime/base/Random.h"
#include "runtime/kernels/KernelTeam.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/training/states/StoredValues.h"
#include <algorithm>
#include <array>
#include <memory>
#include <set>

namespace windlass {
namespace {

/// A multiple of 4 KiB, the NVMe tier's unit, and of 64 elements.
constexpr size_t kStagingBytes = 1 << 20;

/// Visits elements [first, first + bytes.size()) of what a state holds as runs that are contiguous in its
/// local tensor, each by its first element there. Without a slice all is one run; a slice has one for every
/// index of the dimensions before the last that it shortens.
template <typename Byte, typename Visitor>
Status forEachLocalRun(const plan::State &state, int64_t first, std::span<Byte> bytes, Visitor visit) {
  const auto &[whole, begin] = state.slice;
  if (whole.empty())
    return visit(first, bytes);
  size_t last = 0;
  for (size_t dim = 0; dim < whole.size(); ++dim)
    if (state.shape[dim] != whole[dim])
      last = dim;
  int64_t inner = 1; // elements from one index of `last` to the next
  for (size_t dim = last + 1; dim < whole.size(); ++dim)
    inner *= whole[dim];
  const int64_t run = state.shape[last] * inner, elementBytes = plan::bytesOf(state.type);
  auto beginOf = [&](int64_t row) {
    int64_t at = begin[last] * inner, stride = whole[last] * inner;
    for (size_t dim = last; dim-- > 0; row /= state.shape[dim], stride *= whole[dim])
      at += (begin[dim] + row % state.shape[dim]) * stride;
    return at;
  };
  while (!bytes.empty()) {
    const int64_t within = first % run;
    const int64_t count = std::min<int64_t>(run - within, std::ssize(bytes) / elementBytes);
    WINDLASS_TRY(
        visit(beginOf(first / run) + within, bytes.first(static_cast<size_t>(count * elementBytes))));
    first += count;
    bytes = bytes.subspan(static_cast<size_t>(count * elementBytes));
  }
  return Status::ok();
}

/// Visits elements [first, first + bytes.size()) of the local tensor of a rank, at a place along the axis of
/// its state's split, as runs that are contiguous in the tensor. Padding is passed over.
template <typename Byte, typename Visitor>
Status forEachSplitRun(const plan::State &state, int64_t place, int64_t first, std::span<Byte> bytes,
                       Visitor visit) {
  const plan::Split &split = state.split;
  if (split.whole.empty())
    return visit(first, bytes);
  const int64_t elementBytes = plan::bytesOf(state.type);
  const int64_t held = std::clamp<int64_t>(split.period - place * split.width, 0, split.width);
  while (!bytes.empty()) {
    const int64_t within = first % split.width;
    const int64_t count = std::min<int64_t>(split.width - within, std::ssize(bytes) / elementBytes);
    if (const int64_t real = std::min(count, held - within); real > 0)
      WINDLASS_TRY(visit(first / split.width * split.period + place * split.width + within,
                         bytes.first(static_cast<size_t>(real * elementBytes))));
    first += count;
    bytes = bytes.subspan(static_cast<size_t>(count * elementBytes));
  }
  return Status::ok();
}

/// Visits elements [first, first + bytes.size()) of what a rank holds of a state as runs that are contiguous
/// in its tensor, each by its first element there. Padding is passed over.
template <typename Byte, typename Visitor>
Status forEachRun(const plan::Plan &plan, const plan::State &state, int64_t rank, int64_t first,
                  std::span<Byte> bytes, Visitor visit) {
  const int64_t place =
      state.split.whole.empty() ? 0 : plan::placeInGroup(plan, {&state.split.axis, 1}, rank);
  return forEachLocalRun(state, first, bytes, [&](int64_t local, std::span<Byte> run) {
    return forEachSplitRun(state, place, local, run, visit);
  });
}

} // namespace

int64_t elementsOf(const plan::State &state) {
  int64_t n = 1;
  for (int64_t extent : state.shape)
    n *= extent;
  return n;
}

ElementRange heldRange(const plan::Plan &plan, const plan::State &state, int64_t rank) {
  const int64_t unitBegin = state.sharded ? placeInGroup(plan, state.axes, rank) * state.pieceElements : 0;
  const int64_t stateEnd = state.unitOffset + elementsOf(state);
  const int64_t begin = std::max(unitBegin, state.unitOffset);
  const int64_t end = state.sharded ? std::min(unitBegin + state.pieceElements, stateEnd) : stateEnd;
  if (begin >= end)
    return {};
  return {begin - state.unitOffset, end - begin, (begin - unitBegin) * plan::bytesOf(state.type)};
}

StateStream::StateStream(const plan::Plan &plan, Executor &executor) : StateStream(plan, executor, alone) {}

StateStream::StateStream(const plan::Plan &plan, Executor &executor, JobProcess &job)
    : plan(plan), executor(executor), shared(&job), staging(kStagingBytes) {
  for (const plan::Program &program : plan.programs)
    for (const std::vector<plan::State> *states : {&program.states, &program.gradients})
      for (const plan::State &state : *states)
        programs.emplace(&state, &program);
}

Status StateStream::writeAll(const StateSource &source) {
  for (const plan::Program &program : plan.programs)
    for (int64_t rank : executor.ranks().in(plan::RankSet::of(program)))
      WINDLASS_TRY(writeHomes(program, rank, source));
  return Status::ok();
}

Status StateStream::writeHomes(const plan::Program &program, int64_t rank, const StateSource &source) {
  std::set<uint32_t> homes;
  for (const plan::State &state : program.states)
    if (plan::isHeld(plan, program, state.home, rank))
      homes.insert(state.home.buffer);
  for (uint32_t buffer : homes)
    WINDLASS_TRY(
        writeHome(program, buffer, rank, source).in("buffer \"" + program.buffers[buffer].name + "\""));
  return Status::ok();
}

Status StateStream::writeHome(const plan::Program &program, uint32_t buffer, int64_t rank,
                              const StateSource &source) {
  const plan::Operand whole = {buffer, 0, program.buffers[buffer].bytes, {}};
  for (int64_t at = 0; at < whole.bytes; at += static_cast<int64_t>(staging.size())) {
    std::span chunk(staging.data(), static_cast<size_t>(std::min<int64_t>(whole.bytes - at, staging.size())));
    std::fill(chunk.begin(), chunk.end(), std::byte{0});
    for (const plan::State &state : program.states)
      if (state.home.buffer == buffer)
        WINDLASS_TRY(fillFrom(state, rank, at, chunk, source));
    WINDLASS_TRY(executor.writeBytes(rank, whole, at, chunk));
  }
  return Status::ok();
}

/// The part of a state that lies in the chunk, which begins at byte chunkStart of the buffer.
Status StateStream::fillFrom(const plan::State &state, int64_t rank, int64_t chunkStart,
                             std::span<std::byte> chunk, const StateSource &source) {
  const int64_t elementBytes = plan::bytesOf(state.type);
  const ElementRange held = heldRange(plan, state, rank);
  const int64_t stateStart = plan::bufferOffset(plan, state.home, rank) + held.at;
  const int64_t begin = std::max(stateStart, chunkStart);
  const int64_t end = std::min(stateStart + held.count * elementBytes, chunkStart + std::ssize(chunk));
  if (begin >= end)
    return Status::ok();
  return forEachRun(plan, state, rank, held.first + (begin - stateStart) / elementBytes,
                    chunk.subspan(static_cast<size_t>(begin - chunkStart), static_cast<size_t>(end - begin)),
                    [&](int64_t first, std::span<std::byte> run) { return source(state, first, run); });
}

Status StateStream::read(const plan::State &state, const StateSink &sink) {
  for (const std::vector<int64_t> &ranks : holdersOf(state)) {
    const ElementRange held = heldRange(plan, state, ranks.front());
    const int64_t begin = held.first, end = held.first + held.count;
    const auto [rowsBegin, rowsEnd] = rowsTogether(state, ranks, begin, end);
    WINDLASS_TRY(readEach(state, ranks, begin, rowsBegin, sink));
    WINDLASS_TRY(readRows(state, ranks, rowsBegin, rowsEnd, sink));
    WINDLASS_TRY(readEach(state, ranks, rowsEnd, end, sink));
  }
  return Status::ok();
}

Status StateStream::readEach(const plan::State &state, const std::vector<int64_t> &ranks, int64_t begin,
                             int64_t end, const StateSink &sink) {
  const int64_t elementBytes = plan::bytesOf(state.type),
                most = static_cast<int64_t>(staging.size()) / elementBytes;
  for (int64_t rank : ranks) {
    if (!executor.ranks().contains(rank))
      continue;
    const ElementRange held = heldRange(plan, state, rank);
    for (int64_t first = begin, count = 0; first < end; first += count) {
      count = std::min(end - first, most);
      std::span chunk(staging.data(), static_cast<size_t>(count * elementBytes));
      WINDLASS_TRY(
          executor.readBytes(rank, state.home, held.at + (first - held.first) * elementBytes, chunk));
      WINDLASS_TRY(
          forEachRun(plan, state, rank, first, std::span<const std::byte>(chunk),
                     [&](int64_t at, std::span<const std::byte> run) { return sink(state, at, run); }));
    }
  }
  return Status::ok();
}

std::pair<int64_t, int64_t> StateStream::rowsTogether(const plan::State &state,
                                                      const std::vector<int64_t> &ranks, int64_t begin,
                                                      int64_t end) const {
  const plan::Split &split = state.split;
  const bool isHere =
      std::ranges::all_of(ranks, [&](int64_t rank) { return executor.ranks().contains(rank); });
  if (split.whole.empty() || !state.slice.whole.empty() || !isHere ||
      split.period * plan::bytesOf(state.type) > static_cast<int64_t>(staging.size()))
    return {end, end};
  const int64_t first = (begin + split.width - 1) / split.width * split.width;
  return first < end ? std::pair(first, end / split.width * split.width) : std::pair(end, end);
}

Status StateStream::readRows(const plan::State &state, const std::vector<int64_t> &ranks, int64_t begin,
                             int64_t end, const StateSink &sink) {
  if (begin == end) // of no split, maybe
    return Status::ok();
  const plan::Split &split = state.split;
  const int64_t elementBytes = plan::bytesOf(state.type), rowBytes = split.period * elementBytes,
                mostRows = static_cast<int64_t>(staging.size()) / rowBytes;
  for (int64_t first = begin, count = 0; first < end; first += count) {
    count = std::min(end - first, mostRows * split.width);
    rows.resize(static_cast<size_t>(count / split.width * rowBytes));
    std::span chunk(staging.data(), static_cast<size_t>(count * elementBytes));
    const int64_t at = first / split.width * split.period;
    for (int64_t rank : ranks) {
      const ElementRange held = heldRange(plan, state, rank);
      WINDLASS_TRY(
          executor.readBytes(rank, state.home, held.at + (first - held.first) * elementBytes, chunk));
      WINDLASS_TRY(forEachRun(plan, state, rank, first, std::span<const std::byte>(chunk),
                              [&](int64_t place, std::span<const std::byte> run) {
                                std::ranges::copy(run, rows.begin() + (place - at) * elementBytes);
                                return Status::ok();
                              }));
    }
    WINDLASS_TRY(sink(state, at, rows));
  }
  return Status::ok();
}

std::vector<std::vector<int64_t>> StateStream::holdersOf(const plan::State &state) const {
  const plan::Program &program = *programs.at(&state);
  std::vector<int64_t> firsts = {program.firstRank}; // of each place
  if (const plan::Axes axis(&state.split.axis, 1); !state.split.whole.empty())
    firsts = membersOf(plan, axis, groupOf(plan, axis, program.firstRank));
  std::vector<std::vector<int64_t>> holders; // by piece
  const auto hold = [&](size_t piece, int64_t rank) {
    holders.resize(std::max(holders.size(), piece + 1));
    holders[piece].push_back(rank);
  };
  const int64_t owner = program.buffers[state.home.buffer].owner;
  for (int64_t first : firsts) {
    const auto members = membersOf(plan, state.axes, groupOf(plan, state.axes, first));
    if (owner != plan::kEveryRank)
      hold(0, members[static_cast<size_t>(owner)]);
    else if (!state.sharded)
      hold(0, first);
    else
      for (size_t piece = 0; piece < members.size(); ++piece)
        hold(piece, members[piece]);
  }
  return holders;
}

namespace {

/// Elements of a state's initialiser, from `first` on.
struct Drawn {
  const plan::State &state;
  bool isWeight;
  RandomStream random;
  int64_t first;
  std::byte *out;

  /// As a kernel that a team runs: [begin, end) of the elements.
  static void fill(void *const *self, int64_t begin, int64_t end) {
    const Drawn &drawn = *static_cast<const Drawn *>(*self);
    const plan::State &state = drawn.state;
    const bool normal = drawn.isWeight && state.init.kind == plan::InitKind::Normal;
    const float constant = drawn.isWeight ? static_cast<float>(state.init.value) : 0.0f;
    const int64_t elementBytes = plan::bytesOf(state.type);
    std::array<double, 4> quad = {};
    for (int64_t i = begin; i < end; ++i) {
      const int64_t element = drawn.first + i;
      if (normal && (i == begin || element % 4 == 0))
        quad = drawn.random.normals(static_cast<uint64_t>(element) / 4);
      const float value = static_cast<float>(state.init.mean + state.init.std * quad[element % 4]);
      storeElement(state.type, normal ? value : constant, drawn.out + i * elementBytes);
    }
  }
};

} // namespace

StateSource initialValues(uint64_t seed) {
  constexpr int64_t kGrain = 4096; // elements that are worth another thread
  auto team = std::make_shared<KernelTeam>(std::ssize(processorsHere()));
  return [seed, team](const plan::State &state, int64_t first, std::span<std::byte> out) {
    const bool isWeight = state.cls == plan::StateClass::Parameter || state.cls == plan::StateClass::Master;
    Drawn drawn{state, isWeight, RandomStream(seed, /*step=*/0, streamOf(state.name)), first, out.data()};
    void *self = &drawn;
    team->run(Drawn::fill, &self, 0, std::ssize(out) / plan::bytesOf(state.type), kGrain);
    return Status::ok();
  };
}

} // namespace windlass
