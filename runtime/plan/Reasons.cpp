// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Reasons.h"

#include <algorithm>
#include <array>

namespace windlass::plan {

// clang-format off
#define WINDLASS_ENUM_BEGIN(Name)                                   \
  template <> std::span<const std::string_view> wordsOf<Name>() {   \
    static constexpr std::string_view words[] = {
#define WINDLASS_ENUM_CASE(Name, Id, Text) Text,
#define WINDLASS_ENUM_END(Name)                                     \
    };                                                              \
    return words;                                                   \
  }
#include "runtime/plan/Reasons.def"
// clang-format on

FigureUnit unitOf(Figure figure) {
  static constexpr FigureUnit units[] = {
#define WINDLASS_FIGURE(Id, Text, Unit) FigureUnit::Unit,
#include "runtime/plan/Reasons.def"
  };
  return units[static_cast<size_t>(figure)];
}

bool has(const Figures &figures, Figure figure) {
  return std::ranges::find(figures, figure, &Figures::value_type::first) != figures.end();
}

double realOf(const Figures &figures, Figure figure) {
  const auto found = std::ranges::find(figures, figure, &Figures::value_type::first);
  return found == figures.end() ? 0 : found->second;
}

int64_t wholeOf(const Figures &figures, Figure figure) {
  return static_cast<int64_t>(realOf(figures, figure));
}

std::span<const std::string_view> subjectsOf(Decision decision) {
  static constexpr std::array<std::string_view, 1> whole = {""};
  static constexpr std::array classes = {
      std::string_view(),
#define WINDLASS_PLACEMENT_CLASS(Id, Text) std::string_view(Text),
#include "runtime/plan/PlacementClasses.def"
  };
  static constexpr std::array<std::string_view, 3> links = {"nc", "cg", "gg"};
  switch (decision) {
  case Decision::Placement:
    return classes;
  case Decision::Prefetch:
    return links;
  case Decision::Slack:
    return wordsOf<Tier>();
  case Decision::Strategy:
  case Decision::Recompute:
  case Decision::ZeroStage:
  case Decision::Bucket:
  case Decision::Persistence:
  case Decision::MicroBatchOrder:
  case Decision::ReshardAfterForward:
  case Decision::SequenceParallel:
  case Decision::ReshardActivations:
  case Decision::CheckpointPartition:
  case Decision::PipelineSchedule:
  case Decision::Cadence:
  case Decision::Tile:
  case Decision::Parallel:
  case Decision::Training:
    return whole;
  }
  return whole;
}

std::string pathOf(const Reason &reason) {
  const std::string decision(textOf(reason.decision));
  return reason.subject.empty() ? decision : decision + "." + reason.subject;
}

const Reason *findReason(const std::vector<Reason> &reasons, std::string_view path) {
  const auto found = std::ranges::find(reasons, path, pathOf);
  return found == reasons.end() ? nullptr : &*found;
}

const Reason *findReason(const std::vector<Reason> &reasons, std::string_view path, int64_t stage) {
  const auto found = std::ranges::find_if(reasons, [&](const Reason &reason) {
    return (reason.stage == stage || reason.stage == kEveryStage) && pathOf(reason) == path;
  });
  return found == reasons.end() ? nullptr : &*found;
}

const Trial *findTrial(const Reason &reason, std::string_view value) {
  const auto found = std::ranges::find(reason.trials, value, &Trial::value);
  return found == reason.trials.end() ? nullptr : &*found;
}

const Trial *takenTrial(const Reason &reason) {
  const auto found = std::ranges::find(reason.trials, Outcome::Taken, &Trial::outcome);
  return found == reason.trials.end() ? nullptr : &*found;
}

} // namespace windlass::plan
