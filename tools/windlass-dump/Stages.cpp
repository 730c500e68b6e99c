// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stages.h"

#include "runtime/base/Units.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace windlass::dump {
namespace {

using namespace plan;

constexpr size_t kColumns = 96;
constexpr char kIdle = '.';

/// The kinds of computation in the picture. Gradients of weights are apart from the rest of the backward
/// pass, if they are delayed; updates on the host are apart from those on the device.
enum class Shown : uint8_t { Forward, Recompute, Backward, Weights, Update, HostUpdate };
constexpr size_t kShown = 6;

char letterOf(Shown shown) {
  switch (shown) {
  case Shown::Forward:
    return 'F';
  case Shown::Recompute:
    return 'R';
  case Shown::Backward:
    return 'B';
  case Shown::Weights:
    return 'W';
  case Shown::Update:
    return 'U';
  case Shown::HostUpdate:
    return 'u';
  }
  return kIdle;
}

/// The micro-batches by which the backward pass of a program lags behind the forward pass on the device.
/// Computations that lag further are gradients of weights. In a program whose runs have several
/// micro-batches, as with chunks of layers, none lag further. Messages from other stages may be of a later
/// micro-batch.
int64_t lagOf(const Program &program) {
  int64_t lag = INT64_MAX;
  if (std::ranges::any_of(
          program.train, [&](const SectionRuns &runs) { return program.sections[runs.section].advance > 1; }))
    return lag;
  for (const SectionRuns &runs : program.train)
    for (const Instruction &each : program.sections[runs.section].instructions)
      if (each.lane == Lane::Compute &&
          (each.origin.phase == Phase::Backward || each.origin.phase == Phase::Recompute))
        lag = std::min(lag, -each.microBatch);
  return lag;
}

Shown shownAs(const Instruction &instruction, int64_t lag) {
  switch (instruction.origin.phase) {
  case Phase::Forward:
    return Shown::Forward;
  case Phase::Recompute:
    return Shown::Recompute;
  case Phase::Backward:
    return -instruction.microBatch > lag ? Shown::Weights : Shown::Backward;
  case Phase::Update:
    return Shown::Update;
  }
  return Shown::Update;
}

/// A line of the picture: for each column the seconds of each kind of computation of a stage.
struct Line {
  std::array<std::array<double, kShown>, kColumns> kinds{};
  std::vector<std::pair<double, double>> spans;

  /// The seconds in which device or host compute.
  double busy() const {
    std::vector<std::pair<double, double>> sorted = spans;
    std::ranges::sort(sorted);
    double seconds = 0, until = 0;
    for (const auto &[start, end] : sorted) {
      seconds += std::max(0.0, end - std::max(start, until));
      until = std::max(until, end);
    }
    return seconds;
  }

  void add(double start, double end, Shown shown, double column) {
    spans.emplace_back(start, end);
    for (auto at = static_cast<size_t>(start / column);
         at < kColumns && static_cast<double>(at) * column < end; ++at)
      kinds[at][static_cast<size_t>(shown)] += std::min(end, static_cast<double>(at + 1) * column) -
                                               std::max(start, static_cast<double>(at) * column);
  }

  /// A character per column: the kind with the most seconds on the device, or else the host's updates; idle
  /// if both compute for less than half of the column.
  std::string text(double column) const {
    std::string text;
    for (const std::array<double, kShown> &seconds : kinds) {
      const auto onHost = seconds.begin() + static_cast<size_t>(Shown::HostUpdate);
      const double onDevice = std::accumulate(seconds.begin(), onHost, 0.0);
      const auto most = onDevice * 2 >= column ? std::max_element(seconds.begin(), onHost) : onHost;
      text += std::max(onDevice, *onHost) * 2 < column ? kIdle
                                                       : letterOf(static_cast<Shown>(most - seconds.begin()));
    }
    return text;
  }
};

} // namespace

std::string stagesSideBySide(const Plan &plan, std::span<const model::SimulatedEvent> times) {
  double seconds = 0;
  for (const model::SimulatedEvent &time : times)
    seconds = std::max(seconds, time.end);
  if (plan.programs.size() == 1 || seconds == 0)
    return "";
  const double column = seconds / kColumns;
  std::vector<Line> lines(plan.programs.size());
  std::vector<int64_t> lags;
  bool hasHostUpdates = false;
  for (const Program &program : plan.programs)
    lags.push_back(lagOf(program));
  for (const model::SimulatedEvent &time : times) {
    const Instruction &instruction =
        plan.programs[time.program].sections[time.section].instructions[time.instruction];
    const bool isHostUpdate = instruction.lane == Lane::HostCompute && instruction.op == Opcode::Launch &&
                              instruction.origin.phase == Phase::Update;
    if (instruction.lane == Lane::Compute || isHostUpdate)
      lines[time.program].add(time.start, time.end,
                              isHostUpdate ? Shown::HostUpdate : shownAs(instruction, lags[time.program]),
                              column);
    hasHostUpdates |= isHostUpdate;
  }
  std::string text = "the stages in a step of " + formatSeconds(seconds) +
                     ": F forward, R recompute, B backward, W gradients of weights that waited, U update, " +
                     (hasHostUpdates ? "u update on the host, " : "") + ". bubble\n";
  for (size_t stage = 0; stage < lines.size(); ++stage)
    text += std::to_string(stage) + " " + lines[stage].text(column) + " bubble " +
            std::to_string(std::lround(100 * (1 - lines[stage].busy() / seconds))) + " %\n";
  return text + "\n";
}

} // namespace windlass::dump
