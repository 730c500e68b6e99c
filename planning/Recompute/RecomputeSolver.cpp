// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Recompute/RecomputeSolver.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace windlass::planning {
namespace {

/// Tolerances that are tried one after the other: seconds that differ by a smaller share are taken for equal.
constexpr double kTolerances[] = {0, 1e-4, 1e-3, 1e-2};

/// A partial choice: of the last operations.
struct Label {
  int64_t bytes = 0;
  double seconds = 0;
  std::vector<bool> isRepeated;
};

/// The values that are read behind and not made yet: earlier operations make them, or none does.
using Asked = std::vector<bool>;

Status checkForm(const RecomputeProblem &problem) {
  auto fail = [](const RecomputeOp &op, const std::string &rule) {
    return Status::badInput("op \"" + op.id + "\": " + rule);
  };
  std::vector<size_t> maker(problem.values.size(), problem.ops.size());
  for (size_t i = 0; i < problem.ops.size(); ++i)
    for (uint32_t made : problem.ops[i].makes) {
      if (made >= problem.values.size() || maker[made] != problem.ops.size())
        return fail(problem.ops[i],
                    "makes value " + std::to_string(made) + ", which is not there or made before");
      maker[made] = i;
    }
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    if (!(problem.ops[i].seconds >= 0))
      return fail(problem.ops[i], "seconds must be 0 or more");
    for (uint32_t read : problem.ops[i].reads)
      if (read >= problem.values.size() || (maker[read] != problem.ops.size() && maker[read] >= i))
        return fail(problem.ops[i], "reads value " + std::to_string(read) + ", which is not there yet");
  }
  for (const RecomputeValue &value : problem.values)
    if (value.bytes < 0)
      return Status::badInput("value \"" + value.id + "\": bytes must be 0 or more, is " +
                              std::to_string(value.bytes));
  return Status::ok();
}

/// Reduces labels to their Pareto front; the fewest bytes first.
void prune(std::vector<Label> &labels, double tolerance) {
  std::stable_sort(labels.begin(), labels.end(), [](const Label &a, const Label &b) {
    return std::pair(a.bytes, a.seconds) < std::pair(b.bytes, b.seconds);
  });
  size_t left = 0;
  for (Label &label : labels)
    if (left == 0 || label.seconds * (1 + tolerance) < labels[left - 1].seconds) {
      if (&label != &labels[left])
        labels[left] = std::move(label);
      ++left;
    }
  labels.resize(left);
}

Status tooMany(const RecomputeOptions &options) {
  return Status::cannotFit("more than " + std::to_string(options.labelLimit) +
                           " choices of what to repeat are open at once");
}

/// The labels before an operation; nothing if there are more than the limit. A tolerance drops labels of a
/// state, and never all of them. Errors: CannotFit for more states than the limit, which no tolerance helps.
Result<std::optional<std::vector<Label>>> solve(const RecomputeProblem &problem, double tolerance,
                                                const RecomputeOptions &options) {
  Asked asked;
  for (const RecomputeValue &value : problem.values)
    asked.push_back(value.isNeeded);
  std::map<Asked, std::vector<Label>> open;
  open[asked] = {{0, 0, std::vector<bool>(problem.ops.size())}};
  for (size_t op = problem.ops.size(); op-- > 0;) {
    const RecomputeOp &now = problem.ops[op];
    std::map<Asked, std::vector<Label>> next;
    auto add = [&](const Asked &state, Label label) { next[state].push_back(std::move(label)); };
    for (auto &[state, labels] : open) {
      int64_t bytes = 0;
      bool isAsked = false;
      Asked rest = state;
      for (uint32_t made : now.makes)
        if (rest[made]) {
          bytes += problem.values[made].bytes;
          isAsked = true;
          rest[made] = false;
        }
      Asked more = rest;
      for (uint32_t read : now.reads)
        more[read] = true;
      for (Label &label : labels) {
        if (isAsked) {
          Label repeated = label;
          repeated.seconds += now.seconds;
          repeated.isRepeated[op] = true;
          add(more, std::move(repeated));
        }
        label.bytes += bytes;
        add(rest, std::move(label));
      }
    }
    open = std::move(next);
    size_t count = 0;
    for (auto &[state, labels] : open) {
      prune(labels, tolerance);
      count += labels.size();
    }
    if (open.size() > options.labelLimit)
      return tooMany(options);
    if (count > options.labelLimit)
      return std::optional<std::vector<Label>>();
  }
  std::vector<Label> all;
  for (auto &[state, labels] : open) {
    int64_t outside = 0; // bytes of values that no operation makes: they are kept
    for (size_t value = 0; value < state.size(); ++value)
      outside += state[value] ? problem.values[value].bytes : 0;
    for (Label &label : labels) {
      label.bytes += outside;
      all.push_back(std::move(label));
    }
  }
  prune(all, tolerance);
  return std::optional(std::move(all));
}

} // namespace

Result<RecomputeFront> solveRecomputeFront(const RecomputeProblem &problem, const RecomputeOptions &options) {
  WINDLASS_TRY(checkForm(problem));
  for (double tolerance : kTolerances) {
    Result<std::optional<std::vector<Label>>> solved = solve(problem, tolerance, options);
    if (!solved)
      return solved.status();
    const std::optional<std::vector<Label>> &labels = *solved;
    if (!labels)
      continue;
    RecomputeFront front;
    // Each time labels are dropped, the gap grows by the tolerance.
    front.gap = std::pow(1 + tolerance, static_cast<double>(problem.ops.size() + 1)) - 1;
    for (size_t i = labels->size(); i-- > 0;)
      front.choices.push_back(chooseRepeated(problem, (*labels)[i].isRepeated));
    return front;
  }
  return tooMany(options);
}

Result<RecomputeSolution> solveRecompute(const RecomputeProblem &problem, const RecomputeFront &front) {
  RecomputeSolution solution;
  solution.cost = solution.lowerBound = INFINITY;
  for (size_t i = 0; i < front.choices.size(); ++i) {
    const RecomputeChoice &choice = front.choices[i];
    const double cost = recomputeCost(problem, choice.bytes, choice.seconds);
    solution.lowerBound =
        std::min(solution.lowerBound, recomputeCost(problem, choice.bytes, choice.seconds / (1 + front.gap)));
    if (cost < solution.cost) {
      solution.choice = i;
      solution.cost = cost;
      solution.away = bytesAway(problem, choice.bytes);
    }
  }
  if (std::isinf(solution.cost))
    return Status::cannotFit("what the backward pass needs of " + std::to_string(problem.layers) +
                             " layers is at least " +
                             std::to_string(problem.layers * front.choices.back().bytes) + " bytes");
  return solution;
}

} // namespace windlass::planning
