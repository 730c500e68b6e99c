// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Split/SplitSolver.h"

#include <algorithm>
#include <iterator>
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
  Elimination(const SplitProblem &problem, double entryLimit);

  /// The way of every operation.
  std::vector<size_t> run();

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

  Scope scopeOf(uint32_t value) const;
  void narrow();
  void shareLeaders(uint32_t value);
  void pin(size_t op);
  double ownCost(size_t op, size_t way) const;
  double leastWith(size_t op, size_t way) const;
  void addTables();
  double valueCost(uint32_t value, const std::vector<size_t> &ways) const;
  Scope neighbours(size_t op) const;
  void eliminate(size_t op);

  /// An operation, and the number of the value among those that it reads or makes.
  struct User {
    size_t op, number;
  };

  const SplitProblem &problem;
  const double entryLimit;
  std::vector<User> makers;               ///< per value
  std::vector<std::vector<User>> readers; ///< per value
  std::vector<size_t> leader;             ///< per operation: the one whose way it takes, or itself
  std::set<size_t> open;                  ///< leaders whose way is to be found
  std::vector<size_t> given;              ///< per operation: the way of a leader that is not open
  std::list<Table> tables;
  struct Removed {
    size_t op;
    std::list<Table> tables; ///< with this operation in their scopes
  };
  std::vector<Removed> removed;
};

Elimination::Elimination(const SplitProblem &problem, double entryLimit)
    : problem(problem), entryLimit(entryLimit), makers(problem.values.size()), readers(problem.values.size()),
      given(problem.ops.size(), 0) {
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    leader.push_back(op);
    if (count(op) > 1)
      open.insert(op);
    for (size_t i = 0; i < problem.ops[op].makes.size(); ++i)
      makers[problem.ops[op].makes[i]] = {op, i};
    for (size_t i = 0; i < problem.ops[op].reads.size(); ++i)
      readers[problem.ops[op].reads[i]].push_back({op, i});
  }
}

/// The open operations that make or read a value.
Scope Elimination::scopeOf(uint32_t value) const {
  std::set<size_t> found = {leader[makers[value].op]};
  for (const User &reader : readers[value])
    found.insert(leader[reader.op]);
  std::erase_if(found, [&](size_t op) { return !open.contains(op); });
  return Scope(found.begin(), found.end());
}

/// If a value has too many combinations of ways, equal operations that read it, such as those of unrolled
/// steps, must take one way. If that is not enough, some operations take the way that is best for themselves,
/// those first that lose least by it.
void Elimination::narrow() {
  for (uint32_t value = 0; value < problem.values.size(); ++value) {
    if (entries(scopeOf(value)) > entryLimit)
      shareLeaders(value);
    for (Scope scope = scopeOf(value); entries(scope) > entryLimit; scope = scopeOf(value))
      pin(*std::ranges::min_element(scope, {}, [&](size_t op) {
        double least = ownCost(op, 0), most = least;
        for (size_t way = 1; way < count(op); ++way) {
          least = std::min(least, ownCost(op, way));
          most = std::max(most, ownCost(op, way));
        }
        return most - least;
      }));
  }
}

/// Makes readers of the value that ask for the same form in each of their ways take the way of the first of
/// them.
void Elimination::shareLeaders(uint32_t value) {
  const auto isAlike = [&](const User &one, const User &other) {
    return one.number == other.number &&
           std::ranges::equal(problem.ops[one.op].ways, problem.ops[other.op].ways,
                              [](const SplitWay &a, const SplitWay &b) {
                                return a.word == b.word && a.reads == b.reads && a.makes == b.makes;
                              });
  };
  const std::vector<User> &all = readers[value];
  for (size_t i = 1; i < all.size(); ++i) {
    const auto first = std::find_if(all.begin(), all.begin() + static_cast<ptrdiff_t>(i),
                                    [&](const User &earlier) { return isAlike(earlier, all[i]); });
    const size_t mine = leader[all[i].op], its = leader[first->op];
    if (first == all.begin() + static_cast<ptrdiff_t>(i) || mine == its || !open.contains(mine) ||
        !open.contains(its))
      continue;
    std::ranges::replace(leader, mine, its);
    open.erase(mine);
  }
}

/// Fixes an operation to the best way: by leastWith(), or by its own cost as long as there are no tables.
void Elimination::pin(size_t op) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t way = 0; way < count(op); ++way)
    if (const double cost = tables.empty() ? ownCost(op, way) : leastWith(op, way); cost < least) {
      least = cost;
      given[op] = way;
    }
  open.erase(op);
}

/// The cost of a way of a leader, within it and its followers.
double Elimination::ownCost(size_t op, size_t way) const {
  double cost = 0;
  for (size_t other = 0; other < leader.size(); ++other)
    if (leader[other] == op)
      cost += problem.ops[other].ways[way].notShared + problem.ops[other].ways[way].moved;
  return cost;
}

/// A lower bound of the cost with a way: the sum of the least entries of the operation's tables, each by
/// itself.
double Elimination::leastWith(size_t op, size_t way) const {
  double sum = 0;
  for (const Table &table : tables) {
    if (!std::ranges::binary_search(table.scope, op))
      continue;
    Scope others;
    std::ranges::copy_if(table.scope, std::back_inserter(others),
                         [&](size_t other) { return other != op && open.contains(other); });
    std::vector<size_t> ways = given;
    ways[op] = way;
    double least = std::numeric_limits<double>::infinity();
    do
      least = std::min(least, costOf(table, ways));
    while (advance(others, ways));
    sum += least;
  }
  return sum;
}

double Elimination::valueCost(uint32_t value, const std::vector<size_t> &ways) const {
  const auto [maker, number] = makers[value];
  std::vector<SplitForm> asked;
  for (const User &reader : readers[value])
    asked.push_back(problem.ops[reader.op].ways[ways[leader[reader.op]]].reads[reader.number]);
  return movedBetween(problem.values[value], problem.ops[maker].ways[ways[leader[maker]]].makes[number],
                      asked);
}

/// One table per open operation, of its own costs, and one per value between such.
void Elimination::addTables() {
  for (size_t op : open) {
    Table &own = tables.emplace_back(Table{{op}, {}});
    for (size_t way = 0; way < count(op); ++way)
      own.costs.push_back(ownCost(op, way));
  }
  std::vector<size_t> ways = given;
  for (uint32_t value = 0; value < problem.values.size(); ++value) {
    Table table{scopeOf(value), {}};
    if (table.scope.empty())
      continue;
    do
      table.costs.push_back(valueCost(value, ways));
    while (advance(table.scope, ways));
    tables.push_back(std::move(table));
  }
}

/// The open operations that share a table with this one.
Scope Elimination::neighbours(size_t op) const {
  std::set<size_t> found;
  for (const Table &table : tables)
    if (std::ranges::binary_search(table.scope, op))
      found.insert(table.scope.begin(), table.scope.end());
  found.erase(op);
  std::erase_if(found, [&](size_t other) { return !open.contains(other); });
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
  std::vector<size_t> ways = given;
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
  open.erase(op);
}

std::vector<size_t> Elimination::run() {
  narrow();
  addTables();
  while (!open.empty()) {
    size_t next = *open.begin(), most = next;
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (size_t op : open) {
      const double size = entries(neighbours(op));
      if (size < least) {
        least = size;
        next = op;
      }
      if (size > largest) {
        largest = size;
        most = op;
      }
      if (least <= 1) // nothing is smaller
        break;
    }
    if (least > entryLimit)
      pin(most); // others then have fewer neighbours
    else
      eliminate(next);
  }
  for (auto out = removed.rbegin(); out != removed.rend(); ++out) {
    double best = std::numeric_limits<double>::infinity();
    size_t bestWay = 0;
    for (size_t way = 0; way < count(out->op); ++way) {
      given[out->op] = way;
      double cost = 0;
      for (const Table &table : out->tables)
        cost += costOf(table, given);
      if (cost < best) {
        best = cost;
        bestWay = way;
      }
    }
    given[out->op] = bestWay;
  }
  std::vector<size_t> ways;
  for (size_t op : leader)
    ways.push_back(given[op]);
  return ways;
}

} // namespace

Result<SplitSolution> solveSplit(const SplitProblem &problem, const SplitOptions &options) {
  WINDLASS_TRY(checkProblem(problem));
  SplitSolution solution{Elimination(problem, static_cast<double>(options.entryLimit)).run(), 0};
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
