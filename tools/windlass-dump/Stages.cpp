// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stages.h"

#include "runtime/base/Units.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace windlass::dump {
namespace {

using namespace plan;

constexpr size_t kColumns = 96;
constexpr char kIdle = '.';

char letterOf(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return 'F';
  case Phase::Recompute:
    return 'R';
  case Phase::Backward:
    return 'B';
  case Phase::Update:
    return 'U';
  }
  return kIdle;
}

/// What a device computes: of each column the seconds of each phase, and of all together.
struct Line {
  std::array<std::array<double, 4>, kColumns> phases{};
  double busy = 0;

  void add(double start, double end, Phase phase, double column) {
    busy += end - start;
    for (auto at = static_cast<size_t>(start / column);
         at < kColumns && static_cast<double>(at) * column < end; ++at)
      phases[at][static_cast<size_t>(phase)] += std::min(end, static_cast<double>(at + 1) * column) -
                                                std::max(start, static_cast<double>(at) * column);
  }

  /// By the phase that most of a column is of; idle where that computes for less than half of it in all.
  std::string text(double column) const {
    std::string text;
    for (const std::array<double, 4> &seconds : phases) {
      double all = 0;
      for (double each : seconds)
        all += each;
      const auto most = std::max_element(seconds.begin(), seconds.end()) - seconds.begin();
      text += all * 2 < column ? kIdle : letterOf(static_cast<Phase>(most));
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
  for (const model::SimulatedEvent &time : times) {
    const Instruction &instruction =
        plan.programs[time.program].sections[time.section].instructions[time.instruction];
    if (instruction.lane == Lane::Compute)
      lines[time.program].add(time.start, time.end, instruction.origin.phase, column);
  }
  std::string text = "the stages in a step of " + formatSeconds(seconds) +
                     ": F forward, R recompute, B backward, U update, . nothing to compute\n";
  for (size_t stage = 0; stage < lines.size(); ++stage)
    text += std::to_string(stage) + " " + lines[stage].text(column) + " idle " +
            std::to_string(std::lround(100 * (1 - lines[stage].busy / seconds))) + " %\n";
  return text + "\n";
}

} // namespace windlass::dump
