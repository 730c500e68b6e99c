// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Recompute/RecomputeProblem.h"

#include "planning/TextForm.h"
#include <algorithm>
#include <limits>

namespace windlass::planning {

RecomputeChoice chooseRepeated(const RecomputeProblem &problem, const std::vector<bool> &isRepeated) {
  RecomputeChoice choice{isRepeated, {}, 0, 0};
  for (const RecomputeValue &value : problem.values)
    choice.isKept.push_back(value.isNeeded);
  for (size_t op = problem.ops.size(); op-- > 0;) {
    if (!isRepeated[op])
      continue;
    choice.seconds += problem.ops[op].seconds;
    for (uint32_t made : problem.ops[op].makes)
      choice.isKept[made] = false;
    for (uint32_t read : problem.ops[op].reads)
      choice.isKept[read] = true;
  }
  for (size_t value = 0; value < problem.values.size(); ++value)
    if (choice.isKept[value])
      choice.bytes += problem.values[value].bytes;
  return choice;
}

int64_t bytesAway(const RecomputeProblem &problem, int64_t bytes) {
  return std::max<int64_t>(0, problem.layers * bytes - problem.device);
}

double recomputeCost(const RecomputeProblem &problem, int64_t bytes, double seconds) {
  const int64_t away = bytesAway(problem, bytes);
  if (away > problem.host || (away > 0 && problem.link <= 0))
    return std::numeric_limits<double>::infinity();
  const double computed = problem.compute + static_cast<double>(problem.layers) * seconds;
  return away > 0 ? std::max(computed, static_cast<double>(away) / problem.link) : computed;
}

std::string printRecompute(const RecomputeProblem &problem) {
  std::string text = "machine layers=" + std::to_string(problem.layers) +
                     " device=" + std::to_string(problem.device) + " host=" + std::to_string(problem.host) +
                     " link=" + shortest(problem.link) + " compute=" + shortest(problem.compute) + "\n";
  for (const RecomputeValue &value : problem.values)
    text += "value " + value.id + " bytes=" + std::to_string(value.bytes) +
            (value.isNeeded ? " needed=1\n" : "\n");
  for (const RecomputeOp &op : problem.ops)
    text += "op " + op.id + " seconds=" + shortest(op.seconds) + " reads=" + joined(op.reads) +
            " makes=" + joined(op.makes) + "\n";
  return text;
}

Result<RecomputeProblem> parseRecompute(std::string_view text) {
  RecomputeProblem problem;
  for (TextLine &line : textLines(text)) {
    if (line.word() == "machine") {
      problem.layers = line.integer("layers", problem.layers);
      problem.device = line.integer("device", problem.device);
      problem.host = line.integer("host");
      problem.link = line.real("link");
      problem.compute = line.real("compute");
    } else if (line.word() == "value") {
      problem.values.push_back({line.name(), line.integer("bytes"), line.integer("needed") != 0});
    } else if (line.word() == "op") {
      problem.ops.push_back({line.name(), line.real("seconds"), line.list("reads"), line.list("makes")});
    } else {
      line.fail(line.word(), "a recomputation problem has machine, value and op");
    }
    WINDLASS_TRY(line.finish());
  }
  return problem;
}

} // namespace windlass::planning
