// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "ProgramTitle.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

constexpr size_t kLargestShown = 12;
constexpr size_t kSharersShown = 3;

std::vector<const Buffer *> buffersOf(const Program &program, Tier tier) {
  std::vector<const Buffer *> buffers;
  for (const Buffer &buffer : program.buffers)
    if (buffer.tier == tier)
      buffers.push_back(&buffer);
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const Buffer *a, const Buffer *b) { return a->bytes > b->bytes; });
  return buffers;
}

/// "shares with a, b and 7 more": the buffers that have the same bytes at other times.
std::string sharersOf(const Buffer &buffer, const std::vector<const Buffer *> &buffers) {
  std::vector<std::string> names;
  for (const Buffer *other : buffers)
    if (other != &buffer && other->offset < buffer.offset + buffer.bytes &&
        buffer.offset < other->offset + other->bytes)
      names.push_back(other->name);
  if (names.empty())
    return "alone";
  std::string text = "shares with ";
  for (size_t i = 0; i < std::min(names.size(), kSharersShown); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > kSharersShown)
    text += " and " + std::to_string(names.size() - kSharersShown) + " more";
  return text;
}

/// The bytes of the arena that at least one of the buffers has.
int64_t bytesCovered(const std::vector<const Buffer *> &buffers, BufferClass cls) {
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (const Buffer *buffer : buffers)
    if (buffer->cls == cls)
      intervals.push_back({buffer->offset, buffer->offset + buffer->bytes});
  std::sort(intervals.begin(), intervals.end());
  int64_t covered = 0, end = 0;
  for (auto [from, to] : intervals) {
    covered += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return covered;
}

void addTier(std::string &text, const Program &program, const Arena &arena) {
  std::vector<const Buffer *> buffers = buffersOf(program, arena.tier);
  text += std::string(textOf(arena.tier)) + ": " + formatCount(arena.bytes) + " bytes planned (" +
          formatBytes(arena.bytes) + "), lower bound " + formatCount(arena.lowerBound) + ", capacity " +
          formatCount(arena.capacity) + "\n";
  if (const plan::ByteSpan pool = pinnedPool(program); arena.tier == plan::Tier::Host && pool.bytes() > 0)
    text += "  pinned: " + formatBytes(pool.bytes()) + " at " + formatCount(pool.begin) +
            ", where what comes from and goes to the disk takes turns\n";
  std::map<BufferClass, std::pair<int64_t, int>> byClass;
  for (const Buffer *buffer : buffers) {
    byClass[buffer->cls].first += buffer->bytes;
    ++byClass[buffer->cls].second;
  }
  char line[160];
  for (const auto &[cls, sum] : byClass) {
    std::snprintf(line, sizeof line, "  %-11s %12s in %5d buffers, on %s of the arena\n",
                  std::string(textOf(cls)).c_str(), formatBytes(sum.first).c_str(), sum.second,
                  formatBytes(bytesCovered(buffers, cls)).c_str());
    text += line;
  }
  text += "  the largest buffers:\n";
  for (size_t i = 0; i < std::min(buffers.size(), kLargestShown); ++i) {
    const Buffer &buffer = *buffers[i];
    std::snprintf(line, sizeof line, "  %12lld +%-12lld ", static_cast<long long>(buffer.offset),
                  static_cast<long long>(buffer.bytes));
    text += line + buffer.name + " (" + std::string(textOf(buffer.cls)) +
            (buffer.persistent ? ", kept" : "") + "): " + sharersOf(buffer, buffers) + "\n";
  }
}

} // namespace

std::string memory(const plan::Plan &plan) {
  std::string text;
  for (size_t number = 0; number < plan.programs.size(); ++number) {
    const Program &program = plan.programs[number];
    text += (text.empty() ? "" : "\n") + programTitle(plan, number);
    for (const Arena &arena : program.arenas) {
      text += &arena == &program.arenas.front() ? "" : "\n";
      addTier(text, program, arena);
    }
  }
  return text;
}

} // namespace windlass::dump
