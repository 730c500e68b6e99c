// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Split/SplitChecker.h"

#include <cmath>
#include <map>
#include <set>

namespace windlass::planning {
namespace {

using Kind = SplitForm::Kind;

/// What is known of a value as operations run: how it was made, and what has been exchanged of it since.
struct Known {
  SplitForm made;
  bool isGathered = false;      ///< it is whole on every rank, by an exchange if it was not made so
  bool isVaried = false;        ///< it has been varied
  std::set<SplitForm> ownParts; ///< cut out of the whole value
};

/// The elements that one more reader makes move, forward and backward.
double read(const SplitValue &value, Known &known, const SplitForm &asked) {
  double moved = 0;
  if (asked == known.made)
    return 0;
  if (!known.isGathered && known.made.kind != Kind::Whole)
    moved += static_cast<double>(value.elements) * (known.made.kind == Kind::Terms ? 2
                                                    : value.isParameter            ? kParameterWeight
                                                                                   : 1);
  known.isGathered = true;
  const double gradient = value.hasGradient ? static_cast<double>(value.elements) : 0.0;
  if (asked.kind == Kind::Varied && !known.isVaried) {
    known.isVaried = true;
    moved += 2 * gradient;
  }
  if (asked.isSplit() && known.ownParts.insert(asked).second)
    moved += gradient;
  return moved;
}

} // namespace

Status checkSplit(const SplitProblem &problem, const SplitSolution &solution) {
  if (solution.ways.size() != problem.ops.size())
    return Status::internal("there are ways for " + std::to_string(solution.ways.size()) + " operations of " +
                            std::to_string(problem.ops.size()));
  std::map<uint32_t, Known> values;
  double cost = 0;
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    const SplitOp &op = problem.ops[i];
    if (solution.ways[i] >= op.ways.size())
      return Status::internal("\"" + op.id + "\" has no way " + std::to_string(solution.ways[i]));
    const SplitWay &way = op.ways[solution.ways[i]];
    cost += way.notShared + way.moved;
    for (size_t r = 0; r < op.reads.size(); ++r) {
      if (way.reads[r].kind == Kind::Terms)
        return Status::internal("\"" + op.id + "\" reads \"" + problem.values[op.reads[r]].id +
                                "\" as terms, which nobody can");
      cost += read(problem.values[op.reads[r]], values[op.reads[r]], way.reads[r]);
    }
    for (size_t m = 0; m < op.makes.size(); ++m)
      values[op.makes[m]].made = way.makes[m];
  }
  if (!(std::abs(cost - solution.cost) <= 1e-9 * (1 + std::abs(cost))))
    return Status::internal("the cost is " + std::to_string(cost) + ", not " + std::to_string(solution.cost));
  return Status::ok();
}

} // namespace windlass::planning
