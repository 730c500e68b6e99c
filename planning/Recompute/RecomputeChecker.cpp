// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Recompute/RecomputeChecker.h"

#include <cmath>
#include <set>

namespace windlass::planning {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1e-12 + std::abs(a) + std::abs(b)); }

/// Plays the backward pass. It begins with the kept values; each repeated operation adds the values that it
/// makes.
Status playBackward(const RecomputeProblem &problem, const RecomputeChoice &choice) {
  std::set<uint32_t> there, read;
  for (uint32_t value = 0; value < problem.values.size(); ++value)
    if (choice.isKept[value])
      there.insert(value);
  auto readBy = [&](const std::string &reader, uint32_t value) {
    read.insert(value);
    return there.count(value) ? Status::ok()
                              : Status::internal(reader + " reads \"" + problem.values[value].id +
                                                 "\", which is neither kept nor repeated");
  };
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    if (!choice.isRepeated[op])
      continue;
    for (uint32_t value : problem.ops[op].reads)
      WINDLASS_TRY(readBy("\"" + problem.ops[op].id + "\"", value));
    for (uint32_t value : problem.ops[op].makes)
      if (!there.insert(value).second)
        return Status::internal("\"" + problem.values[value].id + "\" is kept and repeated");
  }
  for (uint32_t value = 0; value < problem.values.size(); ++value)
    if (problem.values[value].isNeeded)
      WINDLASS_TRY(readBy("the backward pass", value));
  for (uint32_t value = 0; value < problem.values.size(); ++value)
    if (choice.isKept[value] && !read.count(value))
      return Status::internal("\"" + problem.values[value].id + "\" is kept and nobody reads it");
  return Status::ok();
}

} // namespace

Status checkRecompute(const RecomputeProblem &problem, const RecomputeChoice &choice) {
  if (choice.isRepeated.size() != problem.ops.size() || choice.isKept.size() != problem.values.size())
    return Status::internal("a choice of " + std::to_string(choice.isRepeated.size()) + " operations and " +
                            std::to_string(choice.isKept.size()) + " values for " +
                            std::to_string(problem.ops.size()) + " and " +
                            std::to_string(problem.values.size()));
  WINDLASS_TRY(playBackward(problem, choice));
  int64_t bytes = 0;
  double seconds = 0;
  for (size_t value = 0; value < problem.values.size(); ++value)
    bytes += choice.isKept[value] ? problem.values[value].bytes : 0;
  for (size_t op = 0; op < problem.ops.size(); ++op)
    seconds += choice.isRepeated[op] ? problem.ops[op].seconds : 0;
  if (bytes != choice.bytes)
    return Status::internal("a layer keeps " + std::to_string(bytes) + " bytes, not " +
                            std::to_string(choice.bytes));
  if (!near(seconds, choice.seconds))
    return Status::internal("a layer repeats for " + std::to_string(seconds) + " s, not " +
                            std::to_string(choice.seconds) + " s");
  return Status::ok();
}

Status checkRecompute(const RecomputeProblem &problem, const RecomputeFront &front) {
  if (front.choices.empty())
    return Status::internal("there is no choice");
  for (size_t i = 0; i < front.choices.size(); ++i) {
    WINDLASS_TRY(checkRecompute(problem, front.choices[i]).in("choice " + std::to_string(i)));
    if (i > 0 && (front.choices[i].bytes >= front.choices[i - 1].bytes ||
                  front.choices[i].seconds <= front.choices[i - 1].seconds))
      return Status::internal("choice " + std::to_string(i) +
                              ": must take fewer bytes and more seconds than the one before");
  }
  return Status::ok();
}

Status checkRecompute(const RecomputeProblem &problem, const RecomputeFront &front,
                      const RecomputeSolution &solution) {
  if (solution.choice >= front.choices.size())
    return Status::internal("there is no choice " + std::to_string(solution.choice));
  const RecomputeChoice &choice = front.choices[solution.choice];
  const int64_t kept = problem.layers * choice.bytes;
  const int64_t away = kept > problem.device ? kept - problem.device : 0;
  if (away != solution.away || away > problem.host)
    return Status::internal(std::to_string(away) + " bytes are away, not " + std::to_string(solution.away) +
                            ", and there is room for " + std::to_string(problem.host));
  double cost = problem.compute + static_cast<double>(problem.layers) * choice.seconds;
  if (away > 0 && static_cast<double>(away) > cost * problem.link)
    cost = static_cast<double>(away) / problem.link;
  if (!near(cost, solution.cost))
    return Status::internal("the cost is " + std::to_string(cost) + ", not " + std::to_string(solution.cost));
  if (solution.lowerBound > solution.cost * (1 + 1e-9))
    return Status::internal("the cost " + std::to_string(cost) + " is below its bound " +
                            std::to_string(solution.lowerBound));
  return Status::ok();
}

} // namespace windlass::planning
