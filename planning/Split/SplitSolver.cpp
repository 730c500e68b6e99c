// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Split/SplitSolver.h"

#include <algorithm>
#include <limits>
#include <list>
#include <set>

namespace windlass::planning {
namespace {

using Scope = std::vector<size_t>; ///< operations, ascending

/// Costs by the ways of some operations, the last of them fastest.
struct Table {
  Scope scope;
  std::vector<double> costs;
};

class Elimination {
public:
  explicit Elimination(const SplitProblem &problem) : problem(problem) {}

  Status run(size_t entryLimit);
  std::vector<size_t> ways() const { return chosen; }

private:
  size_t count(size_t op) const { return problem.ops[op].ways.size(); }
  double entries(const Scope &scope) const {
    double product = 1;
    for (size_t op : scope)
      product *= static_cast<double>(count(op));
    return product;
  }
  /// Steps to the next combination of ways; false behind the last.
  bool advance(const Scope &scope, std::vector<size_t> &ways) const {
    for (size_t i = scope.size(); i-- > 0;) {
      if (++ways[scope[i]] < count(scope[i]))
        return true;
      ways[scope[i]] = 0;
    }
    return false;
  }
  double costOf(const Table &table, const std::vector<size_t> &ways) const {
    size_t at = 0;
    for (size_t op : table.scope)
      at = at * count(op) + ways[op];
    return table.costs[at];
  }

  Status addTables(size_t entryLimit);
  double valueCost(uint32_t value, const std::vector<size_t> &ways) const;
  Scope neighbours(size_t op) const;
  void eliminate(size_t op);

  const SplitProblem &problem;
  std::list<Table> tables;
  struct Removed {
    size_t op;
    std::list<Table> tables; ///< with this operation in their scopes
  };
  std::vector<Removed> removed;
  std::vector<size_t> chosen;
};

double Elimination::valueCost(uint32_t value, const std::vector<size_t> &ways) const {
  SplitForm made;
  std::vector<SplitForm> asked;
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    const SplitWay &way = problem.ops[op].ways[ways[op]];
    for (size_t i = 0; i < way.makes.size(); ++i)
      if (problem.ops[op].makes[i] == value)
        made = way.makes[i];
    for (size_t i = 0; i < way.reads.size(); ++i)
      if (problem.ops[op].reads[i] == value)
        asked.push_back(way.reads[i]);
  }
  return movedBetween(problem.values[value], made, asked);
}

/// One table per operation that has a choice, of its own costs, and one per value between such.
Status Elimination::addTables(size_t entryLimit) {
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    if (count(op) == 1)
      continue;
    Table &own = tables.emplace_back(Table{{op}, {}});
    for (const SplitWay &way : problem.ops[op].ways)
      own.costs.push_back(way.notShared + way.moved);
  }
  std::vector<size_t> ways(problem.ops.size(), 0);
  for (uint32_t value = 0; value < problem.values.size(); ++value) {
    Table table;
    for (size_t op = 0; op < problem.ops.size(); ++op)
      if (count(op) > 1 && (std::ranges::count(problem.ops[op].reads, value) > 0 ||
                            std::ranges::count(problem.ops[op].makes, value) > 0))
        table.scope.push_back(op);
    if (table.scope.empty())
      continue;
    if (entries(table.scope) > static_cast<double>(entryLimit))
      return Status::cannotFit("\"" + problem.values[value].id + "\" is read in too many ways to compare");
    do
      table.costs.push_back(valueCost(value, ways));
    while (advance(table.scope, ways));
    tables.push_back(std::move(table));
  }
  return Status::ok();
}

/// The operations that share a table with this one.
Scope Elimination::neighbours(size_t op) const {
  std::set<size_t> found;
  for (const Table &table : tables)
    if (std::ranges::binary_search(table.scope, op))
      found.insert(table.scope.begin(), table.scope.end());
  found.erase(op);
  return Scope(found.begin(), found.end());
}

/// Joins the tables of an operation to one without it: of its ways the best for each combination of the
/// others.
void Elimination::eliminate(size_t op) {
  Removed &out = removed.emplace_back(Removed{op, {}});
  Table joined{neighbours(op), {}};
  for (auto table = tables.begin(); table != tables.end();) {
    auto next = std::next(table);
    if (std::ranges::binary_search(table->scope, op))
      out.tables.splice(out.tables.end(), tables, table);
    table = next;
  }
  std::vector<size_t> ways(problem.ops.size(), 0);
  do {
    double best = std::numeric_limits<double>::infinity();
    for (ways[op] = 0; ways[op] < count(op); ++ways[op]) {
      double cost = 0;
      for (const Table &table : out.tables)
        cost += costOf(table, ways);
      best = std::min(best, cost);
    }
    ways[op] = 0;
    joined.costs.push_back(best);
  } while (advance(joined.scope, ways));
  tables.push_back(std::move(joined));
}

Status Elimination::run(size_t entryLimit) {
  WINDLASS_TRY(addTables(entryLimit));
  std::set<size_t> left;
  for (size_t op = 0; op < problem.ops.size(); ++op)
    if (count(op) > 1)
      left.insert(op);
  while (!left.empty()) {
    size_t next = *left.begin();
    double least = std::numeric_limits<double>::infinity();
    for (size_t op : left) {
      const double size = entries(neighbours(op));
      if (size < least) {
        least = size;
        next = op;
      }
      if (least <= 1) // nothing is smaller
        break;
    }
    if (least > static_cast<double>(entryLimit))
      return Status::cannotFit("around \"" + problem.ops[next].id + "\" there are too many ways to compare");
    eliminate(next);
    left.erase(next);
  }
  chosen.assign(problem.ops.size(), 0);
  for (auto out = removed.rbegin(); out != removed.rend(); ++out) {
    double best = std::numeric_limits<double>::infinity();
    size_t bestWay = 0;
    for (size_t way = 0; way < count(out->op); ++way) {
      chosen[out->op] = way;
      double cost = 0;
      for (const Table &table : out->tables)
        cost += costOf(table, chosen);
      if (cost < best) {
        best = cost;
        bestWay = way;
      }
    }
    chosen[out->op] = bestWay;
  }
  return Status::ok();
}

} // namespace

Result<SplitSolution> solveSplit(const SplitProblem &problem, const SplitOptions &options) {
  WINDLASS_TRY(checkProblem(problem));
  Elimination elimination(problem);
  WINDLASS_TRY(elimination.run(options.entryLimit));
  SplitSolution solution{elimination.ways(), 0};
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    const SplitWay &way = problem.ops[op].ways[solution.ways[op]];
    solution.cost += way.notShared + way.moved;
    for (size_t i = 0; i < way.makes.size(); ++i) {
      std::vector<SplitForm> asked;
      for (size_t reader = 0; reader < problem.ops.size(); ++reader)
        for (size_t j = 0; j < problem.ops[reader].reads.size(); ++j)
          if (problem.ops[reader].reads[j] == problem.ops[op].makes[i])
            asked.push_back(problem.ops[reader].ways[solution.ways[reader]].reads[j]);
      solution.cost += movedBetween(problem.values[problem.ops[op].makes[i]], way.makes[i], asked);
    }
  }
  return solution;
}

} // namespace windlass::planning
