// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/CheckItems.h"
#include "runtime/base/Counted.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/Layout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace windlass::plan {
namespace {

constexpr int64_t kNumberBytes = 4, kKeyBytes = 8;

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

bool trains(SectionKind kind) { return kind != SectionKind::Evaluate && kind != SectionKind::Sample; }
bool endsStep(SectionKind kind) { return kind == SectionKind::Only || kind == SectionKind::Last; }

bool isOneOf(std::string_view item, std::initializer_list<std::string_view> items) {
  return std::ranges::find(items, item) != items.end();
}

const Input *inputOf(const Plan &plan, std::string_view item) {
  const auto found = std::ranges::find(plan.inputs, item, &Input::name);
  return found == plan.inputs.end() ? nullptr : &*found;
}

/// A number of the step, or a share of its loss: one f32.
bool isNumber(const Plan &plan, std::string_view item) {
  return isOneOf(item,
                 {kLearningRate, kBiasCorrection1, kBiasCorrection2, kLossSeed, kInverseLossScale, kStep}) ||
         std::ranges::find(plan.lossShares, item, &LossShare::item) != plan.lossShares.end();
}

/// What the training loop feeds in a section; its bytes are those of the input, or checked below.
bool isFed(const Plan &plan, SectionKind kind, std::string_view item) {
  return inputOf(plan, item) || isNumber(plan, item) ||
         (trains(kind) && isOneOf(item, {kDropoutKeys, kRowBlock})) ||
         (kind == SectionKind::Sample && item == kPosition);
}

bool isTaken(SectionKind kind, std::string_view item) {
  return item == kLoss || (trains(kind) && item == kGradientNorm) ||
         (kind == SectionKind::Sample && item == kLogits);
}

/// The feeds and reports of one section.
class SectionItems {
public:
  SectionItems(const Plan &plan, const Section &section, Findings &findings)
      : plan(plan), section(section), findings(findings) {}

  void check() {
    LaneCounts counts{};
    for (const Instruction &instruction : section.instructions) {
      const uint32_t ordinal = ++at(counts, instruction.lane);
      if (instruction.op == Opcode::Feed || instruction.op == Opcode::Report)
        checkItem(instruction, place() + ", " + nameOf(instruction, ordinal));
    }
    for (int64_t batch = 0; batch < microBatchesOf(plan, section.kind); ++batch)
      checkBatch(batch);
    if (!endsStep(section.kind) || plan.training.lossScale.initial == 0)
      return;
    if (!has(Opcode::Feed, kInverseLossScale))
      findings.add(place() + ": losses are scaled, but no " + quoted(kInverseLossScale) + " is fed");
    if (!has(Opcode::Report, kGradientNorm))
      findings.add(place() + ": losses are scaled, but no " + quoted(kGradientNorm) + " is reported");
  }

private:
  std::string place() const { return "section " + std::string(textOf(section.kind)); }

  void checkItem(const Instruction &instruction, const std::string &name) {
    const std::string &item = instruction.item;
    const bool isFeed = instruction.op == Opcode::Feed;
    if (item.empty()) // told already
      return;
    if (isFeed ? !isFed(plan, section.kind, item) : !isTaken(section.kind, item))
      findings.add(name + (isFeed ? ": asks for " : ": reports ") + quoted(item) +
                   ", which the training loop does not know there");
    const bool isNew = seen.insert({instruction.op, item, instruction.microBatch}).second;
    if (!isNew && isOneOf(item, {kLoss, kLogits}))
      findings.add(name + ": " + quoted(item) + " stands twice for micro-batch " +
                   std::to_string(instruction.microBatch));
    if (instruction.operands.size() == 1 && !(isFeed && inputOf(plan, item)))
      checkBytes(item, instruction.operands[0].bytes, name);
  }

  /// Inputs have the bytes of their shape (CheckInstruction).
  void checkBytes(const std::string &item, int64_t bytes, const std::string &name) {
    const int64_t each = item == kDropoutKeys ? kKeyBytes
                         : item == kLogits    ? rowsOfLogits() * kNumberBytes
                                              : kNumberBytes;
    if (bytes < each || bytes % each != 0)
      findings.add(name + ": " + quoted(item) + " has " + std::to_string(bytes) + " bytes, no multiple of " +
                   std::to_string(each));
  }

  /// Of one text: every token's, or those of the one whose position is fed.
  int64_t rowsOfLogits() const {
    __int128 rows = 1;
    for (const Input &input : plan.inputs)
      if (input.role == InputRole::Tokens && !isFedHere(kPosition)) {
        rows = 1;
        for (size_t d = 1; d < input.shape.size(); ++d)
          rows = std::min<__int128>(rows * input.shape[d], INT32_MAX);
      }
    return std::max<int64_t>(1, static_cast<int64_t>(rows));
  }
  bool isFedHere(std::string_view item) const {
    return std::ranges::any_of(section.instructions, [&](const Instruction &instruction) {
      return instruction.op == Opcode::Feed && instruction.item == item;
    });
  }

  bool has(Opcode op, std::string_view item) const {
    return std::ranges::any_of(seen, [&](const Seen &one) { return one.op == op && one.item == item; });
  }

  /// What the loop goes by: the model's inputs, and a loss or, of a sample, logits.
  void checkBatch(int64_t batch) {
    const bool samples = section.kind == SectionKind::Sample;
    const std::string_view wanted = samples ? kLogits : kLoss;
    const std::string where = place() + (batch ? ", micro-batch " + std::to_string(batch) : "");
    if (!seen.contains({Opcode::Report, std::string(wanted), batch}))
      findings.add(where + ": reports no " + quoted(wanted));
    for (const Input &input : plan.inputs)
      if (!samples && !seen.contains({Opcode::Feed, input.name, batch}))
        findings.add(where + ": input " + quoted(input.name) + " is not fed");
  }

  struct Seen {
    Opcode op;
    std::string item;
    int64_t microBatch;
    auto operator<=>(const Seen &) const = default;
  };

  const Plan &plan;
  const Section &section;
  Findings &findings;
  std::set<Seen> seen;
};

bool holdsWholeNumbers(InputRole role) { return role != InputRole::Features && role != InputRole::Targets; }

/// Of the type that its role is read as, with a name of its own, for the examples of one micro-batch.
void checkInput(const Plan &plan, const Input &input, Findings &findings) {
  const std::string name = "input " + quoted(input.name);
  const ElementType type = holdsWholeNumbers(input.role) ? ElementType::I32 : ElementType::F32;
  if (input.type != type)
    findings.add(name + " is " + std::string(textOf(input.type)) + ", but " +
                 std::string(textOf(input.role)) + " are " + std::string(textOf(type)));
  if (holdsWholeNumbers(input.role) && (input.bound < 1 || input.bound > INT32_MAX))
    findings.add(name + " has bound " + std::to_string(input.bound) + ", which is no number of classes");
  if (&input != inputOf(plan, input.name) || isNumber(plan, input.name) ||
      isOneOf(input.name, {kDropoutKeys, kRowBlock, kPosition}))
    findings.add(name + " has a name that something else is fed by");
  const __int128 blocks = __int128(plan.training.microBatches) * plan.ranks();
  if (blocks < 1 || input.shape.empty() || input.shape[0] * blocks != plan.training.globalBatch)
    findings.add(name + " has " + (input.shape.empty() ? "no" : std::to_string(input.shape[0])) +
                 " examples, but a step of " + std::to_string(plan.training.globalBatch) + " has " +
                 counted(plan.training.microBatches, "micro-batch") + " on " + counted(plan.ranks(), "rank"));
}

} // namespace

void checkItems(const Plan &plan, Findings &findings) {
  for (const Input &input : plan.inputs)
    checkInput(plan, input, findings);
  for (const Section &section : plan.sections)
    SectionItems(plan, section, findings).check();
}

} // namespace windlass::plan
