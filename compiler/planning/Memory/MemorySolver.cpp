#include "compiler/planning/Memory/MemorySolver.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace windlass::planning {
namespace {

/// Work allowed for all packings together, in visits of a neighbour: about a second.
constexpr int64_t kVisits = 40'000'000;
constexpr int kPromotions = 64;

int64_t aligned(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

enum class Fit { Best, First };

class Packer {
public:
  explicit Packer(const MemoryProblem &problem) : buffers(problem.buffers) {}

  Status validate() const;
  void findNeighbours();
  Result<MemorySolution> solve();

private:
  using Order = std::vector<uint32_t>;
  struct Packing {
    std::vector<int64_t> offset;
    int64_t peak = 0;
  };

  template <typename Key> Order orderBy(Key key) const;
  int64_t gapFor(uint32_t buffer, Fit fit, const std::vector<int64_t> &offset);
  Packing pack(const Order &order, Fit fit);
  void keep(const Order &order, Fit fit, const std::string &method);
  void promote();
  bool isGoodEnough() const { return solution.peak <= solution.lowerBound + solution.lowerBound / 1000; }
  bool mayVisit() const { return visits + 2 * static_cast<int64_t>(alive.size()) <= kVisits; }
  Status fixedOverlap() const;

  const std::vector<MemoryBuffer> &buffers;
  /// Buffers alive at the same time as buffer i: those alive when it begins, alive[reach[i].alive...], and
  /// those that begin while it lives, byBegin[reach[i].begin...].
  struct Reach {
    size_t alive = 0, aliveEnd = 0, begin = 0, beginEnd = 0;
    size_t count() const { return aliveEnd - alive + beginEnd - begin; }
  };
  template <typename Visit> void forNeighbours(uint32_t buffer, Visit visit) const {
    const Reach &near = reach[buffer];
    for (size_t i = near.alive; i < near.aliveEnd; ++i)
      visit(alive[i]);
    for (size_t i = near.begin; i < near.beginEnd; ++i)
      visit(byBegin[i]);
  }
  std::vector<uint32_t> byBegin, alive;
  std::vector<Reach> reach;
  std::vector<std::pair<int64_t, int64_t>> taken; ///< scratch of gapFor
  int64_t visits = 0;
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

/// One sweep over the order: who is alive when a buffer begins, and how many bytes that is at most.
void Packer::findNeighbours() {
  for (uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0 && buffers[i].begin < buffers[i].end)
      byBegin.push_back(i);
  std::stable_sort(byBegin.begin(), byBegin.end(),
                   [&](uint32_t a, uint32_t b) { return buffers[a].begin < buffers[b].begin; });
  reach.resize(buffers.size());
  std::vector<uint32_t> live;
  for (size_t i = 0; i < byBegin.size(); ++i) {
    const MemoryBuffer &buffer = buffers[byBegin[i]];
    Reach &near = reach[byBegin[i]];
    std::erase_if(live, [&](uint32_t other) { return buffers[other].end <= buffer.begin; });
    int64_t bytes = buffer.bytes;
    for (uint32_t other : live)
      bytes += buffers[other].bytes;
    solution.lowerBound = std::max(solution.lowerBound, bytes);
    near.alive = alive.size();
    alive.insert(alive.end(), live.begin(), live.end());
    near.aliveEnd = alive.size();
    near.begin = i + 1;
    near.beginEnd = std::partition_point(byBegin.begin() + static_cast<int64_t>(i) + 1, byBegin.end(),
                                         [&](uint32_t other) { return buffers[other].begin < buffer.end; }) -
                    byBegin.begin();
    live.push_back(byBegin[i]);
  }
}

template <typename Key> Packer::Order Packer::orderBy(Key key) const {
  Order order(buffers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key(buffers[a]) > key(buffers[b]); });
  return order;
}

/// The offset where the buffer fits among its neighbours that have one.
int64_t Packer::gapFor(uint32_t index, Fit fit, const std::vector<int64_t> &offset) {
  const MemoryBuffer &buffer = buffers[index];
  taken.clear();
  forNeighbours(index, [&](uint32_t other) {
    if (int64_t at = offset[other]; at >= 0)
      taken.emplace_back(at, at + buffers[other].bytes);
  });
  visits += static_cast<int64_t>(reach[index].count());
  std::sort(taken.begin(), taken.end());
  int64_t best = -1, bestWaste = std::numeric_limits<int64_t>::max(), free = 0;
  for (auto [begin, end] : taken) {
    int64_t start = aligned(free, buffer.alignment);
    if (start + buffer.bytes <= begin && begin - free < bestWaste) {
      best = start;
      bestWaste = begin - free;
      if (fit == Fit::First)
        return best;
    }
    free = std::max(free, end);
  }
  return best >= 0 ? best : aligned(free, buffer.alignment);
}

Packer::Packing Packer::pack(const Order &order, Fit fit) {
  Packing packing;
  packing.offset.assign(buffers.size(), -1);
  for (uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].fixedOffset)
      packing.offset[i] = *buffers[i].fixedOffset;
  for (uint32_t index : order) {
    if (packing.offset[index] < 0)
      packing.offset[index] = gapFor(index, fit, packing.offset);
    packing.peak = std::max(packing.peak, packing.offset[index] + buffers[index].bytes);
  }
  return packing;
}

void Packer::keep(const Order &order, Fit fit, const std::string &method) {
  Packing packing = pack(order, fit);
  if (!solution.offset.empty() && packing.peak >= solution.peak)
    return;
  solution.offset = std::move(packing.offset);
  solution.peak = packing.peak;
  solution.method = method;
  bestOrder = order;
  bestFit = fit;
}

/// Moves the buffers that reach the peak to the front of the best order, as long as that helps or time is
/// left.
void Packer::promote() {
  Order order = bestOrder;
  Packing packing{solution.offset, solution.peak};
  for (int round = 0; round < kPromotions && mayVisit() && !isGoodEnough(); ++round) {
    std::stable_partition(order.begin(), order.end(), [&](uint32_t i) {
      return packing.offset[i] + buffers[i].bytes == packing.peak && !buffers[i].fixedOffset;
    });
    packing = pack(order, bestFit);
    if (packing.peak < solution.peak) {
      solution.offset = packing.offset;
      solution.peak = packing.peak;
      solution.method += solution.method.ends_with("promoted") ? "" : ", promoted";
    }
  }
}

Status Packer::fixedOverlap() const {
  Status failure;
  for (uint32_t i : byBegin)
    if (const MemoryBuffer &buffer = buffers[i]; buffer.fixedOffset)
      forNeighbours(i, [&](uint32_t index) {
        const MemoryBuffer &other = buffers[index];
        if (failure.isOk() && other.fixedOffset && *other.fixedOffset < *buffer.fixedOffset + buffer.bytes &&
            *buffer.fixedOffset < *other.fixedOffset + other.bytes)
          failure = Status::badInput("buffers \"" + buffer.id + "\" and \"" + other.id +
                                     "\" are fixed to the same bytes at the same time");
      });
  return failure;
}

Result<MemorySolution> Packer::solve() {
  WINDLASS_TRY(validate());
  findNeighbours();
  WINDLASS_TRY(fixedOverlap());
  for (const MemoryBuffer &buffer : buffers)
    if (buffer.fixedOffset)
      solution.lowerBound = std::max(solution.lowerBound, *buffer.fixedOffset + buffer.bytes);
  using Key = std::pair<int64_t, int64_t>;
  auto life = [](const MemoryBuffer &buffer) { return buffer.end - buffer.begin; };
  struct Candidate {
    const char *name;
    Order order;
  };
  std::array<Candidate, 4> candidates = {{
      {"size", orderBy([&](const MemoryBuffer &b) { return Key(b.bytes, life(b)); })},
      {"area", orderBy([&](const MemoryBuffer &b) {
         return std::pair(static_cast<double>(b.bytes) * static_cast<double>(life(b)), b.bytes);
       })},
      {"lifetime", orderBy([&](const MemoryBuffer &b) { return Key(life(b), b.bytes); })},
      {"start", orderBy([&](const MemoryBuffer &b) { return Key(-b.begin, b.bytes); })},
  }};
  for (const Candidate &candidate : candidates)
    for (Fit fit : {Fit::Best, Fit::First})
      if (solution.offset.empty() || (mayVisit() && !isGoodEnough()))
        keep(candidate.order, fit,
             std::string(candidate.name) + (fit == Fit::Best ? ", best fit" : ", first fit"));
  promote();
  return std::move(solution);
}

} // namespace

Result<MemorySolution> solveMemory(const MemoryProblem &problem) { return Packer(problem).solve(); }

} // namespace windlass::planning
