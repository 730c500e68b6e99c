// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/nccl/SimNcclCollectives.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "test/support/cuda/nccl/SimNcclTransfers.h"
#include <atomic>
#include <cstring>

namespace windlass::test::sim_nccl {

using cuda::CuStream;
using cuda::NcclGroup;
using cuda::NcclResult;
using cuda::NcclType;

namespace {

std::atomic<int64_t> called = 0;

/// The buffers by rank; null for the rank itself.
using Desks = std::vector<std::shared_ptr<std::vector<std::byte>>>;

uint64_t addressOf(const void *device) { return reinterpret_cast<uint64_t>(device); }

std::optional<Seat> seatNamed(const std::string &name, NcclGroup group) {
  const std::scoped_lock lock(mutex);
  return seatOf(group, name.c_str());
}

int ranksOf(const Seat &seat) { return static_cast<int>(seat.club->gpus.size()); }

/// Checks that input and output are the same bytes, or have none in common, as NCCL asks.
void checkApart(const std::string &name, uint64_t from, uint64_t fromBytes, uint64_t to, uint64_t toBytes,
                uint64_t inPlace) {
  if (to != inPlace && from < to + toBytes && to < from + fromBytes)
    simDevice()->report(SimRule::LibraryMisuse, name + ": what goes in and what comes out overlap");
}

/// Adds `bytes` of stored numbers of `term` to `sum`. `widen` and `round` convert them.
template <typename Stored, typename Widen, typename Round>
void add(std::byte *sum, const std::byte *term, uint64_t bytes, Widen widen, Round round) {
  for (uint64_t at = 0; at < bytes; at += sizeof(Stored)) {
    Stored a, b;
    std::memcpy(&a, sum + at, sizeof a);
    std::memcpy(&b, term + at, sizeof b);
    const Stored both = round(widen(a) + widen(b));
    std::memcpy(sum + at, &both, sizeof both);
  }
}

bool isSummed(NcclType type) {
  return type == cuda::kNcclF32 || type == cuda::kNcclF64 || type == cuda::kNcclBf16 ||
         type == cuda::kNcclF16;
}

void add(NcclType type, std::byte *sum, const std::byte *term, uint64_t bytes) {
  const auto same = [](auto value) { return value; };
  if (type == cuda::kNcclF32)
    add<float>(sum, term, bytes, same, same);
  else if (type == cuda::kNcclF64)
    add<double>(sum, term, bytes, same, same);
  else if (type == cuda::kNcclBf16)
    add<uint16_t>(sum, term, bytes, widenBf16, roundToBf16);
  else
    add<uint16_t>(sum, term, bytes, widenF16, roundToF16);
}

/// The work of a rank when it has the parts of others: it sums them around the ring, its own part last.
SimDevice::LibraryWork ringSum(const std::string &name, NcclType type, int rank, uint64_t own, uint64_t to,
                               uint64_t bytes, Desks desks) {
  return [=](std::span<const SimRegion> regions) {
    SimOutcome outcome;
    const auto ranks = static_cast<int>(desks.size());
    const std::byte *mine = touchOperand(regions, own, bytes, true, false, "what goes into " + name, outcome);
    std::byte *out = touchOperand(regions, to, bytes, false, true, "what comes of " + name, outcome);
    if (!mine || !out)
      return outcome;
    std::vector<std::byte> sum = *desks[static_cast<size_t>((rank + 1) % ranks)];
    for (int step = 2; step < ranks; ++step)
      add(type, sum.data(), desks[static_cast<size_t>((rank + step) % ranks)]->data(), bytes);
    add(type, sum.data(), mine, bytes);
    std::memcpy(out, sum.data(), bytes);
    return outcome;
  };
}

/// Sums parts for rank `root`, or for each rank if `root` is negative. The parts lie `stride` bytes apart on
/// every rank.
NcclResult sum(const std::string &call, const void *from, uint64_t stride, void *to, size_t count,
               NcclType type, cuda::NcclOperation operation, int root, NcclGroup group, CuStream stream) {
  ++called;
  const std::string name = call + " of type " + std::to_string(static_cast<unsigned>(type));
  const std::optional<Seat> seat = seatNamed(name, group);
  if (!seat || operation != cuda::kNcclSum || !isSummed(type) || root >= ranksOf(*seat))
    return cuda::kNcclInvalidArgument;
  const uint64_t bytes = count * bytesOf(type);
  const auto partOf = [&](int rank) { return addressOf(from) + static_cast<uint64_t>(rank) * stride; };
  const bool sums = root < 0 || root == seat->rank;
  Collective all = {name, group, stream, bytes, {}, {}};
  Desks desks(static_cast<size_t>(ranksOf(*seat)));
  for (int other = 0; other < ranksOf(*seat); ++other) {
    if (other == seat->rank)
      continue;
    if (root < 0 || root == other)
      all.parts.push_back({other, true, {partOf(other)}});
    if (!sums)
      continue;
    auto &desk = desks[static_cast<size_t>(other)] = std::make_shared<std::vector<std::byte>>(bytes);
    all.parts.push_back({other, false, {0, desk}});
  }
  const uint64_t own = partOf(seat->rank);
  if (sums) {
    checkApart(name, addressOf(from), root < 0 ? bytes * desks.size() : bytes, addressOf(to), bytes, own);
    all.end = ringSum(name, type, seat->rank, own, addressOf(to), bytes, std::move(desks));
  }
  return add(all);
}

} // namespace

NcclResult allGather(const void *from, void *to, size_t count, NcclType type, NcclGroup group,
                     CuStream stream) {
  ++called;
  const std::string name = "ncclAllGather";
  const std::optional<Seat> seat = seatNamed(name, group);
  if (!seat)
    return cuda::kNcclInvalidArgument;
  const uint64_t bytes = count * bytesOf(type), own = addressOf(from);
  const auto pieceOf = [&](int rank) { return addressOf(to) + static_cast<uint64_t>(rank) * bytes; };
  Collective all = {name, group, stream, bytes, {}, {}};
  for (int other = 0; other < ranksOf(*seat); ++other)
    if (other != seat->rank) {
      all.parts.push_back({other, true, {own}});
      all.parts.push_back({other, false, {pieceOf(other)}});
    }
  const uint64_t piece = pieceOf(seat->rank);
  checkApart(name, own, bytes, addressOf(to), bytes * static_cast<uint64_t>(ranksOf(*seat)),
             own == piece ? addressOf(to) : 0);
  all.end = [=](std::span<const SimRegion> regions) {
    SimOutcome outcome;
    const std::byte *mine = touchOperand(regions, own, bytes, true, false, "what goes into " + name, outcome);
    std::byte *out = touchOperand(regions, piece, bytes, false, true, "what comes of " + name, outcome);
    if (mine && out)
      std::memmove(out, mine, bytes);
    return outcome;
  };
  return add(all);
}

NcclResult reduceScatter(const void *from, void *to, size_t count, NcclType type,
                         cuda::NcclOperation operation, NcclGroup group, CuStream stream) {
  return sum("ncclReduceScatter", from, count * bytesOf(type), to, count, type, operation, -1, group, stream);
}

NcclResult reduce(const void *from, void *to, size_t count, NcclType type, cuda::NcclOperation operation,
                  int root, NcclGroup group, CuStream stream) {
  return sum("ncclReduce", from, 0, to, count, type, operation, root, group, stream);
}

int64_t collectives() { return called; }

} // namespace windlass::test::sim_nccl
