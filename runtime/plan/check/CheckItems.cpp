// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckItems.h"
#include "runtime/base/Counted.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace windlass::plan {
namespace {

constexpr int64_t kNumberBytes = 4, kKeyBytes = 8;

std::string inQuotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

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

/// What the training loop feeds in a schedule; its bytes are those of the input, or checked below.
bool isFed(const Plan &plan, Purpose purpose, std::string_view item) {
  return inputOf(plan, item) || isNumber(plan, item) || item == kTensorCoordinate ||
         (purpose == Purpose::Train && isOneOf(item, {kDropoutKeys, kRowBlock})) ||
         (purpose == Purpose::Sample && item == kPosition);
}

bool isTaken(Purpose purpose, std::string_view item) {
  return item == kLoss || (purpose == Purpose::Train && item == kGradientNorm) ||
         (purpose == Purpose::Sample && item == kLogits);
}

/// The feeds and reports of one purpose, in the schedules of all programs.
class ScheduleItems {
public:
  ScheduleItems(const Plan &plan, Purpose purpose, Findings &findings)
      : plan(plan), purpose(purpose), findings(findings) {
    for (const Program &program : plan.programs)
      for (uint32_t i = 0; i < program.sections.size(); ++i)
        if (purposeOf(program, i) == purpose)
          sections.push_back(&program.sections[i]);
  }

  void check() {
    for (const Section *section : sections) {
      LaneCounts counts{};
      for (const Instruction &instruction : section->instructions) {
        const uint32_t ordinal = ++at(counts, instruction.lane);
        if (instruction.op == Opcode::Feed || instruction.op == Opcode::Report)
          checkItem(instruction, "section " + section->name + ", " + nameOf(instruction, ordinal));
      }
    }
    checkMicroBatches();
    if (purpose != Purpose::Train || plan.training.lossScale.initial == 0)
      return;
    if (!has(Opcode::Feed, kInverseLossScale))
      findings.add(place() + ": losses are scaled, but no " + inQuotes(kInverseLossScale) + " is fed");
    if (!has(Opcode::Report, kGradientNorm))
      findings.add(place() + ": losses are scaled, but no " + inQuotes(kGradientNorm) + " is reported");
  }

private:
  std::string place() const { return "schedule " + inQuotes(textOf(purpose)); }

  void checkItem(const Instruction &instruction, const std::string &name) {
    const std::string &item = instruction.item;
    const bool isFeed = instruction.op == Opcode::Feed;
    if (item.empty()) // told already
      return;
    if (isFeed ? !isFed(plan, purpose, item) : !isTaken(purpose, item))
      findings.add(name + (isFeed ? ": asks for " : ": reports ") + inQuotes(item) +
                   ", which the training loop does not know there");
    if (instruction.operands.size() == 1 && !(isFeed && inputOf(plan, item)))
      checkBytes(item, instruction.operands[0].bytes, name);
  }

  /// Inputs have the bytes of their shape (CheckInstruction).
  void checkBytes(const std::string &item, int64_t bytes, const std::string &name) {
    const int64_t each = item == kDropoutKeys ? kKeyBytes
                         : item == kLogits    ? rowsOfLogits() * kNumberBytes
                                              : kNumberBytes;
    if (bytes < each || bytes % each != 0)
      findings.add(name + ": " + inQuotes(item) + " has " + std::to_string(bytes) +
                   " bytes, no multiple of " + std::to_string(each));
  }

  /// Of one text: every token's, or those of the one whose position is fed.
  int64_t rowsOfLogits() const {
    __int128 rows = 1;
    for (const Input &input : plan.inputs)
      if (input.role == InputRole::Tokens && !has(Opcode::Feed, kPosition)) {
        rows = 1;
        for (size_t d = 1; d < input.shape.size(); ++d)
          rows = std::min<__int128>(rows * input.shape[d], INT32_MAX);
      }
    return std::max<int64_t>(1, static_cast<int64_t>(rows));
  }

  bool has(Opcode op, std::string_view item) const {
    return std::ranges::any_of(sections, [&](const Section *section) {
      return std::ranges::any_of(section->instructions, [&](const Instruction &instruction) {
        return instruction.op == op && instruction.item == item;
      });
    });
  }

  /// What the loop goes by, of each micro-batch: the model's inputs, and a loss or, of a sample, logits.
  void checkMicroBatches() {
    const bool samples = purpose == Purpose::Sample;
    checkEach(Opcode::Report, samples ? kLogits : kLoss);
    for (const Input &input : plan.inputs)
      if (!samples)
        checkEach(Opcode::Feed, input.name);
  }

  /// Each micro-batch has the item; of reports, once.
  void checkEach(Opcode op, std::string_view item) {
    std::vector<uint32_t> seen(static_cast<size_t>(std::max<int64_t>(0, microBatchesOf(plan, purpose))));
    for (const Program &program : plan.programs)
      for (const SectionRun &run : unroll(program, purpose))
        for (int64_t offset : offsetsOf(program.sections[run.section], op, item))
          if (const auto batch = static_cast<size_t>(run.microBatch + offset); batch < seen.size())
            ++seen[batch]; // others are told already
    const bool reports = op == Opcode::Report;
    for (size_t batch = 0; batch < seen.size(); ++batch) {
      const std::string where = place() + ", micro-batch " + std::to_string(batch);
      if (seen[batch] == 0)
        return findings.add(where + (reports ? ": reports no " + inQuotes(item)
                                             : ": input " + inQuotes(item) + " is not fed"));
      if (seen[batch] > 1 && reports)
        return findings.add(where + ": reports " + inQuotes(item) + " twice");
    }
  }

  /// Micro-batches in a run of a section that have the item, as instructions spell them.
  const std::vector<int64_t> &offsetsOf(const Section &section, Opcode op, std::string_view item) {
    auto [known, isNew] = offsets.try_emplace({&section, op, std::string(item)});
    for (const Instruction &instruction : section.instructions)
      if (isNew && instruction.op == op && instruction.item == item)
        known->second.push_back(instruction.microBatch);
    return known->second;
  }

  const Plan &plan;
  const Purpose purpose;
  Findings &findings;
  std::vector<const Section *> sections;
  std::map<std::tuple<const Section *, Opcode, std::string>, std::vector<int64_t>> offsets;
};

bool holdsWholeNumbers(InputRole role) { return role != InputRole::Features && role != InputRole::Targets; }

/// Of the type that its role is read as, with a name of its own, for the examples of one micro-batch.
void checkInput(const Plan &plan, const Input &input, Findings &findings) {
  const std::string name = "input " + inQuotes(input.name);
  const ElementType type = holdsWholeNumbers(input.role) ? ElementType::I32 : ElementType::F32;
  if (input.type != type)
    findings.add(name + " is " + std::string(textOf(input.type)) + ", but " +
                 std::string(textOf(input.role)) + " are " + std::string(textOf(type)));
  if (holdsWholeNumbers(input.role) && (input.bound < 1 || input.bound > INT32_MAX))
    findings.add(name + " has bound " + std::to_string(input.bound) + ", which is no number of classes");
  if (&input != inputOf(plan, input.name) || isNumber(plan, input.name) ||
      isOneOf(input.name, {kDropoutKeys, kRowBlock, kPosition, kTensorCoordinate}))
    findings.add(name + " has a name that something else is fed by");
  const __int128 blocks = __int128(plan.training.microBatches) * dataRanks(plan);
  if (blocks < 1 || input.shape.empty() || input.shape[0] * blocks != plan.training.globalBatch)
    findings.add(name + " has " + (input.shape.empty() ? "no" : std::to_string(input.shape[0])) +
                 " examples, but a step of " + std::to_string(plan.training.globalBatch) + " has " +
                 counted(plan.training.microBatches, "micro-batch") + " on " +
                 counted(dataRanks(plan), "data rank"));
}

} // namespace

void checkItems(const Plan &plan, Findings &findings) {
  for (const Input &input : plan.inputs)
    checkInput(plan, input, findings);
  for (Purpose purpose : kPurposes)
    if (serves(plan, purpose))
      ScheduleItems(plan, purpose, findings).check();
}

} // namespace windlass::plan
