// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/MemoryProblem.h"

#include "planning/TextForm.h"
#include <algorithm>

namespace windlass::planning {

int64_t mostLiveBytes(const MemoryProblem &problem) {
  std::vector<std::pair<int64_t, int64_t>> changes; // at equal positions what ends comes first
  for (const MemoryBuffer &buffer : problem.buffers)
    if (buffer.begin < buffer.end) {
      changes.emplace_back(buffer.begin, buffer.bytes);
      changes.emplace_back(buffer.end, -buffer.bytes);
    }
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, most = 0;
  for (auto [position, bytes] : changes)
    most = std::max(most, live += bytes);
  return most;
}

std::string printMemory(const MemoryProblem &problem) {
  std::string text;
  for (const MemoryBuffer &buffer : problem.buffers) {
    text += "buffer " + buffer.id + " bytes=" + std::to_string(buffer.bytes) +
            " begin=" + std::to_string(buffer.begin) + " end=" + std::to_string(buffer.end);
    if (buffer.alignment != MemoryBuffer().alignment)
      text += " align=" + std::to_string(buffer.alignment);
    if (buffer.fixedOffset)
      text += " at=" + std::to_string(*buffer.fixedOffset);
    text += "\n";
  }
  return text;
}

Result<MemoryProblem> parseMemory(std::string_view text) {
  MemoryProblem problem;
  for (TextLine &line : textLines(text)) {
    if (line.word() != "buffer")
      line.fail(line.word(), "the only fact of a memory problem is \"buffer\"");
    MemoryBuffer buffer;
    buffer.id = line.name();
    buffer.bytes = line.integer("bytes");
    buffer.begin = line.integer("begin");
    buffer.end = line.integer("end");
    buffer.alignment = line.integer("align", buffer.alignment);
    if (line.has("at"))
      buffer.fixedOffset = line.integer("at");
    WINDLASS_TRY(line.finish());
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

} // namespace windlass::planning
