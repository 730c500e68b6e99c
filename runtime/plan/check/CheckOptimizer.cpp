// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckOptimizer.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/check/CheckStates.h"

#include <array>
#include <map>

namespace windlass::plan {
namespace {

constexpr size_t kClasses = static_cast<size_t>(StateClass::Gradient) + 1;

/// The states of one tensor, or of one slice of it, by class; null where it has none.
class Family {
public:
  void add(const State &state) { members[static_cast<size_t>(state.cls)] = &state; }
  void check(const Plan &plan, Findings &findings) const;

private:
  const State *of(StateClass cls) const { return members[static_cast<size_t>(cls)]; }
  void checkComplete(Findings &findings) const;
  void checkMember(const Plan &plan, const State &state, Findings &findings) const;

  std::array<const State *, kClasses> members{};
};

void Family::check(const Plan &plan, Findings &findings) const {
  bool isTrained = false;
  for (const State *state : members) {
    if (!state || state->cls == StateClass::Parameter)
      continue;
    isTrained = true;
    if (!of(StateClass::Parameter))
      findings.add(nameOf(*state) + " is that of no parameter");
    else
      checkMember(plan, *state, findings);
  }
  if (isTrained && of(StateClass::Parameter))
    checkComplete(findings);
}

void Family::checkComplete(Findings &findings) const {
  const State &parameter = *of(StateClass::Parameter);
  if (parameter.group == kStatisticsGroup)
    return findings.add(nameOf(parameter) + " is a running statistic, but is trained");
  for (StateClass cls : {StateClass::Momentum, StateClass::Variance, StateClass::Gradient})
    if (!of(cls))
      findings.add(nameOf(parameter) + " is trained, but has no " + std::string(textOf(cls)));
  const bool wide = parameter.type == ElementType::F32;
  if (wide == (of(StateClass::Master) != nullptr))
    findings.add(nameOf(parameter) + " is trained in " + std::string(textOf(parameter.type)) + ", but has " +
                 (wide ? "a" : "no") + " master");
}

/// Beside its parameter; and what the optimizer keeps is cut in one way.
void Family::checkMember(const Plan &plan, const State &state, Findings &findings) const {
  const State &parameter = *of(StateClass::Parameter);
  if (state.cls != StateClass::Gradient && state.type != ElementType::F32)
    findings.add(nameOf(state) + " is " + std::string(textOf(state.type)) + ", not f32");
  if (state.shape != parameter.shape)
    findings.add(nameOf(state) + " has another shape than its parameter");
  if (state.split != parameter.split)
    findings.add(nameOf(state) + " is split in another way than its parameter");
  if (state.group != parameter.group)
    findings.add(nameOf(state) + " is of group \"" + state.group + "\", but its parameter of \"" +
                 parameter.group + "\"");
  if (state.unit != parameter.unit || state.unitOffset != parameter.unitOffset)
    findings.add(nameOf(state) + " lies at element " + std::to_string(state.unitOffset) + " of unit \"" +
                 state.unit + "\", but its parameter at " + std::to_string(parameter.unitOffset) + " of \"" +
                 parameter.unit + "\"");
  auto padded = [&](const State &of) { return of.pieceElements * groupRanks(plan, of.axes); };
  if (padded(state) != padded(parameter))
    findings.add(nameOf(state) + " lies in a unit of " + std::to_string(padded(state)) +
                 " elements, but its parameter in one of " + std::to_string(padded(parameter)));
  const State *momentum = of(StateClass::Momentum);
  if (momentum && state.cls != StateClass::Gradient &&
      (state.axes != momentum->axes || state.sharded != momentum->sharded))
    findings.add(nameOf(state) + " is cut in another way than its momentum");
}

} // namespace

void checkOptimizer(const Plan &plan, const Program &program, Findings &findings) {
  std::map<std::pair<std::string, Slice>, Family> families;
  for (const std::vector<State> *states : {&program.states, &program.gradients})
    for (const State &state : *states)
      families[{state.name, state.slice}].add(state);
  for (const auto &[key, family] : families)
    family.check(plan, findings);
}

} // namespace windlass::plan
