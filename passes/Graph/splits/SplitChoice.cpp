// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/SplitChoice.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "planning/Split/SplitChecker.h"
#include "planning/Split/SplitSolver.h"

using namespace mlir;

namespace windlass::graph {
namespace {

StringRef stateOf(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  return read ? read.getState() : StringRef();
}

} // namespace

Result<SplitChoice> SplitChoice::of(Block &block, const SplitSurroundings &surroundings) {
  SplitChoice choice(block, surroundings);
  choice.findReached();
  choice.addValues();
  choice.addOps();
  choice.growWays();
  Result<planning::SplitSolution> solution = planning::solveSplit(choice.problem);
  if (!solution)
    return solution.status();
  WINDLASS_TRY(planning::checkSplit(choice.problem, *solution));
  choice.solution = solution.take();
  return choice;
}

void SplitChoice::findReached() {
  for (auto [argument, isReached] : llvm::zip(block->getArguments(), surroundings.isReached))
    if (isReached && hasFloatElements(argument))
      reached.insert(argument);
  for (Operation &op : *block)
    if (isa<ReadOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) { return reached.contains(v); }))
      for (Value result : op.getResults())
        if (hasFloatElements(result))
          reached.insert(result);
}

void SplitChoice::addValues() {
  llvm::StringMap<uint32_t> states;
  auto add = [&](Value value, const std::string &id) {
    const auto number = static_cast<uint32_t>(problem.values.size());
    numbers[value] = number;
    auto argument = dyn_cast<BlockArgument>(value);
    const bool isParameter =
        argument ? isParameterArgument(argument.getArgNumber()) : !stateOf(value).empty();
    problem.values.push_back({id, typeOf(value).getNumElements(), reached.contains(value), isParameter});
    forms.emplace_back();
    return number;
  };
  for (BlockArgument argument : block->getArguments())
    add(argument, "a" + std::to_string(argument.getArgNumber()));
  for (Operation &op : *block)
    for (Value result : op.getResults()) {
      StringRef state = stateOf(result);
      if (auto known = states.find(state); !state.empty() && known != states.end())
        numbers[result] = known->second;
      else if (const uint32_t number = add(result, "v" + std::to_string(problem.values.size()));
               !state.empty())
        states[state] = number;
    }
}

/// Adds a way of an op, with its costs other than exchanges: the op's `operations` and `elements` of
/// parameters, by the share of a rank.
void SplitChoice::addWay(size_t op, SplitWay way, double operations, double elements) {
  for (const SplitWay &known : problem.ops[op].ways)
    if (known.reads == way.reads && known.makes == way.makes)
      return;
  const bool isShared = way.word != "whole";
  way.notShared = (operations * planning::kOperationWeight + elements * planning::kParameterWeight) /
                  (isShared ? static_cast<double>(surroundings.scope.ranks) : 1.0);
  for (auto [value, form] : llvm::zip_equal(problem.ops[op].reads, way.reads))
    noteForm(value, form);
  for (auto [value, form] : llvm::zip_equal(problem.ops[op].makes, way.makes))
    noteForm(value, form);
  problem.ops[op].ways.push_back(std::move(way));
}

void SplitChoice::noteForm(uint32_t value, const SplitForm &form) {
  if (!form.isSplit() || llvm::is_contained(forms[value], form))
    return;
  forms[value].push_back(form);
  open.emplace_back(value, form);
}

/// Adds the source of a value that comes into the block: whole; or, for a parameter, in the settled form, or
/// in any form that readers ask for.
void SplitChoice::addSource(Value value, bool isParameter, std::optional<SplitForm> settled) {
  const uint32_t number = numberOf(value);
  const size_t op = problem.ops.size();
  problem.ops.push_back({problem.values[number].id, {}, {number}, {}});
  ops.push_back(nullptr);
  const auto elements = static_cast<double>(isParameter ? problem.values[number].elements : 0);
  if (settled && settled->isSplit())
    return addWay(op, {"part", {}, {*settled}}, 0, elements);
  addWay(op, {"whole", {}, {SplitForm::whole()}}, 0, elements);
  if (isParameter && !settled)
    growing.insert(op);
}

void SplitChoice::addOps() {
  for (BlockArgument argument : block->getArguments()) {
    const unsigned i = argument.getArgNumber();
    addSource(argument, isParameterArgument(i),
              i < surroundings.settled.size() ? surroundings.settled[i] : std::nullopt);
  }
  llvm::DenseSet<uint32_t> known;
  for (Operation &op : *block) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto settled = surroundings.states.find(read.getState());
      if (known.insert(numberOf(read.getValue())).second)
        addSource(read.getValue(), true,
                  settled == surroundings.states.end() ? std::nullopt : std::optional(settled->second));
      continue;
    }
    addOp(&op);
  }
}

void SplitChoice::addOp(Operation *op) {
  planning::SplitOp added{(op->getName().getStringRef() + "." + Twine(ops.size())).str(), {}, {}, {}};
  for (Value operand : op->getOperands())
    added.reads.push_back(numberOf(operand));
  for (Value result : op->getResults())
    added.makes.push_back(numberOf(result));
  const size_t number = problem.ops.size();
  opNumbers[op] = number;
  problem.ops.push_back(std::move(added));
  ops.push_back(op);
  SplitWay whole = wholeWay(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto arguments = surroundings.arguments.find(calleeOf(call));
    if (arguments != surroundings.arguments.end())
      whole.reads.assign(arguments->second.begin(), arguments->second.end());
  }
  addWay(number, std::move(whole), flopsOf(op), 0);
  for (SplitWay &way : ownWays(op, surroundings.scope))
    addWay(number, std::move(way), flopsOf(op), 0);
}

/// Asks the ops that make and read a value for their ways with this split of it.
void SplitChoice::askNeighbours(uint32_t value, const SplitForm &form) {
  for (size_t number = 0; number < ops.size(); ++number) {
    const planning::SplitOp &op = problem.ops[number];
    if (!ops[number]) {
      if (op.makes.front() == value && growing.contains(number))
        addWay(number, {"part", {}, {form}}, 0, static_cast<double>(problem.values[value].elements));
      continue;
    }
    for (unsigned i = 0; i < op.reads.size(); ++i)
      if (op.reads[i] == value)
        if (auto way = wayThatReads(ops[number], i, form, surroundings.scope))
          addWay(number, std::move(*way), flopsOf(ops[number]), 0);
    for (unsigned i = 0; i < op.makes.size(); ++i)
      if (op.makes[i] == value)
        if (auto way = wayThatMakes(ops[number], i, form, surroundings.scope))
          addWay(number, std::move(*way), flopsOf(ops[number]), 0);
  }
}

void SplitChoice::growWays() {
  while (!open.empty()) {
    auto [value, form] = open.pop_back_val();
    askNeighbours(value, form);
  }
}

SplitForm SplitChoice::formOf(Value value) const {
  const uint32_t number = numberOf(value);
  for (auto [op, way] : llvm::zip_equal(problem.ops, solution.ways))
    for (auto [made, form] : llvm::zip_equal(op.makes, op.ways[way].makes))
      if (made == number)
        return form;
  return SplitForm::whole();
}

SplitForm SplitChoice::formAsked(OpOperand &operand) const {
  const size_t op = opNumbers.lookup(operand.getOwner());
  return problem.ops[op].ways[solution.ways[op]].reads[operand.getOperandNumber()];
}

StringRef SplitChoice::wayOf(Operation *op) const {
  const size_t number = opNumbers.lookup(op);
  return problem.ops[number].ways[solution.ways[number]].word;
}

int64_t SplitChoice::countShared() const {
  return llvm::count_if(opNumbers, [&](auto &entry) { return wayOf(entry.first) != "whole"; });
}

} // namespace windlass::graph
