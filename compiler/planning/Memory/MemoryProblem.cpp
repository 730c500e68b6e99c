#include "compiler/planning/Memory/MemoryProblem.h"

#include "compiler/planning/TextForm.h"

namespace windlass::planning {

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
