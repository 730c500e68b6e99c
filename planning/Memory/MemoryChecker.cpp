// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/MemoryChecker.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace windlass::planning {
namespace {

/// One end of a lifetime. At equal positions ends come before beginnings: [begin, end) is half open.
struct Moment {
  int64_t position = 0;
  bool begins = false;
  size_t buffer = 0;
  auto key() const { return std::tuple(position, begins, buffer); }
};

std::string quoted(const MemoryBuffer &buffer, int64_t offset) {
  return "\"" + buffer.id + "\" [" + std::to_string(offset) + ", " + std::to_string(offset + buffer.bytes) +
         ")";
}

} // namespace

Status checkMemory(const MemoryProblem &problem, const MemorySolution &solution) {
  if (solution.offset.size() != problem.buffers.size())
    return Status::internal(std::to_string(solution.offset.size()) + " offsets for " +
                            std::to_string(problem.buffers.size()) + " buffers");
  std::vector<Moment> moments;
  int64_t peak = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const MemoryBuffer &buffer = problem.buffers[i];
    int64_t offset = solution.offset[i];
    if (offset < 0 || offset % buffer.alignment != 0)
      return Status::internal(quoted(buffer, offset) + " is not at a multiple of " +
                              std::to_string(buffer.alignment));
    if (buffer.fixedOffset && *buffer.fixedOffset != offset)
      return Status::internal(quoted(buffer, offset) + " is fixed at " + std::to_string(*buffer.fixedOffset));
    peak = std::max(peak, offset + buffer.bytes);
    if (buffer.bytes > 0 && buffer.begin < buffer.end) {
      moments.push_back({buffer.begin, true, i});
      moments.push_back({buffer.end, false, i});
    }
  }
  if (peak != solution.peak)
    return Status::internal("the arena needs " + std::to_string(peak) + " bytes, not " +
                            std::to_string(solution.peak));
  std::sort(moments.begin(), moments.end(),
            [](const Moment &a, const Moment &b) { return a.key() < b.key(); });
  std::map<int64_t, size_t> live; // by offset
  for (const Moment &moment : moments) {
    int64_t offset = solution.offset[moment.buffer];
    if (!moment.begins) {
      live.erase(offset);
      continue;
    }
    const MemoryBuffer &buffer = problem.buffers[moment.buffer];
    auto next = live.lower_bound(offset);
    size_t neighbour = problem.buffers.size();
    if (next != live.end() && next->first < offset + buffer.bytes)
      neighbour = next->second;
    else if (next != live.begin() &&
             std::prev(next)->first + problem.buffers[std::prev(next)->second].bytes > offset)
      neighbour = std::prev(next)->second;
    if (neighbour != problem.buffers.size())
      return Status::internal(quoted(buffer, offset) + " shares bytes with " +
                              quoted(problem.buffers[neighbour], solution.offset[neighbour]) +
                              " at position " + std::to_string(moment.position));
    live.emplace(offset, moment.buffer);
  }
  return Status::ok();
}

} // namespace windlass::planning
