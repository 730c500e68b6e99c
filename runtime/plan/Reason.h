// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reason.h - why a plan is as it is =====================================//
//
// Duty: a record for every decision that a planner took: the value taken, the other trials with their
// outcomes, and the figures that decided. A record holds words of closed enums, names and numbers, and no
// sentence: ReasonText.h makes the sentences. Whoever compares, ranks or tests decisions reads the records.
// The enums have their cases in Reasons.h, which whoever reads a record includes: plans are made and run
// by many files that do not.
// Units: bytes of one rank, seconds of a step where nothing else is said. Threads: plain values.
// The page that describes them: docs/plan-format.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Cases.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace windlass::plan {

enum class Decision : uint8_t;
enum class Basis : uint8_t;
enum class Outcome : uint8_t;
enum class Clock : uint8_t;
enum class Resource : uint8_t;
enum class Lack : uint8_t;
enum class Figure : uint8_t;

/// Each at most once; counts and bytes are whole.
using Figures = std::vector<std::pair<Figure, double>>;

/// A rate of the machine, and where it stands in the hardware file.
struct QuotedRate {
  std::string key; ///< "nvme.read"; empty: none
  double perSecond = 0;
  std::string unit = {}; ///< "B", "params"
  bool measured = false;

  bool operator==(const QuotedRate &) const = default;
};

/// A latency of the machine, and where it stands in the hardware file.
struct QuotedTime {
  std::string key; ///< "nvme.latency"
  double seconds = 0;

  bool operator==(const QuotedTime &) const = default;
};

/// What takes bytes of a tier: a class of buffers, or an item that rests there.
struct Consumer {
  std::string name;
  int64_t bytes = 0;

  bool operator==(const Consumer &) const = default;
};

/// What a tier lacks.
struct Shortage {
  Lack of = {};
  Tier tier = Tier::Device;
  int64_t bytes = 0;                  ///< that are missing
  int64_t needed = 0, capacity = 0;   ///< of an arena
  std::vector<Consumer> largest = {}; ///< the largest first

  bool operator==(const Shortage &) const = default;
};

/// The seconds of a resource in a step: of a trial, and of what was taken.
struct Price {
  Resource resource = {};
  double seconds = 0, before = 0;
  QuotedRate rate = {};

  bool operator==(const Price &) const = default;
};

/// A value of the decision that was tried, played or bounded.
struct Trial {
  std::string value = {}; ///< as strategies spell it
  Outcome outcome = {};
  std::string refusal = {}; ///< of RuledOut: what was refused, in the words of whoever refused it
  Clock clock = {};
  double seconds = 0;
  bool wholeParameters = false; ///< parameters are whole on the device: no shard of them can leave it
  std::vector<Shortage> shortages = {};
  Price price = {}; ///< the resource whose seconds the trial increases most
  Figures figures = {};

  bool operator==(const Trial &) const = default;
};

/// How many items of a class rest on a tier.
struct Resting {
  Tier tier = Tier::Device;
  int64_t items = 0, bytes = 0;

  bool operator==(const Resting &) const = default;
};

/// The fetches of a link at the moment at which the most are under way.
struct FetchWindow {
  std::string what = {}, function = {}; ///< the origin of the fetch that takes longest
  double ahead = 0;                     ///< seconds from the begin of that fetch to the begin of its user
  double seconds = 0;                   ///< of that fetch: latency + bytes / (shares * rate)
  QuotedTime latency = {};
  int64_t bytes = 0, shares = 1; ///< `bytes` at `shares` times `rate`
  QuotedRate rate = {};
  std::string lastWhat = {}, lastFunction = {}; ///< origin of the fetch that begins last; empty: as above
  double late = 0;  ///< seconds by which the last fetch would be late with one credit less
  int64_t held = 0; ///< fetches that memory has room for; 0: all of the window

  bool operator==(const FetchWindow &) const = default;
};

/// Reason::stage of a decision that holds for all stages of a pipeline, or where there are none.
inline constexpr int64_t kEveryStage = -1;

struct Reason {
  Decision decision = {};
  std::string subject = {};    ///< of subjectsOf(decision)
  int64_t stage = kEveryStage; ///< of a pipeline, that decided for itself
  std::string taken = {};      ///< as strategies spell it
  Basis basis = {};
  Figures figures = {};
  std::vector<Resting> rests = {}; ///< of placements: where items rest; of implied ones: where they must
  FetchWindow window = {};         ///< of Prefetch
  std::vector<Trial> trials = {};  ///< none, or exactly one that was taken

  bool operator==(const Reason &) const = default;
};

} // namespace windlass::plan
