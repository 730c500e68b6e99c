// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/ScheduleProblem.h"

#include "planning/TextForm.h"

namespace windlass::planning {
namespace {

using plan::Tier;

constexpr std::string_view kKinds[] = {"work", "fetch", "drain"};

Task readTask(TextLine &line) {
  Task task;
  task.lane = line.oneOf("lane", plan::Lane::Compute);
  std::string kind = line.take("kind");
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (kind == kKinds[i])
      task.kind = static_cast<TaskKind>(i);
  if (!kind.empty() && kind != kKinds[static_cast<size_t>(task.kind)])
    line.fail("kind", "must be work, fetch or drain, is \"" + kind + "\"");
  task.seconds = line.real("seconds");
  task.group = static_cast<int32_t>(line.integer("group", task.group));
  task.predecessors = line.list("after");
  task.buffers = line.list("buffers");
  task.phase = static_cast<int32_t>(line.integer("phase"));
  task.notBefore = static_cast<int32_t>(line.integer("not_before"));
  return task;
}

std::string printTask(const Task &task) {
  std::string text = "task lane=" + std::string(plan::textOf(task.lane)) +
                     " kind=" + std::string(kKinds[static_cast<size_t>(task.kind)]) +
                     " seconds=" + shortest(task.seconds);
  if (task.group >= 0)
    text += " group=" + std::to_string(task.group);
  if (!task.predecessors.empty())
    text += " after=" + joined(task.predecessors);
  if (!task.buffers.empty())
    text += " buffers=" + joined(task.buffers);
  if (task.phase != 0)
    text += " phase=" + std::to_string(task.phase);
  if (task.notBefore != 0)
    text += " not_before=" + std::to_string(task.notBefore);
  return text + "\n";
}

} // namespace

std::string printSchedule(const ScheduleProblem &problem) {
  std::string text = "capacity";
  for (size_t tier = 0; tier < problem.capacity.size(); ++tier)
    text += " " + std::string(plan::textOf(static_cast<Tier>(tier))) + "=" +
            std::to_string(problem.capacity[tier]);
  text += "\ncredits nc=" + std::to_string(problem.credits.nc) + " cg=" + std::to_string(problem.credits.cg) +
          " gg=" + std::to_string(problem.credits.gg) + "\n";
  if (!problem.overlap)
    text += "overlap off\n";
  if (problem.sparesPasses)
    text += "spare passes\n";
  for (const TaskBuffer &buffer : problem.buffers)
    text += "buffer tier=" + std::string(plan::textOf(buffer.tier)) +
            " bytes=" + std::to_string(buffer.bytes) + "\n";
  for (const Task &task : problem.tasks)
    text += printTask(task);
  return text;
}

Result<ScheduleProblem> parseSchedule(std::string_view text) {
  ScheduleProblem problem;
  for (TextLine &line : textLines(text)) {
    if (line.word() == "capacity") {
      for (size_t tier = 0; tier < problem.capacity.size(); ++tier)
        problem.capacity[tier] = line.integer(std::string(plan::textOf(static_cast<Tier>(tier))));
    } else if (line.word() == "credits") {
      problem.credits.nc = line.integer("nc", problem.credits.nc);
      problem.credits.cg = line.integer("cg", problem.credits.cg);
      problem.credits.gg = line.integer("gg", problem.credits.gg);
    } else if (line.word() == "overlap") {
      std::string value = line.name();
      if (value != "on" && value != "off")
        line.fail("overlap", "must be on or off, is \"" + value + "\"");
      problem.overlap = value == "on";
    } else if (line.word() == "spare") {
      if (const std::string what = line.name(); what != "passes")
        line.fail("spare", "must be passes, is \"" + what + "\"");
      problem.sparesPasses = true;
    } else if (line.word() == "buffer") {
      problem.buffers.push_back({line.oneOf("tier", Tier::Device), line.integer("bytes")});
    } else if (line.word() == "task") {
      problem.tasks.push_back(readTask(line));
    } else {
      line.fail(line.word(), "a schedule problem has capacity, credits, overlap, spare, buffer and task");
    }
    WINDLASS_TRY(line.finish());
  }
  return problem;
}

} // namespace windlass::planning
