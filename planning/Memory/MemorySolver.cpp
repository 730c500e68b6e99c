// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/MemorySolver.h"

#include "planning/Memory/OccupiedBytes.h"
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace windlass::planning {
namespace {

/// The most placements of buffers in all packings together, beyond those of the first packing.
constexpr int64_t kPlacements = 64'000;
/// The most rounds in which the buffers at the peak of a packing are moved to the front of the order.
constexpr int kPromotions = 64;
/// A peak that no packing reaches.
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

int64_t aligned(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

bool takesBytes(const MemoryBuffer &buffer) { return buffer.bytes > 0 && buffer.begin < buffer.end; }

int64_t lifeOf(const MemoryBuffer &buffer) { return buffer.end - buffer.begin; }

enum class Fit { Best, First };

/// The key of a packing's order: the buffer with the largest key is placed first. The pressure of a buffer is
/// the largest sum of live bytes at any position of its life.
using Key = std::pair<double, double>;
struct Rule {
  const char *name;
  Key (*key)(const MemoryBuffer &, int64_t pressure);
};
constexpr std::array<Rule, 6> kRules = {{
    {"size", [](const MemoryBuffer &b, int64_t) { return Key(b.bytes, lifeOf(b)); }},
    {"pressure and size", [](const MemoryBuffer &b, int64_t pressure) { return Key(pressure, b.bytes); }},
    {"pressure and lifetime",
     [](const MemoryBuffer &b, int64_t pressure) { return Key(pressure, lifeOf(b)); }},
    {"area",
     [](const MemoryBuffer &b, int64_t) {
       return Key(static_cast<double>(b.bytes) * static_cast<double>(lifeOf(b)), b.bytes);
     }},
    {"lifetime", [](const MemoryBuffer &b, int64_t) { return Key(lifeOf(b), b.bytes); }},
    {"start", [](const MemoryBuffer &b, int64_t) { return Key(-b.begin, b.bytes); }},
}};

class Packer {
public:
  Packer(const MemoryProblem &problem, const MemoryOptions &options)
      : problem(problem), buffers(problem.buffers), options(options) {}

  Result<MemorySolution> solve();

private:
  using Order = std::vector<uint32_t>;
  struct Packing {
    std::vector<int64_t> offset;
    int64_t peak = 0;
  };

  Status validate() const;
  void findSpans();
  void findPressure();
  Status checkFixed();
  Order orderBy(const Rule &rule) const;
  int64_t gapFor(uint32_t buffer, Fit fit);
  void take(uint32_t buffer, int64_t offset);
  /// Stops where the peak is no less than `most`.
  Packing pack(const Order &order, Fit fit, int64_t most = kNoLimit);
  void keep(const Order &order, Fit fit, const std::string &method);
  void promote();
  bool isGoodEnough() const {
    return solution.peak <= std::max(options.enough, solution.lowerBound + solution.lowerBound / 1000);
  }
  bool mayPack() const { return placements + static_cast<int64_t>(buffers.size()) <= kPlacements; }

  /// The life of a buffer, in positions at which some buffer begins, for lives that overlap share such a
  /// position. Empty for a buffer without bytes or without positions.
  struct Span {
    size_t begin = 0, end = 0;
    bool isEmpty() const { return begin >= end; }
  };

  const MemoryProblem &problem;
  const std::vector<MemoryBuffer> &buffers;
  const MemoryOptions &options;
  std::vector<Span> spans;
  std::vector<int64_t> pressure;
  size_t positions = 0;
  int64_t granule = 0; ///< every offset is a multiple of it
  std::optional<OccupiedBytes> occupied;
  int64_t placements = 0;
  MemorySolution solution;
  Order bestOrder;
  Fit bestFit = Fit::Best;
};

Status Packer::validate() const {
  int64_t total = 0;
  for (const MemoryBuffer &buffer : buffers) {
    bool powerOfTwo = buffer.alignment > 0 && (buffer.alignment & (buffer.alignment - 1)) == 0;
    if (!powerOfTwo || buffer.alignment > (int64_t(1) << 30))
      return Status::badInput("buffer \"" + buffer.id + "\": alignment must be a power of two, is " +
                              std::to_string(buffer.alignment));
    if (buffer.bytes < 0 || buffer.bytes > (int64_t(1) << 60) - total)
      return Status::badInput("buffer \"" + buffer.id +
                              "\": bytes must be zero or more and 2^60 in all, is " +
                              std::to_string(buffer.bytes));
    if (buffer.begin > buffer.end)
      return Status::badInput("buffer \"" + buffer.id + "\": begins at " + std::to_string(buffer.begin) +
                              ", after its end at " + std::to_string(buffer.end));
    if (buffer.fixedOffset && (*buffer.fixedOffset < 0 || *buffer.fixedOffset % buffer.alignment != 0 ||
                               *buffer.fixedOffset > (int64_t(1) << 60)))
      return Status::badInput("buffer \"" + buffer.id + "\": fixed offset " +
                              std::to_string(*buffer.fixedOffset) + " is not a multiple of " +
                              std::to_string(buffer.alignment));
    total += buffer.bytes;
  }
  return Status::ok();
}

void Packer::findSpans() {
  granule = int64_t(1) << 30;
  std::vector<int64_t> begins;
  for (const MemoryBuffer &buffer : buffers) {
    granule = std::min(granule, buffer.alignment);
    if (takesBytes(buffer))
      begins.push_back(buffer.begin);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  auto position = [&](int64_t at) {
    return static_cast<size_t>(std::lower_bound(begins.begin(), begins.end(), at) - begins.begin());
  };
  for (const MemoryBuffer &buffer : buffers)
    spans.push_back(takesBytes(buffer) ? Span{position(buffer.begin), position(buffer.end)} : Span());
  positions = begins.size();
  occupied.emplace(positions, buffers.size());
}

/// A sparse table of maxima: largest values of ranges whose lengths are powers of two. Two such ranges, which
/// may overlap, cover any life.
void Packer::findPressure() {
  std::vector<std::vector<int64_t>> largest(1);
  std::vector<int64_t> &live = largest.front();
  live.assign(positions + 1, 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    live[spans[i].begin] += spans[i].isEmpty() ? 0 : buffers[i].bytes;
    live[spans[i].end] -= spans[i].isEmpty() ? 0 : buffers[i].bytes;
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  for (size_t length = 2; length <= positions; length *= 2) {
    const std::vector<int64_t> &half = largest.back();
    std::vector<int64_t> whole(positions - length + 1);
    for (size_t i = 0; i < whole.size(); ++i)
      whole[i] = std::max(half[i], half[i + length / 2]);
    largest.push_back(std::move(whole));
  }
  for (const Span &span : spans) {
    size_t level = span.isEmpty() ? 0 : std::bit_width(span.end - span.begin) - 1;
    pressure.push_back(span.isEmpty() ? 0
                                      : std::max(largest[level][span.begin],
                                                 largest[level][span.end - (size_t(1) << level)]));
  }
}

Packer::Order Packer::orderBy(const Rule &rule) const {
  std::vector<Key> keys;
  for (const MemoryBuffer &buffer : buffers)
    keys.push_back(rule.key(buffer, pressure[keys.size()]));
  Order order(buffers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] > keys[b]; });
  return order;
}

/// The offset of a gap for the buffer, between placed buffers that are live with it.
int64_t Packer::gapFor(uint32_t index, Fit fit) {
  if (spans[index].isEmpty())
    return 0;
  const MemoryBuffer &buffer = buffers[index];
  int64_t best = -1, bestWaste = std::numeric_limits<int64_t>::max(), free = 0;
  occupied->forTaken(spans[index].begin, spans[index].end, [&](const ByteRange &taken) {
    const int64_t waste = taken.begin - free;
    if (waste >= buffer.bytes && waste < bestWaste &&
        aligned(free, buffer.alignment) + buffer.bytes <= taken.begin) {
      best = aligned(free, buffer.alignment);
      bestWaste = waste;
    }
    free = std::max(free, taken.end);
    const bool isTightest = bestWaste == buffer.bytes || (fit == Fit::First && best >= 0);
    return !isTightest;
  });
  return best >= 0 ? best : aligned(free, buffer.alignment);
}

/// Rounds sizes up to the granule, so that the byte ranges of neighbouring buffers join.
void Packer::take(uint32_t index, int64_t offset) {
  if (!spans[index].isEmpty())
    occupied->take(spans[index].begin, spans[index].end,
                   {offset, aligned(offset + buffers[index].bytes, granule)});
}

Packer::Packing Packer::pack(const Order &order, Fit fit, int64_t most) {
  placements += static_cast<int64_t>(buffers.size());
  occupied->clear();
  Packing packing;
  packing.offset.assign(buffers.size(), -1);
  for (uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].fixedOffset)
      take(i, packing.offset[i] = *buffers[i].fixedOffset);
  for (uint32_t index : order) {
    if (packing.offset[index] < 0)
      take(index, packing.offset[index] = gapFor(index, fit));
    packing.peak = std::max(packing.peak, packing.offset[index] + buffers[index].bytes);
    if (packing.peak >= most)
      break;
  }
  return packing;
}

void Packer::keep(const Order &order, Fit fit, const std::string &method) {
  const int64_t most = solution.offset.empty() ? kNoLimit : solution.peak;
  Packing packing = pack(order, fit, most);
  if (packing.peak >= most)
    return;
  solution.offset = std::move(packing.offset);
  solution.peak = packing.peak;
  solution.method = method;
  bestOrder = order;
  bestFit = fit;
}

/// Local search: moves the buffers that reach the peak to the front of the best order and packs again, as
/// long as placements are left and the order is a new one: from an order it was at, it would go the same way.
void Packer::promote() {
  Order order = bestOrder;
  Packing packing{solution.offset, solution.peak};
  std::set<Order> packed = {order};
  for (int round = 0; round < kPromotions && mayPack() && !isGoodEnough(); ++round) {
    std::stable_partition(order.begin(), order.end(), [&](uint32_t i) {
      return packing.offset[i] + buffers[i].bytes == packing.peak && !buffers[i].fixedOffset;
    });
    if (!packed.insert(order).second)
      break;
    packing = pack(order, bestFit);
    if (packing.peak < solution.peak) {
      solution.offset = packing.offset;
      solution.peak = packing.peak;
      solution.method += solution.method.ends_with("promoted") ? "" : ", promoted";
    }
  }
}

/// Whether no two buffers with fixed offsets share bytes while both are live.
Status Packer::checkFixed() {
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].fixedOffset || spans[i].isEmpty())
      continue;
    ByteRange mine{*buffers[i].fixedOffset, *buffers[i].fixedOffset + buffers[i].bytes};
    auto meets = [&](const ByteRange &other) { return other.begin < mine.end && mine.begin < other.end; };
    bool isFree = true;
    occupied->forTaken(spans[i].begin, spans[i].end,
                       [&](const ByteRange &taken) { return isFree = !meets(taken); });
    if (isFree) {
      occupied->take(spans[i].begin, spans[i].end, mine);
      continue;
    }
    uint32_t other = 0;
    while (!buffers[other].fixedOffset || !(spans[other].begin < spans[i].end) ||
           !(spans[i].begin < spans[other].end) ||
           !meets({*buffers[other].fixedOffset, *buffers[other].fixedOffset + buffers[other].bytes}))
      ++other; // there is one
    return Status::badInput("buffers \"" + buffers[other].id + "\" and \"" + buffers[i].id +
                            "\" are fixed to the same bytes at the same time");
  }
  return Status::ok();
}

Result<MemorySolution> Packer::solve() {
  WINDLASS_TRY(validate());
  findSpans();
  WINDLASS_TRY(checkFixed());
  solution.lowerBound = mostLiveBytes(problem);
  for (const MemoryBuffer &buffer : buffers)
    if (buffer.fixedOffset)
      solution.lowerBound = std::max(solution.lowerBound, *buffer.fixedOffset + buffer.bytes);
  findPressure();
  for (const Rule &rule : kRules) {
    if (!solution.offset.empty() && (isGoodEnough() || !mayPack()))
      break;
    Order order = orderBy(rule);
    for (Fit fit : {Fit::Best, Fit::First})
      if (solution.offset.empty() || (!isGoodEnough() && mayPack()))
        keep(order, fit, std::string(rule.name) + (fit == Fit::Best ? ", best fit" : ", first fit"));
  }
  promote();
  return std::move(solution);
}

} // namespace

Result<MemorySolution> solveMemory(const MemoryProblem &problem, const MemoryOptions &options) {
  return Packer(problem, options).solve();
}

} // namespace windlass::planning
