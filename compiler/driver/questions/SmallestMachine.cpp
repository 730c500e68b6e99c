// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/SmallestMachine.h"

#include "compiler/driver/capacity/SmallestGrowth.h"
#include "compiler/driver/questions/FitQuestion.h"
#include "runtime/base/Counted.h"
#include <numeric>
#include <vector>

namespace windlass {
namespace {

/// The most ranks that are tried.
constexpr int64_t kMostRanks = 1 << 13;
/// The search ends when the bounds of the capacity differ by at most one part in this many.
constexpr int64_t kPrecision = 50;

/// The least sufficient capacity of a tier; that of the machine must be sufficient.
Result<LeastCapacity> leastOf(FitQuestion &question, plan::Tier tier) {
  model::Machine machine = question.machine();
  int64_t &capacity = givenCapacity(machine, tier);
  const int64_t given = capacity;
  int64_t low = 0, high = given;
  while (high - low > std::max(kCapacityGranule, high / kPrecision)) {
    capacity = low + (high - low) / 2;
    Result<FitAnswer> answer = question.ask(machine);
    WINDLASS_TRY(answer.status());
    (answer->fits ? high : low) = capacity;
  }
  return LeastCapacity{tier, high, given};
}

Status findCapacities(const CompileRequest &request, FitQuestion &question, SmallestMachine &found) {
  for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme}) {
    if (!question.machine().has(tier))
      continue;
    request.progress("looking for the least of " + std::string(plan::textOf(tier)));
    Result<LeastCapacity> least = leastOf(question, tier);
    WINDLASS_TRY(least.status());
    found.capacities.push_back(*least);
  }
  return Status::ok();
}

/// The numbers of ranks to ask: a part of a node, then whole nodes, each of them a multiple of `unit`.
std::vector<int64_t> ranksToAsk(int64_t unit, int64_t ofNode) {
  std::vector<int64_t> all;
  for (int64_t ranks = unit; ranks < ofNode; ranks *= 2)
    all.push_back(ranks);
  for (int64_t ranks = std::lcm(unit, ofNode); ranks <= kMostRanks; ranks *= 2)
    all.push_back(ranks);
  return all;
}

} // namespace

Result<SmallestMachine> smallestMachine(const CompileRequest &request) {
  Result<Inputs> inputs = readInputs(request);
  WINDLASS_TRY(inputs.status());
  SmallestMachine found;
  CompileRequest asked = request;
  asked.progress = [](const std::string &) {};
  const int64_t unit = inputs->training.stages * inputs->training.tensorRanks;
  Status refused = Status::ok(); // of the last number that the training file does not allow
  for (int64_t ranks : ranksToAsk(unit, inputs->machine.ranksPerNode)) {
    request.progress("asking whether " + counted(ranks, "rank") + (ranks == 1 ? " holds it" : " hold it"));
    asked.whatIf.ranks = ranks;
    Result<std::unique_ptr<FitQuestion>> question = FitQuestion::of(asked);
    if (!question && question.status().code() == ExitCode::BadInput) {
      refused = question.status();
      continue;
    }
    WINDLASS_TRY(question.status());
    Result<FitAnswer> answer = (*question)->ask((*question)->machine());
    WINDLASS_TRY(answer.status());
    if (answer->fits) {
      found.ranks = ranks;
      WINDLASS_TRY(findCapacities(request, **question, found));
      return found;
    }
    found.tooFew = ranks;
  }
  if (found.tooFew == 0 && !refused)
    return refused;
  return Status::cannotFit("no plan fits " + request.hardware + ", whatever the number of ranks up to " +
                           formatCount(kMostRanks) +
                           (refused ? "" : "; not all were asked: " + refused.message()));
}

} // namespace windlass
