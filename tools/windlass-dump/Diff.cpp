// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences between two plans (Dump.h).
#include "Decisions.h"
#include "Dump.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/text/ReasonText.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

constexpr int64_t kShown = 4; ///< names of a list, or entries of a decision, that are printed at most

/// Writes the differences between two plans.
class Difference {
public:
  Difference(const Plan &before, const Plan &after) : before(before), after(after) {}

  std::string text() {
    addFacts();
    addNumerics();
    addDecisions();
    addHomes();
    addSizes();
    addPrediction();
    return said.empty() ? "the plans decide, hold and predict the same\n" : said;
  }

private:
  static std::string arrow(const std::string &from, const std::string &to) { return from + " -> " + to; }

  void section(const std::string &title, const std::string &lines) {
    if (!lines.empty())
      said += (said.empty() ? "" : "\n") + title + "\n" + lines;
  }
  static std::string line(const std::string &name, const std::string &from, const std::string &to) {
    return from == to ? "" : "  " + name + ": " + arrow(from, to) + "\n";
  }

  /// Adds differences of model, machine and training.
  void addFacts() {
    auto meshOf = [](const Plan &plan) {
      std::string text;
      for (const MeshAxis &axis : plan.mesh)
        text += (text.empty() ? "" : " x ") + axis.name + " " + std::to_string(axis.size);
      return text;
    };
    auto machineOf = [](const Plan &plan) {
      const auto file = nlohmann::json::parse(plan.hardware, nullptr, false);
      return file.is_object() ? file.value("name", std::string("a machine without a name")) : std::string();
    };
    section("what is planned",
            line("model", before.model, after.model) +
                line("parameters", formatCount(before.parameters), formatCount(after.parameters)) +
                line("machine", machineOf(before), machineOf(after)) +
                (machineOf(before) == machineOf(after) && before.hardware != after.hardware
                     ? "  machine: its description differs\n"
                     : "") +
                line("mesh", meshOf(before), meshOf(after)) + line("backend", before.backend, after.backend));
  }

  /// Adds differing entries of the numerics record, by which the bits of results differ.
  void addNumerics() {
    std::string lines;
    forEachEntry(nlohmann::ordered_json::parse(before.numerics, nullptr, false),
                 nlohmann::ordered_json::parse(after.numerics, nullptr, false),
                 [&](const std::string &key, const std::string &from, const std::string &to) {
                   lines += line(key, from, to);
                 });
    section("numbers: the two train to other bits", lines);
  }

  /// Calls visit(key, from, to) for every key of either object.
  template <typename Visit>
  static void forEachEntry(const nlohmann::ordered_json &from, const nlohmann::ordered_json &to,
                           Visit visit) {
    std::set<std::string> keys;
    for (const nlohmann::ordered_json *side : {&from, &to})
      if (side->is_object())
        for (const auto &[key, value] : side->items())
          keys.insert(key);
    auto shown = [](const nlohmann::ordered_json &side, const std::string &key) {
      return side.is_object() && side.contains(key) ? side[key].dump() : std::string("nothing");
    };
    for (const std::string &key : keys)
      visit(key, shown(from, key), shown(to, key));
  }

  /// The decisions of a plan's record, and those that only its reasons have: cadence, strategy, all homes.
  static std::map<std::string, nlohmann::ordered_json> allDecisions(const Plan &plan) {
    std::map<std::string, nlohmann::ordered_json> all = decisionsOf(plan);
    for (const Reason &reason : plan.reasons)
      all.try_emplace(pathOf(reason), reason.taken);
    return all;
  }

  void addDecisions() {
    const auto ofBefore = allDecisions(before), ofAfter = allDecisions(after);
    std::set<std::string> paths;
    for (const auto *side : {&ofBefore, &ofAfter})
      for (const auto &[path, value] : *side)
        paths.insert(path);
    std::string lines;
    for (const std::string &path : paths) {
      auto decided = [&](const auto &side) {
        const auto found = side.find(path);
        return found == side.end() ? nlohmann::ordered_json("nothing") : found->second;
      };
      const nlohmann::ordered_json from = decided(ofBefore), to = decided(ofAfter);
      if (from == to)
        continue;
      const Reason *first = findReason(before.reasons, path), *second = findReason(after.reasons, path);
      lines +=
          decisionText(path, from, to) + whyText("before", first, second) + whyText("after", second, first);
    }
    section("decisions", lines);
  }

  /// The two values of a decision; of a decision by bucket, the first entries that differ.
  static std::string decisionText(const std::string &path, const nlohmann::ordered_json &from,
                                  const nlohmann::ordered_json &to) {
    auto shown = [](const nlohmann::ordered_json &decided) {
      return decided.is_object() ? "each its own" : decided.dump();
    };
    if (!from.is_object() || !to.is_object())
      return line(path, shown(from), shown(to));
    std::string lines;
    int64_t differing = 0;
    forEachEntry(from, to, [&](const std::string &key, const std::string &one, const std::string &other) {
      if (one != other && ++differing <= kShown)
        lines += line(path + ", " + key, one, other);
    });
    return lines + (differing > kShown
                        ? "  " + path + ": " + formatCount(differing - kShown) + " more differ\n"
                        : "");
  }

  /// The reason of one plan; and, if its text does not have it, the outcome there of the value that the other
  /// plan took.
  static std::string whyText(const std::string &when, const Reason *reason, const Reason *other) {
    if (!reason)
      return "";
    const std::string why = reasonText(*reason);
    std::string text = why.empty() ? "" : "    " + when + ": " + why + "\n";
    const Trial *rejected =
        other && other->taken != reason->taken ? findTrial(*reason, other->taken) : nullptr;
    if (rejected && !triedText(*reason).empty())
      text += "    " + when + ", tried: " + trialText(*reason, *rejected) + "\n";
    return text;
  }

  /// The tier of each tensor, or slice of a tensor.
  using Homes = std::map<std::tuple<StateClass, std::string, Slice>, Tier>;
  static Homes homesOf(const Plan &plan) {
    Homes homes;
    for (const Program &program : plan.programs)
      for (const std::vector<State> *states : {&program.states, &program.gradients})
        for (const State &state : *states)
          homes[{state.cls, state.name, state.slice}] = tierOf(program, state.home);
    return homes;
  }

  /// Adds the tensors of each class that moved from one tier to another.
  void addHomes() {
    const Homes from = homesOf(before), to = homesOf(after);
    std::map<std::tuple<StateClass, Tier, Tier>, std::vector<std::string>> moved;
    for (const auto &[tensor, home] : to)
      if (const auto known = from.find(tensor); known != from.end() && known->second != home)
        moved[{std::get<StateClass>(tensor), known->second, home}].push_back(std::get<std::string>(tensor));
    std::string lines;
    for (const auto &[move, tensors] : moved) {
      const auto &[cls, first, second] = move;
      lines += "  " + std::string(textOf(cls)) + ": " +
               arrow(std::string(textOf(first)), std::string(textOf(second))) + ", " +
               counted(std::ssize(tensors), "tensor") + ":";
      for (int64_t i = 0; i < std::min(std::ssize(tensors), kShown); ++i)
        lines += (i ? ", " : " ") + tensors[static_cast<size_t>(i)];
      lines += std::ssize(tensors) > kShown ? ", ...\n" : "\n";
    }
    section("homes", lines);
  }

  /// Adds differences of arena sizes, and of the bytes and instructions of a step.
  void addSizes() {
    std::string lines;
    for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
      auto bytes = [tier](const Plan &plan, int64_t Arena::*field) {
        int64_t most = 0;
        for (const Program &program : plan.programs)
          if (const Arena *arena = arenaOf(program, tier))
            most = std::max(most, arena->*field);
        return formatBytes(most);
      };
      const std::string name = std::string(textOf(tier)) + " of a rank";
      lines += line(name, bytes(before, &Arena::bytes), bytes(after, &Arena::bytes)) +
               line(name + ", granted", bytes(before, &Arena::capacity), bytes(after, &Arena::capacity));
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const auto [fromCount, fromBytes] = workOf(before, static_cast<Lane>(lane));
      const auto [toCount, toBytes] = workOf(after, static_cast<Lane>(lane));
      const std::string name = std::string(wordsOf<Lane>()[lane]) + ", of a step";
      lines += line(name, counted(fromCount, "instruction"), counted(toCount, "instruction")) +
               line(name, formatBytes(fromBytes), formatBytes(toBytes));
    }
    section("sizes", lines);
  }

  /// The instructions of a step on a lane, and the bytes that they move.
  static std::pair<int64_t, int64_t> workOf(const Plan &plan, Lane lane) {
    int64_t count = 0, bytes = 0;
    for (const Program &program : plan.programs)
      for (const auto &[section, times] : program.train)
        for (const Instruction &instruction : program.sections[section].instructions)
          if (instruction.lane == lane) {
            count += times;
            bytes += times * instruction.bytesMoved;
          }
    return {count, bytes};
  }

  void addPrediction() {
    const Prediction &from = before.prediction, &to = after.prediction;
    auto busy = [](const Prediction &prediction, Lane lane) {
      const auto found = std::ranges::find(prediction.busy, lane, &std::pair<Lane, double>::first);
      return formatSeconds(found == prediction.busy.end() ? 0 : found->second);
    };
    std::string lines = line("a step", formatSeconds(from.stepSeconds), formatSeconds(to.stepSeconds)) +
                        line("bound by", from.boundBy, to.boundBy);
    for (size_t lane = 0; lane < kLanes; ++lane)
      lines += line(std::string(wordsOf<Lane>()[lane]) + " busy", busy(from, static_cast<Lane>(lane)),
                    busy(to, static_cast<Lane>(lane)));
    section("prediction", lines);
  }

  const Plan &before, &after;
  std::string said;
};

} // namespace

std::string diff(const plan::Plan &before, const plan::Plan &after) {
  return Difference(before, after).text();
}

} // namespace windlass::dump
