// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/DecayGroups.h"

#include "compiler/import/SeparateFunctions.h"
#include "compiler/training/Patterns.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"

using namespace mlir;

namespace windlass {
namespace {

/// The patterns of a training file, ready to match.
class Factors {
public:
  static Result<Factors> of(const WeightDecay &decay) {
    Factors factors;
    for (const auto &[pattern, factor] : decay.byName) {
      if (pattern == WeightDecay::kOthers) {
        factors.others = factor;
        continue;
      }
      Result<Patterns> compiled = Patterns::compile({pattern});
      if (!compiled)
        return compiled.status();
      factors.named.push_back({pattern, compiled.take(), factor});
    }
    return factors;
  }

  Result<double> operator()(const std::string &name) const {
    const Named *found = nullptr;
    for (const Named &one : named) {
      if (!one.pattern.match(name))
        continue;
      if (found && found->factor != one.factor)
        return Status::badInput("\"" + name + "\" matches \"" + found->text + "\" and \"" + one.text +
                                "\", which say different numbers");
      found = &one;
    }
    return found ? found->factor : others;
  }

private:
  struct Named {
    std::string text;
    Patterns pattern;
    double factor;
  };
  std::vector<Named> named;
  double others = 0;
};

} // namespace

Status groupByDecay(ModuleOp module, const WeightDecay &decay) {
  if (decay.byName.empty())
    return Status::ok();
  Result<Factors> factors = Factors::of(decay);
  if (!factors)
    return factors.status();
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state.getRole() != graph::Role::Parameter || graph::isStatistic(state) ||
        state.getGroup() == graph::kFrozenGroup)
      continue;
    Result<double> factor = (*factors)(state.getOriginal().str());
    if (!factor)
      return factor.status();
    state.setGroup(graph::groupOfDecay(*factor));
    state.setDecay(APFloat(*factor + 0.0)); // -0 as 0
  }
  separateFunctions(module, "decay");
  return Status::ok();
}

} // namespace windlass
